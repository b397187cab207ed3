import { isObject } from '../../core/json/shapes';

/** What Toolgate calls itself before servers. */
export const ownClientName = 'toolgate';

/**
 * Whether Toolgate itself asks: it has started its own bridge as a server, which would show its
 * tools to itself again and again. Either era says in the first request who asks.
 */
export function isOwnRequest({ params }: { readonly params?: unknown }): boolean {
  if (!isObject(params)) return false;
  const { clientInfo, _meta: meta } = params;
  const told = isObject(meta) ? meta['io.modelcontextprotocol/clientInfo'] : undefined;
  return [clientInfo, told].some((each) => isObject(each) && each.name === ownClientName);
}

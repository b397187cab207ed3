import { isObject } from '../../core/json/shapes';
import { visibleText } from '../../core/visibleText';

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

/** No name of a program is longer. */
const maxClientChars = 60;

/** What the agent calls itself in a request of the stateless era; it may say anything. */
export function clientNameOf(meta: unknown): string {
  return nameOf(isObject(meta) ? meta['io.modelcontextprotocol/clientInfo'] : undefined);
}

/** The name in what a program says of itself, fit to be shown. */
export function nameOf(told: unknown): string {
  const name = isObject(told) && typeof told.name === 'string' ? told.name.trim() : '';
  return visibleText(name === '' ? '?' : name, maxClientChars);
}

import { isObject } from '../../core/json/shapes';
import { visibleText } from '../../core/visibleText';

/** The client name that Toolgate sends to servers. */
export const ownClientName = 'toolgate';

/**
 * Returns true if the client is Toolgate itself: it has started its own bridge as a server, which
 * would list its own tools to itself in a loop. In both eras the first request names the client.
 */
export function isOwnRequest({ params }: { readonly params?: unknown }): boolean {
  if (!isObject(params)) return false;
  const { clientInfo, _meta: meta } = params;
  const told = isObject(meta) ? meta['io.modelcontextprotocol/clientInfo'] : undefined;
  return [clientInfo, told].some((each) => isObject(each) && each.name === ownClientName);
}

/** Longer names are cut. */
const maxClientChars = 60;

/** Returns the client name in a request of the stateless era. It is only a claim. */
export function clientNameOf(meta: unknown): string {
  return clientDisplayName(isObject(meta) ? meta['io.modelcontextprotocol/clientInfo'] : undefined);
}

/** Returns the `name` of a client info object, made safe to display. */
export function clientDisplayName(told: unknown): string {
  const name = isObject(told) && typeof told.name === 'string' ? told.name.trim() : '';
  return visibleText(name === '' ? '?' : name, maxClientChars);
}

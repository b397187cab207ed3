import { isObject } from '../../core/json/shapes';
import { visibleText } from '../../core/visibleText';

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

import type { Node } from 'jsonc-parser';
import type { JsonValue } from './jsonValue';
import { numberOf } from './writtenNumber';

/**
 * Returns the value of `node` in the tree parsed from `text`. The parser's own values are not used:
 * they lose a property called `__proto__`, and digits of numbers.
 */
export function jsoncValue(node: Node, text: string): JsonValue {
  const { type, children = [], offset, length } = node;
  const value: unknown = node.value;
  if (type === 'array') return children.map((child) => jsoncValue(child, text));
  if (type === 'number') return numberOf(text.slice(offset, offset + length));
  if (type !== 'object')
    return typeof value === 'string' || typeof value === 'boolean' ? value : null;
  return Object.fromEntries(
    children.flatMap(({ children: [name, member] = [] }) =>
      name === undefined || member === undefined
        ? []
        : [[String(name.value), jsoncValue(member, text)]],
    ),
  );
}

import type { Node } from 'jsonc-parser';
import { propertiesOf } from './configurationProblems';
import type { TextPiece, WrittenText } from './serverConfig';

/** Where the texts of an entry stand, and what they are about. */
const places: readonly (readonly [key: string, part: WrittenText['part']])[] = [
  ['command', 'command'],
  ['args', 'argument'],
  ['cwd', 'folder'],
  ['envFile', 'file'],
  ['env', 'variable'],
  ['url', 'address'],
  ['headers', 'header'],
  ['oauth', 'signIn'],
  ['toolgate', 'signIn'],
];

/**
 * Of the values of an entry those that name something of the person's environment or settings, as
 * far as they were read.
 */
export function writtenTexts(
  values: ReadonlyMap<string, Node>,
  pieces: ReadonlyMap<Node, readonly TextPiece[]>,
): readonly WrittenText[] {
  return places.flatMap(([key, part]) => {
    const value = values.get(key);
    return value === undefined
      ? []
      : textsIn(value).flatMap(({ node, name }): WrittenText[] => {
          const own = pieces.get(node);
          if (own === undefined || !own.some((piece) => 'reference' in piece)) return [];
          return [{ part, pieces: own, ...(name === undefined ? {} : { name }) }];
        });
  });
}

function textsIn(value: Node): { readonly node: Node; readonly name?: string | number }[] {
  const { type, children = [] } = value;
  if (type === 'array') return children.map((node, name) => ({ node, name }));
  if (type !== 'object') return [{ node: value }];
  return propertiesOf(value, () => {}).map(({ name, value: node }) => ({ node, name }));
}

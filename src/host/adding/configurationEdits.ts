import { applyEdits, findNodeAtLocation, findNodeAtOffset, type Node } from 'jsonc-parser';
import { smallestEdit, nextToken, withAddition } from './configurationAdditions';
import { jsonTree, type TextRange } from '../configuration/jsonTree';
import { ServerEntries } from '../configuration/serverEntries';

/** Replaces the range with `text`. */
export interface TextEdit extends TextRange {
  readonly text: string;
}

type Path = readonly (string | number)[];

/** Returns the text at `path`, or `undefined` if there is none. */
export function textAt(text: string, path: Path): string | undefined {
  const value: unknown = new ServerEntries(text).node(path)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** Replaces the text at `path` with `value` and leaves the rest of the file unchanged. */
export function replaceTextEdits(text: string, path: Path, value: string): readonly TextEdit[] {
  const node = new ServerEntries(text).node(path);
  if (node?.type !== 'string') return [];
  return [{ offset: node.offset, length: node.length, text: JSON.stringify(value) }];
}

/** Renames the property at `path` and keeps its value. */
export function renameKeyEdits(text: string, path: Path, name: string): readonly TextEdit[] {
  const key = new ServerEntries(text).node(path)?.parent?.children?.[0];
  if (key === undefined) return [];
  return [{ offset: key.offset, length: key.length, text: JSON.stringify(name) }];
}

const shellVariable = /\$\{([A-Z_][A-Z0-9_]*)\}/g;
const editorVariable = /\$\{env:([A-Za-z_]\w*)\}/g;

/**
 * Converts servers under the key of one format to the other format: the key and the environment
 * variables. Returns no edits if the other key exists already, or if a text cannot be expressed in
 * the other format.
 */
export function otherFormatEdits(text: string, path: Path, name: string): readonly TextEdit[] {
  if (namesBeside(text, path).has(name)) return [];
  const toEditor = name === 'servers';
  const [own, written] = toEditor ? [shellVariable, 'env:'] : [editorVariable, ''];
  const foreign = toEditor ? /\$\{\w+:-/ : /\$\{(?:input|config|env):/;
  const edits = [...renameKeyEdits(text, path, name)];
  const left = [new ServerEntries(text).node(path)];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    left.push(...(node.children ?? []));
    if (node.type !== 'string') continue;
    const value = String(node.value);
    const now = value.replaceAll(own, (_, variable: string) => `\${${written}${variable}}`);
    if (foreign.test(now)) return [];
    const { offset, length } = node;
    if (now !== value) edits.push({ offset, length, text: JSON.stringify(now) });
  }
  return edits;
}

/** Returns the names of all properties of the object that contains `path`. */
export function namesBeside(text: string, path: Path): ReadonlySet<string> {
  const object = new ServerEntries(text).node(path)?.parent?.parent;
  return new Set((object?.children ?? []).map((property) => String(nameOf(property))));
}

/** An input as it is written in a file. */
interface NewInput {
  readonly type: 'promptString';
  readonly id: string;
  readonly description: string;
  readonly password: boolean;
}

/** Defines an input after the existing ones. Returns no edits if there is no place for it. */
export function addInputEdits(text: string, input: NewInput): readonly TextEdit[] {
  const after = withAddition(text, { servers: [], inputs: [input] });
  return after === undefined ? [] : [smallestEdit(text, after)];
}

/**
 * Removes the property or item that begins at `offset` and has `name` as its name or id, because a
 * later one of that name overrides it. Removes its comma, and its line if nothing else is on it,
 * but no comments of other entries. Returns no edits if it is no longer there.
 */
export function removeEarlierEdits(
  text: string,
  offset: number,
  name: string,
): readonly TextEdit[] {
  const { root } = jsonTree(text);
  const found = root && findNodeAtOffset(root, offset);
  const node = found?.parent?.type === 'property' ? found.parent : found;
  const siblings = node?.parent?.children ?? [];
  if (node?.offset !== offset || nameOf(node) !== name) return [];
  const later = siblings.slice(siblings.indexOf(node) + 1);
  if (!later.some((sibling) => nameOf(sibling) === name)) return [];
  return removalEdits(text, node);
}

/**
 * Removes the matching members of the object at `path`, and the object itself with its last member.
 * Returns no edits if none matches.
 */
export function removeMemberEdits(text: string, path: Path, name: RegExp): readonly TextEdit[] {
  const object = new ServerEntries(text).node(path);
  const all = object?.type === 'object' ? (object.children ?? []) : [];
  const found = all.filter((each) => name.test(String(nameOf(each))));
  const whole = object?.parent;
  if (whole !== undefined && found.length > 0 && found.length === all.length) {
    return removalEdits(text, whole);
  }
  return found.flatMap((each) => removalEdits(text, each));
}

/** Returns the text without the property or item at `path` and its comma, but with comments of others. */
export function withoutEntry(text: string, path: Path): string {
  const node = new ServerEntries(text).node(path);
  const whole = node?.parent?.type === 'property' ? node.parent : node;
  const edits = whole === undefined ? [] : removalEdits(text, whole);
  return applyEdits(
    text,
    edits.map(({ text: content, ...range }) => ({ ...range, content })),
  );
}

/** Removes a property or item with its comma, or with the comma before it if it is the last. */
function removalEdits(text: string, node: Node): readonly TextEdit[] {
  const { offset } = node;
  const nodeEnd = offset + node.length;
  const comma = nextToken(text, nodeEnd);
  if (text.charAt(comma) !== ',') return lastRemovalEdits(text, node);
  const lineStart = text.lastIndexOf('\n', offset) + 1;
  const [blanks = ''] = /^[ \t]*(?:\r?\n)?/.exec(text.slice(comma + 1)) ?? [];
  const endsLine = blanks.endsWith('\n');
  const isAlone = endsLine && text.slice(lineStart, offset).trim() === '';
  const start = isAlone ? lineStart : offset;
  const taken = isAlone || !endsLine ? blanks.length : 0;
  return [
    { offset: start, length: nodeEnd - start, text: '' },
    { offset: comma, length: 1 + taken, text: '' },
  ];
}

/** Removes the last property or item, which no comma follows. */
function lastRemovalEdits(text: string, node: Node): readonly TextEdit[] {
  const siblings = node.parent?.children ?? [];
  const before = siblings[siblings.indexOf(node) - 1];
  const start = text.slice(0, node.offset).trimEnd().length;
  const own = { offset: start, length: node.offset + node.length - start, text: '' };
  if (before === undefined) return [own];
  const comma = nextToken(text, before.offset + before.length);
  return [{ offset: comma, length: 1, text: '' }, own];
}

/** Returns the name of a property or the id of an item. */
function nameOf(node: Node): unknown {
  const named = node.type === 'property' ? node.children?.[0] : findNodeAtLocation(node, ['id']);
  return named?.value;
}

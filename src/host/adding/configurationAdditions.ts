import * as jsonc from 'jsonc-parser';
import { type ConfigFormat, serversKey } from '../configuration/configurationFormats';
import { jsonTree } from '../configuration/jsonTree';
import { isSameJson } from '../../core/json/shapes';
import type { DraftInput } from './draft';

export interface AddedServer {
  readonly name: string;
  readonly entry: object;
  /** The JSON text of the entry, which keeps its formatting. Defaults to that of `entry`. */
  readonly text?: string;
}

/** Servers and inputs that are added to a configuration in one edit. */
export interface Addition {
  readonly servers: readonly AddedServer[];
  readonly inputs: readonly DraftInput[];
}

/**
 * Returns the text of a configuration with servers and inputs added. The rest stays unchanged, with
 * its comments and formatting; `modify` of jsonc-parser would reformat the neighbors. Returns
 * `undefined` if they cannot be added: the text is no JSON object, or a name or id is taken.
 */
export function withAddition(
  text: string,
  { servers, inputs }: Addition,
  format: ConfigFormat = 'vscode',
): string | undefined {
  const key = serversKey(format);
  let after: string | undefined = text;
  for (const server of servers) {
    after = after === undefined ? undefined : withServer(after, key, server);
  }
  for (const input of inputs) after = after === undefined ? undefined : withItem(after, input);
  return after;
}

/** A member to add to an object of an entry. */
export interface EntryMember {
  readonly object: 'headers' | 'dev';
  readonly name: string;
  readonly value: string;
}

/**
 * Returns the text with a member added to an object of the server at `path`. Returns `undefined` if
 * it cannot be added, or if the object has this member already.
 */
export function withMember(
  text: string,
  path: readonly string[],
  { object, name, value }: EntryMember,
): string | undefined {
  const root = rootOf(text);
  if (root === undefined || root === 'broken') return undefined;
  const entry = jsonc.findNodeAtLocation(root, [...path]);
  if (entry?.type !== 'object') return undefined;
  const parent = jsonc.findNodeAtLocation(entry, [object]);
  if (parent === undefined) return withLast(text, entry, `"${object}": `, { [name]: value });
  const isFree = parent.type === 'object' && !jsonc.findNodeAtLocation(parent, [name]);
  return isFree ? withLast(text, parent, `${JSON.stringify(name)}: `, value) : undefined;
}

/** Returns the server names and input ids that the text contains. */
export function namesInConfiguration(text: string): {
  readonly servers: ReadonlySet<string>;
  readonly inputs: ReadonlySet<string>;
} {
  const { root } = jsonTree(text);
  const at = (path: jsonc.JSONPath): readonly jsonc.Node[] =>
    (root && jsonc.findNodeAtLocation(root, path)?.children) ?? [];
  const ids = at(['inputs']).map((node): unknown => {
    const id = jsonc.findNodeAtLocation(node, ['id']);
    return id && jsonc.getNodeValue(id);
  });
  return {
    servers: new Set(
      [...at(['servers']), ...at(['mcpServers'])].map((node) => String(node.children?.[0]?.value)),
    ),
    inputs: new Set(ids.filter((id) => typeof id === 'string')),
  };
}

/** Returns true if the text contains exactly this server already. */
export function hasServer(
  text: string,
  { name, entry }: Addition['servers'][number],
  format: ConfigFormat,
): boolean {
  const { root } = jsonTree(text);
  const node = root && jsonc.findNodeAtLocation(root, [serversKey(format), name]);
  return node !== undefined && isSameJson(jsonc.getNodeValue(node), entry);
}

/**
 * Returns the smallest edit that turns `before` into `after`, so that an editor keeps its position
 * and one undo reverts it.
 */
export function smallestEdit(
  before: string,
  after: string,
): { readonly offset: number; readonly length: number; readonly text: string } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  // VS Code widens a range that begins or ends inside a character, but not the text.
  if (isHighSurrogate(before, start - 1)) start -= 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  if (isLowSurrogate(before, before.length - end)) end -= 1;
  return {
    offset: start,
    length: before.length - start - end,
    text: after.slice(start, after.length - end),
  };
}

function isHighSurrogate(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF]/.test(text.charAt(at));
}

function isLowSurrogate(text: string, at: number): boolean {
  return /^[\uDC00-\uDFFF]/.test(text.charAt(at));
}

function withServer(text: string, key: string, server: AddedServer): string | undefined {
  const { name, entry } = server;
  const root = rootOf(text);
  if (root === 'broken') return undefined;
  if (root === undefined) return withServer(withFile(text, { [key]: {} }), key, server);
  const servers = jsonc.findNodeAtLocation(root, [key]);
  if (servers === undefined) return withServer(withLast(text, root, `"${key}": `, {}), key, server);
  if (servers.type !== 'object' || jsonc.findNodeAtLocation(servers, [name])) return undefined;
  return withLast(text, servers, `${JSON.stringify(name)}: `, entry, server.text);
}

function withItem(text: string, input: DraftInput): string | undefined {
  if (namesInConfiguration(text).inputs.has(input.id)) return undefined;
  const root = rootOf(text);
  if (root === 'broken') return undefined;
  if (root === undefined) return withFile(text, { inputs: [input] });
  const inputs = jsonc.findNodeAtLocation(root, ['inputs']);
  if (inputs === undefined) return withLast(text, root, '"inputs": ', [input]);
  return inputs.type === 'array' ? withLast(text, inputs, '', input) : undefined;
}

/** Returns `undefined` for an empty text, and `broken` for a text that is no JSON object. */
function rootOf(text: string): jsonc.Node | 'broken' | undefined {
  const { root, error } = jsonTree(text);
  if (error !== undefined || (root !== undefined && root.type !== 'object')) return 'broken';
  return root;
}

function withFile(text: string, value: object): string {
  const eol = lineBreak(text);
  const begun = text === '' || text.endsWith('\n') ? text : text + eol;
  return begun + JSON.stringify(value, undefined, indentUnit(text)).replaceAll('\n', eol) + eol;
}

/** Appends a member or item on lines of its own; `key` is the text before its value. */
function withLast(
  text: string,
  parent: jsonc.Node,
  key: string,
  value: object | string,
  written?: string,
): string {
  const eol = lineBreak(text);
  const unit = indentUnit(text);
  const outer = lineIndent(text, parent.offset);
  const inner = outer + unit;
  const json = (written ?? JSON.stringify(value, undefined, unit)).replaceAll('\n', eol + inner);

  const close = parent.offset + parent.length - 1;
  const end = text.slice(0, close).trimEnd().length;
  const closing = text.slice(end, close).includes('\n') ? '' : eol + outer;
  const last = parent.children?.at(-1);
  const lastEnd = last && last.offset + last.length;
  const hasTrailingComma = lastEnd !== undefined && text.charAt(nextToken(text, lastEnd)) === ',';
  const comma = hasTrailingComma ? ',' : '';
  const added = `${eol}${inner}${key}${json}${comma}${closing}`;
  const rest = text.slice(closing === '' ? end : close);
  return lastEnd === undefined || hasTrailingComma
    ? text.slice(0, end) + added + rest
    : `${text.slice(0, lastEnd)},${text.slice(lastEnd, end)}${added}${rest}`;
}

/** Returns the offset of the next character that is no whitespace and no comment. */
export function nextToken(text: string, offset: number): number {
  const scanner = jsonc.createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return scanner.getTokenOffset();
}

function lineIndent(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** Returns one level of indentation, as the first indented line of the file has it. */
function indentUnit(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
}

function lineBreak(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

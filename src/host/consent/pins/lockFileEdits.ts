import * as jsonc from 'jsonc-parser';
import { jsonTree } from '../../configuration/jsonTree';
import type { Tool } from '../../../core/types';
import { toolFingerprint, type Fingerprint } from '../facts/fingerprints';
import {
  lockValue,
  lockVersion,
  maxLockBytes,
  jsonMember,
  jsonMembers,
  parseLockFile,
  type LockFilePlace,
  lockedText,
} from './lockFile';

/** Replaces the range by `text`. */
export interface TextChange extends LockFilePlace {
  readonly text: string;
}

/** The new content of one member of an object. */
interface Entry {
  readonly name: string;
  /** JSON, indented for its position. */
  readonly value: string;
}

const unit = '  ';

/** The content that is written for a tool: its definition, or only its fingerprint. */
export type LockEntry = Tool | Fingerprint;

type Entries = ReadonlyMap<string, LockEntry>;

/**
 * Returns the definition of a tool, or its fingerprint if it contains a secret, because the file is
 * shared.
 */
export function lockEntryOf(tool: Tool, redact: (text: string) => string): LockEntry {
  const text = lockedText(tool) ?? '';
  return redact(text) === text ? tool : toolFingerprint(tool);
}

/**
 * Returns the change after which a lock file contains exactly these tools of one server, sorted by
 * name. Comments stay with their members, and the rest of the file stays unchanged. An empty text
 * becomes a complete file. If definitions would make the file too large, fingerprints are written.
 * Returns `undefined` if the file is no valid lock file.
 */
export function lockServerChange(
  text: string,
  serverId: string,
  tools: Entries,
): TextChange | undefined {
  const change = changeTo(text, serverId, tools);
  const hasDefinitions = [...tools.values()].some((entry) => typeof entry !== 'string');
  if (change === undefined || !hasDefinitions || isReadable(changedText(text, change)))
    return change;
  const fingerprints = [...tools].map(
    ([name, entry]) => [name, typeof entry === 'string' ? entry : toolFingerprint(entry)] as const,
  );
  return changeTo(text, serverId, new Map(fingerprints));
}

/** Returns the text after the change. */
export function changedText(text: string, { offset, length, text: now }: TextChange): string {
  return text.slice(0, offset) + now + text.slice(offset + length);
}

function isReadable(text: string): boolean {
  return Buffer.byteLength(text) <= maxLockBytes && !parseLockFile(text).isUnreadable;
}

function changeTo(text: string, serverId: string, tools: Entries): TextChange | undefined {
  if (text.trim() === '') {
    const servers = objectText([{ name: serverId, value: serverText(tools, 2) }], 1);
    const root = objectText(
      [
        { name: 'version', value: String(lockVersion) },
        { name: 'servers', value: servers },
      ],
      0,
    );
    return { offset: 0, length: text.length, text: `${root}\n` };
  }
  if (parseLockFile(text).isUnreadable) return undefined;
  const { root } = jsonTree(text);
  const servers = root && jsonMember(root, 'servers');
  if (servers === undefined) return undefined;
  const server = jsonMember(servers, serverId);
  const before = server && jsonMember(server, 'tools');
  if (before?.type === 'object') return rebuilt(text, before, toolEntries(tools, 4), 3);
  const others = jsonMembers(servers)
    .filter(({ name }) => name !== serverId)
    .map(({ name, value }) => ({ name, value: sourceOf(text, value) }));
  const entries = sorted([...others, { name: serverId, value: serverText(tools, 2) }]);
  return rebuilt(text, servers, entries, 1);
}

function serverText(tools: Entries, depth: number): string {
  const list = objectText(toolEntries(tools, depth + 2), depth + 1);
  return objectText([{ name: 'tools', value: list }], depth);
}

function toolEntries(tools: Entries, depth: number): Entry[] {
  return sorted([...tools].map(([name, entry]) => ({ name, value: entryText(entry, depth) })));
}

function entryText(entry: LockEntry, depth: number): string {
  const definition = typeof entry === 'string' ? undefined : lockedText(entry);
  if (definition !== undefined) return definition.replaceAll('\n', `\n${unit.repeat(depth)}`);
  return JSON.stringify(lockValue(typeof entry === 'string' ? entry : toolFingerprint(entry)));
}

/** Sorts by code unit and not by locale, so that every machine has the same order. */
function sorted(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((one, other) =>
    one.name < other.name ? -1 : one.name > other.name ? 1 : 0,
  );
}

function objectText(entries: readonly Entry[], depth: number): string {
  if (entries.length === 0) return '{}';
  const lines = entries.map(
    ({ name, value }) => `${unit.repeat(depth + 1)}${JSON.stringify(name)}: ${value}`,
  );
  return `{\n${lines.join(',\n')}\n${unit.repeat(depth)}}`;
}

/** Writes the object again with these members. Each keeps the comments before and behind it. */
function rebuilt(
  text: string,
  node: jsonc.Node,
  entries: readonly Entry[],
  depth: number,
): TextChange {
  const { byName, last } = commentsOf(text, node);
  const inner = unit.repeat(depth + 1);
  const lines = entries.flatMap(({ name, value }, index) => {
    const comments = byName.get(name);
    const comma = index < entries.length - 1 ? ',' : '';
    const behind = comments?.behind.map((comment) => ` ${comment}`).join('') ?? '';
    return [
      ...(comments?.before ?? []).map((comment) => inner + comment),
      `${inner}${JSON.stringify(name)}: ${value}${comma}${behind}`,
    ];
  });
  const all = [...lines, ...last.map((comment) => inner + comment)];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const body = all.length === 0 ? '{}' : `{\n${all.join('\n')}\n${unit.repeat(depth)}}`;
  const { offset, length } = node;
  return { offset, length, text: body.replaceAll(/\r?\n/g, eol) };
}

interface Comments {
  readonly before: string[];
  /** On the same line. */
  readonly behind: string[];
}

/** Returns the comments of the members of an object, and those after all members. */
function commentsOf(
  text: string,
  node: jsonc.Node,
): { readonly byName: ReadonlyMap<string, Comments>; readonly last: readonly string[] } {
  const byName = new Map<string, Comments>();
  let from = node.offset + 1;
  /** Comments of the previous member; undefined before the first one. */
  let behind: string[] | undefined;
  const scan = (to: number): string[] => {
    const found = commentsBetween(text, from, to);
    if (behind === undefined) return [...found.behind, ...found.rest];
    behind.push(...found.behind);
    return found.rest;
  };
  for (const { name, key, value } of jsonMembers(node)) {
    const before = scan(key.offset);
    const comments = { before: byName.get(name)?.before.concat(before) ?? before, behind: [] };
    byName.set(name, comments);
    behind = comments.behind;
    from = value.offset + value.length;
  }
  const last = scan(node.offset + node.length - 1);
  return { byName, last };
}

/** `SyntaxKind` of jsonc-parser, which exists only at compile time. */
const syntax = { lineComment: 12, blockComment: 13, lineBreak: 14, end: 17 };

/** Returns the comments up to the first line break, and those after it. */
function commentsBetween(
  text: string,
  from: number,
  to: number,
): { readonly behind: string[]; readonly rest: string[] } {
  const between = text.slice(from, to);
  const scanner = jsonc.createScanner(between);
  const behind: string[] = [];
  const rest: string[] = [];
  let isBehind = true;
  for (let kind: number = scanner.scan(); kind !== syntax.end; kind = scanner.scan()) {
    if (kind === syntax.lineBreak) isBehind = false;
    const isLine = kind === syntax.lineComment;
    if (!isLine && kind !== syntax.blockComment) continue;
    // `getTokenValue` begins one character before a comment.
    const start = scanner.getTokenOffset();
    const comment = between.slice(start, start + scanner.getTokenLength());
    (isBehind ? behind : rest).push(comment.trim());
  }
  return { behind, rest };
}

function sourceOf(text: string, { offset, length }: jsonc.Node): string {
  return text.slice(offset, offset + length);
}

import type * as jsonc from 'jsonc-parser';
import { jsonTree } from '../../configuration/jsonTree';
import { type Fingerprint, parseFingerprint, toolFingerprint } from '../facts/fingerprints';
import { stripComments } from 'jsonc-parser';
import { jsonTextOf } from '../../../core/json/layOutJson';
import { jsonOrAbsent } from '../../../core/json/parseJson';
import { isObject } from '../../../core/json/shapes';
import { parseTool } from '../../../core/parse/parseTool';
import type { Tool } from '../../../core/types';
import { toolFields } from './pinDefinition';

/** A range of a file, in UTF-16 units. */
export interface LockFilePlace {
  readonly offset: number;
  readonly length: number;
}

/** The entry of a tool in a lock file. */
export interface LockedTool {
  /** Undefined for an invalid entry, which no definition matches. */
  readonly fingerprint?: Fingerprint;
  /** Undefined if the file contains only the fingerprint. */
  readonly definition?: LockedDefinition;
  /** Range of the whole entry. */
  readonly place: LockFilePlace;
}

export interface LockedServer {
  /** Keyed by tool name. */
  readonly tools: ReadonlyMap<string, LockedTool>;
  /** Range of its name. */
  readonly place: LockFilePlace;
}

/** A problem in a lock file. `ui` makes the sentences. */
export interface LockProblem {
  readonly code: 'notJson' | 'wrongForm' | 'otherVersion' | 'notAFingerprint' | 'duplicateKey';
  readonly place: LockFilePlace;
}

/** The definitions that a team reviewed, for each server. */
export interface LockFile {
  /** Keyed by server id. */
  readonly servers: ReadonlyMap<string, LockedServer>;
  readonly problems: readonly LockProblem[];
  /** True if the file cannot be read, so that no definition counts as reviewed. */
  readonly isUnreadable: boolean;
}

export const lockVersion = 1;
/** Enough for some 20,000 fingerprints, or some thousand definitions. */
export const maxLockBytes = 2 * 1024 * 1024;
/** Further problems are not reported one by one. */
const maxProblems = 100;

/** Returns the text of a fingerprint in a lock file. */
export function lockValue(fingerprint: Fingerprint): string {
  return `sha256:${fingerprint}`;
}

/** Parses a lock file as strictly as possible. Comments are allowed. Never throws. */
export function parseLockFile(text: string): LockFile {
  // At most 200 levels; a deeper file is no lock file.
  const { root, error } = jsonTree(text);
  if (root === undefined || error !== undefined) return unreadable('notJson', error ?? whole(text));
  const version = jsonMember(root, 'version');
  if (version?.value !== lockVersion) {
    const isOther = typeof version?.value === 'number';
    return unreadable(isOther ? 'otherVersion' : 'wrongForm', version ?? whole(text));
  }
  const servers = jsonMember(root, 'servers');
  if (servers?.type !== 'object') return unreadable('wrongForm', servers ?? root);
  return readServers(servers, text);
}

class LockProblems {
  readonly list: LockProblem[] = [];

  add(code: LockProblem['code'], place: LockFilePlace): void {
    if (this.list.length < maxProblems) this.list.push({ code, place });
  }
}

function readServers(node: jsonc.Node, text: string): LockFile {
  const problems = new LockProblems();
  const servers = new Map<string, LockedServer>();
  for (const { name, key, value } of jsonMembers(node)) {
    // If a server occurs twice, none of its tools counts as reviewed.
    const isTwin = servers.has(name);
    if (isTwin) problems.add('duplicateKey', placeOf(key));
    const tools = jsonMember(value, 'tools');
    const isList = tools?.type === 'object';
    if (!isList) problems.add('wrongForm', placeOf(value));
    const read =
      isList && !isTwin ? readTools(tools, text, problems) : new Map<string, LockedTool>();
    servers.set(name, { tools: read, place: placeOf(key) });
  }
  return { servers, problems: problems.list, isUnreadable: false };
}

function readTools(
  node: jsonc.Node,
  text: string,
  problems: LockProblems,
): Map<string, LockedTool> {
  const tools = new Map<string, LockedTool>();
  for (const { name, key, value } of jsonMembers(node)) {
    const place = { offset: key.offset, length: value.offset + value.length - key.offset };
    const said = fingerprintOf(value) ?? definitionOf(name, value, text);
    if (tools.has(name)) problems.add('duplicateKey', place);
    else if (said === undefined) problems.add('notAFingerprint', place);
    if (said === undefined || tools.has(name)) tools.set(name, { place });
    else if (typeof said === 'string') tools.set(name, { fingerprint: said, place });
    else tools.set(name, new DefinedTool(said, place));
  }
  return tools;
}

/** Computes its fingerprint when it is needed, which for most tools is never. */
class DefinedTool implements LockedTool {
  constructor(
    readonly definition: LockedDefinition,
    readonly place: LockFilePlace,
  ) {}

  get fingerprint(): Fingerprint {
    return this.definition.fingerprint;
  }
}

function fingerprintOf({ value }: jsonc.Node): Fingerprint | undefined {
  if (typeof value !== 'string' || !value.startsWith('sha256:')) return undefined;
  const fingerprint = value.slice('sha256:'.length);
  return parseFingerprint(fingerprint);
}

/**
 * A definition with an unknown member does not count, because reviewers would judge something else.
 */
function definitionOf(name: string, node: jsonc.Node, text: string): LockedDefinition | undefined {
  if (node.type !== 'object') return undefined;
  const names = jsonMembers(node).map((each) => each.name);
  const isDefinition =
    names.every((each) => definitionMembers.has(each)) && new Set(names).size === names.length;
  const { offset, length } = node;
  return isDefinition ? new LockedDefinition(name, text.slice(offset, offset + length)) : undefined;
}

interface Member {
  readonly name: string;
  readonly key: jsonc.Node;
  readonly value: jsonc.Node;
}

/** Returns the members of an object, including duplicates. */
export function jsonMembers(node: jsonc.Node): Member[] {
  if (node.type !== 'object') return [];
  return (node.children ?? []).flatMap((property): Member[] => {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) return [];
    return [{ name: String(key.value), key, value }];
  });
}

/** Returns the last member of this name, as in JSON.parse. */
export function jsonMember(node: jsonc.Node, name: string): jsonc.Node | undefined {
  return jsonMembers(node).findLast((each) => each.name === name)?.value;
}

function placeOf({ offset, length }: LockFilePlace): LockFilePlace {
  return { offset, length };
}

function whole(text: string): LockFilePlace {
  return { offset: 0, length: text.length };
}

function unreadable(code: LockProblem['code'], place: LockFilePlace): LockFile {
  return { servers: new Map(), problems: [{ code, place: placeOf(place) }], isUnreadable: true };
}

/**
 * Larger definitions are represented by their fingerprint, because they are not readable in a
 * review.
 */
const maxDefinitionChars = 32_768;

/** The allowed members of a definition in a lock file. */
const definitionMembers: ReadonlySet<string> = new Set(toolFields);

/** A definition in a lock file, parsed when it is needed. */
class LockedDefinition {
  readonly #name: string;
  readonly #json: string;
  #tool: Tool | undefined;
  #fingerprint: Fingerprint | undefined;

  /** @param json an object with none but {@link definitionMembers} */
  constructor(name: string, json: string) {
    this.#name = name;
    this.#json = json;
  }

  get tool(): Tool {
    return (this.#tool ??= parseTool({ ...objectOf(this.#json), name: this.#name }));
  }

  get fingerprint(): Fingerprint {
    return (this.#fingerprint ??= toolFingerprint(this.tool));
  }
}

/**
 * Returns the formatted definition of a tool for a lock file. Invisible characters are escaped, so
 * that reviewers see them. Returns `undefined` if it is too large, or if reading it back yields
 * another definition.
 */
export function lockedText(tool: Tool): string | undefined {
  const fields = toolFields.flatMap((field) => {
    const value = tool[field];
    const isEmpty =
      value === undefined || (field === 'annotations' && Object.keys(value).length === 0);
    return isEmpty ? [] : [[field, value] as const];
  });
  const text = jsonTextOf(Object.fromEntries(fields))?.trimEnd();
  if (text === undefined || text.length > maxDefinitionChars) return undefined;
  const json = text.replaceAll(hidden, escapeOf);
  const isSame = new LockedDefinition(tool.name, json).fingerprint === toolFingerprint(tool);
  return isSame ? json : undefined;
}

/** Matches invisible characters except line breaks. */
const hidden = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

function escapeOf(sign: string): string {
  return [...Array(sign.length).keys()]
    .map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

function objectOf(json: string): object {
  const value = jsonOrAbsent(json) ?? jsonOrAbsent(stripComments(json));
  // For example a text with trailing commas, which no callable tool matches.
  return isObject(value) ? value : {};
}

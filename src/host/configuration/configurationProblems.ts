import { getNodePath, getNodeValue, type Node, findNodeAtLocation } from 'jsonc-parser';
import { sourceAt } from './configurationFormats';
import type { ConfigProblem, ConfigSource } from './serverConfig';
import {
  FileRefusedError,
  readRegularFile,
  readRegularFileSync,
  fileText,
} from '../../core/bounds/regularFile';
import { jsonTree, type TextRange } from './jsonTree';

export type ProblemCode = ConfigProblem['code'];

/** More problems in one configuration are not readable and slow to show. */
const maxProblems = 500;

/**
 * Collects the problems of one configuration with their positions: the first 500, and then one for
 * each further server that cannot start.
 */
export class ProblemList {
  readonly problems: ConfigProblem[] = [];
  readonly #stopped = new Set<string | undefined>();
  readonly #source: ConfigSource;
  /** Number of leading path segments that are not part of the setting. */
  readonly #hiddenSegments: number;
  readonly #hasPlaces: boolean;

  /** A setting is converted to text only for parsing, so offsets in that text are meaningless. */
  constructor(source: ConfigSource) {
    this.#source = source;
    this.#hasPlaces = 'path' in source;
    this.#hiddenSegments = this.#hasPlaces ? 0 : 1;
  }

  /** @param node the wrong value, or a property to report at its name */
  add(code: ProblemCode, node: Node, facts: ProblemFacts): void {
    if (!this.#isWanted(facts)) return;
    const place = node.type === 'property' ? (node.children?.[0] ?? node) : node;
    const path = getNodePath(place).slice(this.#hiddenSegments);
    const { offset, length } = place;
    this.problems.push({
      code,
      source: sourceAt(this.#source, path.length < 2 ? [] : path),
      path,
      ...(this.#hasPlaces ? { offset, length } : {}),
      ...facts,
    });
  }

  /** Adds a problem of the whole configuration. */
  addAtAll(
    code: ProblemCode,
    facts: ProblemFacts,
    range?: { offset: number; length: number },
  ): void {
    const place = this.#hasPlaces && range ? { offset: range.offset, length: range.length } : {};
    this.problems.push({ code, source: this.#source, path: [], ...place, ...facts });
  }

  #isWanted({ fatal, server }: ProblemFacts): boolean {
    const isWanted = this.problems.length < maxProblems || (fatal && !this.#stopped.has(server));
    if (fatal) this.#stopped.add(server);
    return isWanted;
  }
}

export interface ProblemFacts {
  readonly server?: string;
  readonly detail?: string;
  readonly line?: number;
  readonly fatal: boolean;
}

export interface Property {
  readonly name: string;
  /** The property node; its first child is the name. */
  readonly node: Node;
  readonly value: Node;
}

/**
 * Returns the properties of an object in order. Of duplicate names the last one counts, as in
 * JSON.parse. `onDuplicate` is called for the earlier ones.
 */
export function propertiesOf(object: Node, onDuplicate: (property: Property) => void): Property[] {
  const byName = new Map<string, Property>();
  for (const node of object.children ?? []) {
    const [key, value] = node.children ?? [];
    if (key === undefined || value === undefined) continue;
    const name = String(getNodeValue(key));
    const earlier = byName.get(name);
    if (earlier !== undefined) onDuplicate(earlier);
    byName.set(name, { name, node, value });
  }
  return [...byName.values()];
}

/** A larger file is a mistake that would slow the editor down. */
const maxFileBytes = 4 * 1024 * 1024;

/** No system accepts a larger environment. */
export const maxNamedFileBytes = 1024 * 1024;

/** The text of a file, or why it could not be read. */
export type ReadFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly code: ProblemCode; readonly detail?: string };

const codes: Readonly<Record<string, ProblemCode>> = {
  EISDIR: 'isFolder',
  EACCES: 'noPermission',
  EPERM: 'noPermission',
  ELOOP: 'linkLoop',
  // A pipe or a socket.
  ENXIO: 'notAFile',
};

/**
 * Reads a file as UTF-8, or as UTF-16 as PowerShell writes it, and removes the byte order mark.
 * Never waits for a pipe or a device, reads at most 4 MiB, and never rejects.
 */
export async function readConfiguration(path: string): Promise<ReadFile> {
  try {
    return { kind: 'text', text: fileText(await readRegularFile(path, maxFileBytes)) };
  } catch (error) {
    if (error instanceof FileRefusedError) return { kind: 'unreadable', code: error.refusal };
    return toUnreadable(error);
  }
}

/** Reads the text of a file that an entry names. @throws as {@link readRegularFileSync} does */
export function readNamedText(file: string): string {
  return fileText(readRegularFileSync(file, maxNamedFileBytes));
}

function toUnreadable(error: unknown): ReadFile {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  // ENOTDIR: a parent path is a file.
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
  const known = typeof code === 'string' ? codes[code] : undefined;
  if (known !== undefined) return { kind: 'unreadable', code: known };
  const detail = error instanceof Error ? error.message : String(error);
  return { kind: 'unreadable', code: 'unreadable', detail };
}

type Path = readonly (string | number)[];

/** Positions of the entries in the text of a configuration, which is parsed once. */
export class ServerEntries {
  readonly #root: Node | undefined;
  /** The first syntax error. Comments, trailing commas and an empty text are valid. */
  readonly error: TextRange | undefined;

  constructor(text: string) {
    const { root, error } = jsonTree(text);
    this.#root = root;
    this.error = error && { offset: error.offset, length: error.length };
  }

  /**
   * Returns the range of a problem. A problem that is known only after all files were read is shown
   * at its entry.
   */
  place({ code, offset, length = 0, path }: ConfigProblem): TextRange | undefined {
    if (offset !== undefined) return { offset, length };
    return code === 'shadowed' ? this.key(path) : this.value(path);
  }

  /** Returns the range of the value at `path`, with its name. */
  entry(path: Path): TextRange | undefined {
    const node = this.node(path);
    return rangeOf(node?.parent?.type === 'property' ? node.parent : node);
  }

  value(path: Path): TextRange | undefined {
    return path.length === 0 ? undefined : rangeOf(this.node(path));
  }

  /** Returns the range of the name of the entry at `path`. */
  key(path: Path): TextRange | undefined {
    if (path.length === 0) return undefined;
    const node = this.node(path);
    const property = node?.parent;
    return rangeOf(property?.type === 'property' ? property.children?.[0] : node);
  }

  node(path: Path): Node | undefined {
    return this.#root && findNodeAtLocation(this.#root, [...path]);
  }
}

function rangeOf(node: Node | undefined): TextRange | undefined {
  return node && { offset: node.offset, length: node.length };
}

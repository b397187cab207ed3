import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import { isObject } from '../../core/json/shapes';
import { fitsGlob, maxGlobChars, parseGlob, type Glob } from '../consent/rules/glob';

/** What a pattern with `*` or `?` lets through: every tool of the servers, or those that fit, too. */
interface SetPart {
  readonly server: Glob;
  /** Absent: all of them. */
  readonly tool?: Glob;
}

/** A named list of tools across servers. */
export interface ToolSet {
  /** As written, as far as it can be read. */
  readonly patterns: readonly string[];
  /** Those that stand for one server or tool: a server may list 20,000. */
  readonly exact: ReadonlySet<string>;
  readonly parts: readonly SetPart[];
}

export interface ParsedToolSets {
  readonly sets: ReadonlyMap<string, ToolSet>;
  /** Whether something is no set or no pattern; it lets nothing through. */
  readonly isWhole: boolean;
}

/** Ids of servers and names of tools may hold slashes of their own. */
const maxSlashes = 16;
const maxPatternChars = 2 * maxGlobChars + 1;
const maxPatterns = 2_000;
const maxSets = 100;
export const maxSetNameChars = 60;

/**
 * The sets of a setting: names, and lists of `server` or `server/tool`, with `*` and `?` as in rules.
 * What cannot be read is left out, so that a set never lets more through than it says.
 */
export function parseToolSets(value: unknown): ParsedToolSets {
  if (!isObject(value)) return { sets: new Map(), isWhole: value === undefined };
  const entries = Object.entries(value);
  const sets = new Map<string, ToolSet>();
  let isWhole = entries.length <= maxSets;
  for (const [name, list] of entries.slice(0, maxSets)) {
    const isNamed = name.trim() !== '' && name.length <= maxSetNameChars;
    const written: readonly unknown[] = Array.isArray(list) ? list : [];
    const patterns = written.slice(0, maxPatterns).filter(isPattern);
    isWhole &&= isNamed && Array.isArray(list) && patterns.length === written.length;
    if (isNamed) sets.set(name, toToolSet(patterns));
  }
  return { sets, isWhole };
}

function toToolSet(patterns: readonly string[]): ToolSet {
  const exact = new Set(patterns.filter((each) => !isWild(each)));
  return { patterns, exact, parts: patterns.filter(isWild).flatMap(partsOf) };
}

function isWild(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

function isPattern(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= maxPatternChars &&
    value.split('/').length <= maxSlashes + 1 &&
    !/^\/|\/$/.test(value) &&
    partsOf(value).length > 0
  );
}

/** The whole is a server, or what stands before one of its slashes is. */
function partsOf(pattern: string): readonly SetPart[] {
  const slashes = Array.from(pattern.matchAll(/\//g), ({ index }) => index);
  const whole = parseGlob(pattern);
  const split = slashes.flatMap((at) => {
    const server = parseGlob(pattern.slice(0, at));
    const tool = parseGlob(pattern.slice(at + 1));
    return server === undefined || tool === undefined ? [] : [{ server, tool }];
  });
  return [...(whole === undefined ? [] : [{ server: whole }]), ...split];
}

/** The pattern that stands for this tool alone; nothing where its names would be more than names. */
export function patternOfTool(server: string, tool: string): string | undefined {
  const pattern = `${server}/${tool}`;
  return isPattern(pattern) && !isWild(pattern) ? pattern : undefined;
}

/** The part of VS Code's memento that is needed. */
export interface ToolSetStorage {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** The sets as they are now, and when they may be others. */
export interface ToolSetSource {
  readonly current: { readonly toolSets: ReadonlyMap<string, ToolSet> };
  readonly onDidChange: (listener: () => void) => Disposable;
}

const storageKey = 'toolSet';

/**
 * The sets of the person and the one that counts in this workspace. It decides what is shown, to agents
 * and in the tree, and nothing about a call. One that was chosen and is gone shows nothing: what it
 * left out must not come back by itself.
 */
export class ToolSets implements Disposable {
  readonly #source: ToolSetSource;
  readonly #storage: ToolSetStorage;
  readonly #subscription: Disposable;
  /** Read once: it is asked for with each of 20,000 tools. */
  #chosen: string | undefined;
  #seen: string;

  readonly #onDidChange = new Emitter<void>();
  /** Other tools may be let through, or there are other sets. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(source: ToolSetSource, storage: ToolSetStorage) {
    this.#source = source;
    this.#storage = storage;
    const name = storage.get(storageKey);
    this.#chosen = typeof name === 'string' ? name : undefined;
    this.#seen = this.#state();
    this.#subscription = source.onDidChange(() => {
      const state = this.#state();
      if (state === this.#seen) return;
      this.#seen = state;
      this.#onDidChange.fire();
    });
  }

  get sets(): ReadonlyMap<string, ToolSet> {
    return this.#source.current.toolSets;
  }

  /** Name of the one that counts, which may be gone; absent: all tools are shown. */
  get chosen(): string | undefined {
    return this.#chosen;
  }

  /** `undefined`: all tools are shown again. */
  async choose(name: string | undefined): Promise<void> {
    await this.#storage.update(storageKey, name);
    this.#chosen = name;
    this.#seen = this.#state();
    this.#onDidChange.fire();
  }

  holds(server: string, tool: string): boolean {
    const { chosen } = this;
    if (chosen === undefined) return true;
    const set = this.sets.get(chosen);
    if (set === undefined) return false;
    return (
      set.exact.has(server) ||
      set.exact.has(`${server}/${tool}`) ||
      set.parts.some(
        (part) =>
          fitsGlob(part.server, server, false) &&
          (part.tool === undefined || fitsGlob(part.tool, tool, false)),
      )
    );
  }

  /** Whether it can hold a tool of this server. */
  mayHoldOf(server: string): boolean {
    const { chosen } = this;
    if (chosen === undefined) return true;
    const { exact, parts } = this.sets.get(chosen) ?? toToolSet([]);
    return (
      [...exact].some((each) => each === server || each.startsWith(`${server}/`)) ||
      parts.some((part) => fitsGlob(part.server, server, false))
    );
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  #state(): string {
    const sets = [...this.sets].map(([name, { patterns }]) => [name, patterns]);
    return JSON.stringify([this.chosen, sets]);
  }
}

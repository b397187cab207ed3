import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import { isObject } from '../../core/json/shapes';
import type { Memento } from '../storage/memento';
import { fitsGlob, maxGlobChars, parseGlob, type Glob } from '../consent/rules/glob';

/**
 * A pattern with `*` or `?`: it matches all tools of the matching servers, or the matching ones of
 * these.
 */
interface SetPart {
  readonly server: Glob;
  /** Defaults to all tools. */
  readonly tool?: Glob;
}

/** A named list of tools across servers. */
export interface ToolSet {
  /** The patterns as written, as far as they are valid. */
  readonly patterns: readonly string[];
  /** Patterns without wildcards. A set, because a server may list 20,000 tools. */
  readonly exact: ReadonlySet<string>;
  readonly parts: readonly SetPart[];
}

export interface ParsedToolSets {
  readonly sets: ReadonlyMap<string, ToolSet>;
  /** True if every part was valid. Invalid parts match nothing. */
  readonly isWhole: boolean;
}

/** Ids of servers and names of tools may contain slashes. */
const maxSlashes = 16;
const maxPatternChars = 2 * maxGlobChars + 1;
const maxPatterns = 2_000;
const maxSets = 100;
export const maxSetNameChars = 60;

/**
 * Parses the sets of a setting: names with lists of `server` or `server/tool`, with `*` and `?` as
 * in rules. Invalid parts are left out, so that a set never includes more than it says.
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

/**
 * A pattern is either a server id, or a server id before one of its slashes and a tool after it.
 */
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

/** Returns the pattern for this tool alone, or `undefined` if its names contain wildcards. */
export function toolPattern(server: string, tool: string): string | undefined {
  const pattern = `${server}/${tool}`;
  return isPattern(pattern) && !isWild(pattern) ? pattern : undefined;
}

/** Provides the current sets and their changes. */
export interface ToolSetSource {
  readonly current: { readonly toolSets: ReadonlyMap<string, ToolSet> };
  readonly onDidChange: (listener: () => void) => Disposable;
}

const storageKey = 'toolSet';

/**
 * The user's tool sets and the one chosen in this workspace. It decides which tools agents and the
 * tree show, and nothing about a call. A chosen set that was deleted shows nothing, because the
 * tools that it left out must not reappear automatically.
 */
export class ToolSets implements Disposable {
  readonly #source: ToolSetSource;
  readonly #storage: Memento;
  readonly #subscription: Disposable;
  /** Cached, because it is read for each of 20,000 tools. */
  #chosen: string | undefined;
  #seen: string;

  readonly #onDidChange = new Emitter<void>();
  /** Fires when the visible tools or the sets may have changed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(source: ToolSetSource, storage: Memento) {
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

  /** Name of the chosen set, which may have been deleted; `undefined` if all tools are shown. */
  get chosen(): string | undefined {
    return this.#chosen;
  }

  /** Chooses a set; `undefined` shows all tools again. */
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

  /** Returns true if the chosen set can contain a tool of this server. */
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

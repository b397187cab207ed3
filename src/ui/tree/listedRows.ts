import type { ServerPrompt } from '../../core/parse/promptsAndResources';
import type { Skill, SkillFile } from '../../core/skills/skill';
import type { Resource, ResourceTemplate } from '../../core/types';
import { noMarks, type ToolMarks } from '../../host/consent/pins/pinFileFormat';
import type { Listing, ResourceEntry, ServerLists } from '../../host/resources/serverLists';
import {
  rowKey,
  type AnyListedRow,
  type BranchName,
  type BranchPageRow,
  type BranchRow,
  type EntryRow,
  type ListNote,
  type ListNoteRow,
  type ServerPromptRow,
  type SkillFileRow,
  type SkillRow,
  type ResourceRow,
  type Row,
  type TemplateRow,
} from './treeRows';

/** An entry of a list that has a row of its own. */
export type ListedEntry = ResourceEntry | ServerPrompt | Skill;

/** The part of the lists that the tree reads. */
export type ListsView<Entry = ListedEntry> = Pick<
  ServerLists<Entry, never>,
  'has' | 'of' | 'want' | 'onDidChange'
>;

/** The lists of each branch, in the order in which the branches are shown. */
type BranchLists = Readonly<Record<BranchName, Omit<ListsView, 'onDidChange'>>>;

const maxAddressInKeyChars = 300;
/**
 * Maximum number of characters of a description that are searched. Descriptions have no limit of
 * their own.
 */
const maxSearchedChars = 4_000;

interface ListedRowsOf {
  readonly of: Listing<ListedEntry>;
  readonly words: readonly string[];
  readonly rows: readonly EntryRow[];
}

export function isListedRow(row: Row): row is AnyListedRow {
  return 'branch' in row;
}

/**
 * The rows of what a server lists besides tools: a branch for each kind. Reading the children of a
 * branch for the first time requests its list.
 */
export class ListedRows {
  readonly #lists: BranchLists;
  readonly skillMarks: (serverId: string) => ToolMarks;
  readonly #branches = new Map<string, BranchRow>();
  readonly #listed = new Map<string, ListedRowsOf>();
  readonly #pages = new Map<string, BranchPageRow>();
  readonly #entries = new WeakMap<AnyListedRow, ListedEntry>();
  readonly #fileRowsOf = new WeakMap<SkillRow, readonly SkillFileRow[]>();
  readonly #skillFiles = new WeakMap<SkillFileRow, { skill: SkillRow; file: SkillFile }>();
  #words: readonly string[] = [];
  #isHidden = false;

  /** @param skillMarks How skills differ from the accepted ones. */
  constructor(lists: BranchLists, skillMarks: (serverId: string) => ToolMarks = () => noMarks) {
    this.#lists = lists;
    this.skillMarks = skillMarks;
  }

  /** A filter by risk applies to tools only, so it hides all branches. */
  setFilter(words: readonly string[], isByRisk: boolean): void {
    this.#words = words;
    this.#isHidden = isByRisk;
  }

  listed({ serverId, branch }: Pick<BranchRow, 'serverId' | 'branch'>): Listing<ListedEntry> {
    return this.#lists[branch].of(serverId);
  }

  /** Returns the lists of a server, which are the same objects until something changes. */
  listings(serverId: string): readonly unknown[] {
    return Object.values(this.#lists).map((lists) => lists.of(serverId));
  }

  /** Returns the rows of the branches that are not hidden. */
  branches(serverId: string): readonly BranchRow[] {
    if (this.#isHidden) return [];
    return branchNames.flatMap((branch) => {
      const lists = this.#lists[branch];
      if (!lists.has(serverId)) return [];
      const row = this.#branchRow(serverId, branch);
      if (this.#words.length > 0) {
        // A search needs the lists; the branch is hidden until they have arrived.
        lists.want(serverId);
        if (this.counts(row).shown === 0) return [];
      }
      return [row];
    });
  }

  children(row: AnyListedRow): readonly Row[] {
    if (row.kind === 'branchPage') return pageOf(this.#rowsOf(row).rows, row.index);
    if (row.kind === 'skill') return this.#fileRows(row);
    if (row.kind !== 'branch') return [];
    const { serverId, branch } = row;
    this.#lists[branch].want(serverId);
    const pages = paged(this.#rowsOf(row).rows, (index) => this.#pageRow(row, index));
    return [...this.#notes(row), ...pages];
  }

  parent(row: AnyListedRow): Row | undefined {
    if (row.kind === 'branch') return undefined;
    if (row.kind === 'skillFile') return this.#skillFiles.get(row)?.skill;
    const branch = this.#branchRow(row.serverId, row.branch);
    if (row.kind === 'branchPage' || row.kind === 'listNote') return branch;
    const page = pageIndexOf(this.#rowsOf(row).rows, row);
    return page === undefined ? branch : this.#pageRow(branch, page);
  }

  anyEntry(row: AnyListedRow): ListedEntry | undefined {
    return this.#entries.get(row);
  }

  resource(row: ResourceRow): Resource | undefined {
    const entry = this.#entries.get(row);
    return entry !== undefined && 'uri' in entry && !('frontmatter' in entry) ? entry : undefined;
  }

  template(row: TemplateRow): ResourceTemplate | undefined {
    const entry = this.#entries.get(row);
    return entry !== undefined && 'uriTemplate' in entry ? entry : undefined;
  }

  skill(row: SkillRow): Skill | undefined {
    const entry = this.#entries.get(row);
    return entry !== undefined && 'frontmatter' in entry ? entry : undefined;
  }

  skillMark({ serverId, uri }: SkillRow): 'new' | 'changed' | undefined {
    const marks = this.skillMarks(serverId);
    if (marks.new.has(uri)) return 'new';
    return marks.changed.has(uri) ? 'changed' : undefined;
  }

  /** Returns the listed file of a row. */
  skillFile(row: SkillFileRow): SkillFile | undefined {
    return this.#skillFiles.get(row)?.file;
  }

  prompt(row: ServerPromptRow): ServerPrompt | undefined {
    const entry = this.#entries.get(row);
    return entry !== undefined && 'arguments' in entry ? entry : undefined;
  }

  /** Returns how many entries match the filter, and how many there are. */
  counts(row: BranchRow): { readonly shown: number; readonly all: number } {
    return { shown: this.#rowsOf(row).rows.length, all: this.listed(row).entries.length };
  }

  /** Returns the first and the last position on a page, counted from 1. */
  pageBounds(row: BranchPageRow): { readonly first: number; readonly last: number } {
    return pageBounds(row.index, this.children(row).length);
  }

  forget(serverId: string): void {
    for (const branch of branchNames) {
      const key = rowKey(branch, serverId);
      this.#branches.delete(key);
      this.#listed.delete(key);
    }
    for (const [key, row] of this.#pages) if (row.serverId === serverId) this.#pages.delete(key);
  }

  #fileRows(row: SkillRow): readonly SkillFileRow[] {
    const { files = [] } = this.skill(row) ?? {};
    if (files === 'dynamic') return [];
    const known = this.#fileRowsOf.get(row);
    if (known !== undefined) return known;
    const { serverId } = row;
    const folder = row.uri.lastIndexOf('/') + 1;
    const namesakes = new DuplicateTitles();
    const rows = files
      .filter(({ uri }) => uri !== row.uri)
      .map((file): SkillFileRow => {
        const { uri } = file;
        const inKey = uri.slice(0, maxAddressInKeyChars);
        const key = rowKey('skillFile', row.key, inKey, namesakes.next(inKey));
        const name = uri.slice(folder);
        const child = { kind: 'skillFile', branch: 'skills', key, serverId, uri, name } as const;
        this.#skillFiles.set(child, { skill: row, file });
        return child;
      });
    this.#fileRowsOf.set(row, rows);
    return rows;
  }

  #notes(row: BranchRow): readonly ListNoteRow[] {
    const { serverId, branch } = row;
    const { state, error, problems } = this.listed(row);
    const { shown, all } = this.counts(row);
    const notes: ListNote[] = [
      ...(error === undefined ? [] : [{ kind: 'failed', error } as const]),
      ...problems.map((problem) => ({ kind: 'problem', problem }) as const),
    ];
    if (state !== 'listed') notes.push({ kind: 'listing' });
    else if (shown === 0 && all > 0) notes.push({ kind: 'noMatch' });
    else if (all === 0 && error === undefined) notes.push({ kind: 'none' });
    return notes.map((note, index) => {
      const key = rowKey('listNote', branch, serverId, note.kind, index);
      return { kind: 'listNote', key, serverId, branch, note };
    });
  }

  /** Snapshots are immutable, so rows stay valid until the snapshot or the filter changes. */
  #rowsOf(at: Pick<BranchRow, 'serverId' | 'branch'>): ListedRowsOf {
    const { serverId, branch } = at;
    const of = this.listed(at);
    const branchKey = rowKey(branch, serverId);
    const known = this.#listed.get(branchKey);
    if (known?.of === of && known.words === this.#words) return known;
    const namesakes = new DuplicateTitles();
    const rows = of.entries.map((entry): EntryRow => {
      const target = targetOf(entry);
      const inKey = `${target.kind} ${addressOf(entry).slice(0, maxAddressInKeyChars)}`;
      const key = rowKey(inKey, serverId, namesakes.next(inKey));
      const row: EntryRow = { ...target, key, serverId };
      this.#entries.set(row, entry);
      return row;
    });
    const shown = rows.filter((_, index) => this.#matches(of.entries[index]));
    const listed = { of, words: this.#words, rows: shown };
    this.#listed.set(branchKey, listed);
    return listed;
  }

  #matches(entry: ListedEntry | undefined): boolean {
    if (this.#words.length === 0 || entry === undefined) return true;
    const title = 'title' in entry ? entry.title : undefined;
    const text = [entry.name, title, entry.description, addressOf(entry)]
      .map((part) => part?.slice(0, maxSearchedChars).toLowerCase() ?? '')
      .join('\n');
    return this.#words.every((word) => text.includes(word));
  }

  #branchRow(serverId: string, branch: BranchName): BranchRow {
    const key = rowKey(branch, serverId);
    let row = this.#branches.get(key);
    if (row === undefined) {
      row = { kind: 'branch', key, serverId, branch };
      this.#branches.set(key, row);
    }
    return row;
  }

  #pageRow({ serverId, branch }: BranchRow, index: number): BranchPageRow {
    const key = rowKey('branchPage', branch, serverId, index);
    let row = this.#pages.get(key);
    if (row === undefined) {
      row = { kind: 'branchPage', key, serverId, branch, index };
      this.#pages.set(key, row);
    }
    return row;
  }
}

export const branchNames: readonly BranchName[] = ['resources', 'prompts', 'skills'];

function addressOf(entry: ListedEntry): string {
  if ('uri' in entry) return entry.uri;
  return 'uriTemplate' in entry ? entry.uriTemplate : entry.name;
}

/** Returns what tells the row of an entry from others. */
function targetOf(entry: ListedEntry) {
  if ('frontmatter' in entry) return { kind: 'skill', branch: 'skills', uri: entry.uri } as const;
  if ('uri' in entry) return { kind: 'resource', branch: 'resources', uri: entry.uri } as const;
  return 'uriTemplate' in entry
    ? ({ kind: 'template', branch: 'resources', uriTemplate: entry.uriTemplate } as const)
    : ({ kind: 'prompt', branch: 'prompts', promptName: entry.name } as const);
}

/**
 * Longer lists are split into pages: VS Code reads all children of a row at once, after each change
 * and each letter of the filter. 20,000 rows in one list took 1.1 s with a stall of 160 ms; in
 * pages they took 85 ms without a stall.
 */
const maxUngrouped = 2_000;
const pageSize = 1_000;

/** Returns the rows, or one row for each page if they are too many for one parent. */
function paged<Item, Page>(
  rows: readonly Item[],
  pageRow: (index: number) => Page,
): readonly (Item | Page)[] {
  const length = pageCount(rows.length);
  return length === 0 ? rows : Array.from({ length }, (_, index) => pageRow(index));
}

/** Returns the number of pages for this many rows, or 0 if they fit below one parent. */
export function pageCount(length: number): number {
  return length <= maxUngrouped ? 0 : Math.ceil(length / pageSize);
}

export function pageOf<Item>(rows: readonly Item[], index: number): readonly Item[] {
  return rows.slice(index * pageSize, (index + 1) * pageSize);
}

/**
 * Returns the page of a row, or `undefined` if there are no pages or the row is not in the list.
 */
function pageIndexOf<Item>(rows: readonly Item[], row: Item): number | undefined {
  return pageCount(rows.length) === 0 ? undefined : pageIndexAt(rows.indexOf(row));
}

/** Returns the page of the row at this index, or `undefined` for a negative index. */
export function pageIndexAt(place: number): number | undefined {
  return place < 0 ? undefined : Math.floor(place / pageSize);
}

/** Returns the first and the last position on a page, counted from 1. */
export function pageBounds(
  index: number,
  length: number,
): { readonly first: number; readonly last: number } {
  const start = index * pageSize;
  return { first: start + 1, last: start + length };
}

/** Counts how often a title was seen before, so that equal titles can be told apart. */
export class DuplicateTitles {
  readonly #seen = new Map<string, number>();

  next(name: string): number {
    const nth = this.#seen.get(name) ?? 0;
    this.#seen.set(name, nth + 1);
    return nth;
  }

  has(name: string): boolean {
    return this.#seen.has(name);
  }
}

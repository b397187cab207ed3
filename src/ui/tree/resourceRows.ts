import type { Resource, ResourceTemplate } from '../../core/types';
import { type ResourceLists, type ServerResources } from '../../host/resources/resourceLists';
import { DuplicateTitles, pageBounds, paged, pageIndexOf, pageOf } from './pages';
import {
  rowKey,
  type AnyResourceRow,
  type ResourceGroupRow,
  type ResourceNote,
  type ResourceNoteRow,
  type ResourceRow,
  type ResourcesRow,
  type Row,
  type TemplateRow,
} from './treeRows';

/** The part of the resource lists that the tree reads. */
export type ResourceListsView = Pick<ResourceLists, 'has' | 'of' | 'want'>;

const maxAddressInKeyChars = 300;
/**
 * Maximum number of characters of a description that are searched. Descriptions have no limit of
 * their own.
 */
const maxSearchedChars = 4_000;

interface Listed {
  readonly of: ServerResources;
  readonly words: readonly string[];
  readonly templates: readonly TemplateRow[];
  readonly resources: readonly ResourceRow[];
}

export function isResourceRow(row: Row): row is AnyResourceRow {
  return resourceKinds.has(row.kind);
}

const resourceKinds: ReadonlySet<Row['kind']> = new Set<AnyResourceRow['kind']>([
  'resources',
  'resourceGroup',
  'resource',
  'template',
  'resourceNote',
]);

/**
 * The rows of the resources below each server. Reading the children of a branch for the first time
 * requests the lists.
 */
export class ResourceRows {
  readonly #lists: ResourceListsView;
  readonly #branches = new Map<string, ResourcesRow>();
  readonly #listed = new Map<string, Listed>();
  readonly #groups = new Map<string, ResourceGroupRow>();
  readonly #entries = new WeakMap<ResourceRow | TemplateRow, Resource | ResourceTemplate>();
  #words: readonly string[] = [];
  #isHidden = false;

  constructor(lists: ResourceListsView) {
    this.#lists = lists;
  }

  /** A filter by risk applies to tools only, so it hides all resources. */
  setFilter(words: readonly string[], isByRisk: boolean): void {
    this.#words = words;
    this.#isHidden = isByRisk;
  }

  listed(serverId: string): ServerResources {
    return this.#lists.of(serverId);
  }

  /** Returns the row of the branch, or no row if it is hidden. */
  branch(serverId: string): readonly ResourcesRow[] {
    if (this.#isHidden || !this.#lists.has(serverId)) return [];
    if (this.#words.length > 0) {
      // A search needs the lists; the branch is hidden until they have arrived.
      this.#lists.want(serverId);
      if (this.counts(serverId).shown === 0) return [];
    }
    return [this.#branchRow(serverId)];
  }

  children(row: AnyResourceRow): readonly Row[] {
    const { serverId } = row;
    if (row.kind === 'resourceGroup') {
      return pageOf(this.#rowsOf(serverId).resources, row.index);
    }
    if (row.kind !== 'resources') return [];
    this.#lists.want(serverId);
    const { resources, templates } = this.#rowsOf(serverId);
    const pages = paged(resources, (index) => this.#groupRow(serverId, index));
    return [...this.#notes(serverId), ...templates, ...pages];
  }

  parent(row: AnyResourceRow): Row | undefined {
    if (row.kind === 'resources') return undefined;
    const branch = this.#branchRow(row.serverId);
    if (row.kind !== 'resource') return branch;
    const page = pageIndexOf(this.#rowsOf(row.serverId).resources, row);
    return page === undefined ? branch : this.#groupRow(row.serverId, page);
  }

  resource(row: ResourceRow): Resource | undefined {
    const entry = this.#entries.get(row);
    return entry !== undefined && 'uri' in entry ? entry : undefined;
  }

  template(row: TemplateRow): ResourceTemplate | undefined {
    const entry = this.#entries.get(row);
    return entry !== undefined && 'uriTemplate' in entry ? entry : undefined;
  }

  /** Returns how many resources match the filter, and how many there are. */
  counts(serverId: string): { readonly shown: number; readonly all: number } {
    const { resources, templates } = this.#rowsOf(serverId);
    const listed = this.#lists.of(serverId);
    return {
      shown: resources.length + templates.length,
      all: listed.resources.length + listed.templates.length,
    };
  }

  /** Returns the first and the last position on a page, counted from 1. */
  groupBounds(row: ResourceGroupRow): { readonly first: number; readonly last: number } {
    return pageBounds(row.index, this.children(row).length);
  }

  forget(serverId: string): void {
    this.#branches.delete(serverId);
    this.#listed.delete(serverId);
    for (const [key, row] of this.#groups) if (row.serverId === serverId) this.#groups.delete(key);
  }

  #notes(serverId: string): readonly ResourceNoteRow[] {
    const { state, error, problems } = this.#lists.of(serverId);
    const { shown, all } = this.counts(serverId);
    const notes: ResourceNote[] = [
      ...(error === undefined ? [] : [{ kind: 'failed', error } as const]),
      ...problems.map((problem) => ({ kind: 'problem', problem }) as const),
    ];
    if (state !== 'listed') notes.push({ kind: 'listing' });
    else if (shown === 0 && all > 0) notes.push({ kind: 'noMatch' });
    else if (all === 0 && error === undefined) notes.push({ kind: 'none' });
    return notes.map((note, index) => {
      const key = rowKey('resourceNote', serverId, note.kind, index);
      return { kind: 'resourceNote', key, serverId, note };
    });
  }

  /** Snapshots are immutable, so rows stay valid until the snapshot or the filter changes. */
  #rowsOf(serverId: string): Listed {
    const of = this.#lists.of(serverId);
    const known = this.#listed.get(serverId);
    if (known?.of === of && known.words === this.#words) return known;
    const namesakes = new DuplicateTitles();
    const keyFor = (kind: string, address: string): string => {
      const inKey = `${kind} ${address.slice(0, maxAddressInKeyChars)}`;
      return rowKey(inKey, serverId, namesakes.next(inKey));
    };
    const templates = of.templates.map((template): TemplateRow => {
      const { uriTemplate } = template;
      const key = keyFor('template', uriTemplate);
      const row: TemplateRow = { kind: 'template', key, serverId, uriTemplate };
      this.#entries.set(row, template);
      return row;
    });
    const resources = of.resources.map((resource): ResourceRow => {
      const { uri } = resource;
      const row: ResourceRow = { kind: 'resource', key: keyFor('resource', uri), serverId, uri };
      this.#entries.set(row, resource);
      return row;
    });
    const listed = {
      of,
      words: this.#words,
      templates: templates.filter((_, index) => this.#matches(of.templates[index])),
      resources: resources.filter((_, index) => this.#matches(of.resources[index])),
    };
    this.#listed.set(serverId, listed);
    return listed;
  }

  #matches(entry: Resource | ResourceTemplate | undefined): boolean {
    if (this.#words.length === 0 || entry === undefined) return true;
    const address = 'uri' in entry ? entry.uri : entry.uriTemplate;
    const text = [entry.name, entry.title, entry.description, address]
      .map((part) => part?.slice(0, maxSearchedChars).toLowerCase() ?? '')
      .join('\n');
    return this.#words.every((word) => text.includes(word));
  }

  #branchRow(serverId: string): ResourcesRow {
    let row = this.#branches.get(serverId);
    if (row === undefined) {
      row = { kind: 'resources', key: rowKey('resources', serverId), serverId };
      this.#branches.set(serverId, row);
    }
    return row;
  }

  #groupRow(serverId: string, index: number): ResourceGroupRow {
    const key = rowKey('resourceGroup', serverId, index);
    let row = this.#groups.get(key);
    if (row === undefined) {
      row = { kind: 'resourceGroup', key, serverId, index };
      this.#groups.set(key, row);
    }
    return row;
  }
}

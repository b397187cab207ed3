import type { Server, ToolEntry } from '../../host/connections/snapshot';
import { noMarks, type ToolMarks } from '../../host/consent/pins/pinMarks';
import type { Branch } from './branches';
import type { ResourceLook } from './resourceItems';
import type { Opening } from './serverRowState';
import type {
  AnyResourceRow,
  GoneRow,
  NoMatchRow,
  OriginRow,
  ProblemRow,
  ServerRow,
  ToolRow,
} from './treeRows';

export interface ServerRowFacts {
  readonly kind: 'server';
  readonly row: ServerRow;
  /** Absent when it was removed since the view asked for its row, as for tools and problems. */
  readonly server: Server | undefined;
  readonly marks: ToolMarks;
  /** How many of its tools the filter lets through. */
  readonly shownTools: number;
  readonly opening: Opening;
}

export interface GroupRowFacts {
  readonly kind: 'group';
  /** Counted from 1. */
  readonly first: number;
  readonly last: number;
  /** The names of the first tool on the page, and of the last. */
  readonly ends: readonly string[];
}

export interface ToolRowFacts {
  readonly kind: 'tool';
  readonly row: ToolRow;
  /** What the filter looks for, to be marked in the label. */
  readonly words: readonly string[];
  readonly entry: ToolEntry | undefined;
  /** How the tool differs from what was accepted, if it does. */
  readonly mark: 'new' | 'changed' | undefined;
  /** Its server does not run, and listed it last. */
  readonly isLastKnown: boolean;
  /** Its texts hold characters that nobody sees. */
  readonly isHiding: boolean;
}

/** What one row shows: everything that the tree has to be asked about it, at once. */
export type TreeRowFacts =
  | { readonly kind: 'origin'; readonly row: OriginRow; readonly servers: number }
  | ServerRowFacts
  | GroupRowFacts
  | ToolRowFacts
  | { readonly kind: 'gone'; readonly row: GoneRow; readonly words: readonly string[] }
  | { readonly kind: 'problem'; readonly row: ProblemRow; readonly server: Server | undefined }
  | { readonly kind: 'noMatch'; readonly because: NoMatchRow['because'] }
  | { readonly kind: 'toStart' }
  | { readonly kind: 'ofResources'; readonly row: AnyResourceRow; readonly look: ResourceLook };

/** Of a page that there is no more; the next refresh takes it away. */
export const noPage = { first: 0, last: 0, ends: [] } as const;

export function serverFacts(
  row: ServerRow,
  branch: Branch | undefined,
  opening: Opening = 'None',
): ServerRowFacts {
  const { server, marks = noMarks, shown } = branch ?? {};
  return { kind: 'server', row, server, marks, shownTools: shown?.length ?? 0, opening };
}

export function toolFacts(
  row: ToolRow,
  entry: ToolEntry | undefined,
  branch: Branch | undefined,
  about: Pick<ToolRowFacts, 'words' | 'isHiding'>,
): ToolRowFacts {
  const mark = shownMarkOf(entry, branch?.marks);
  return { kind: 'tool', row, entry, mark, isLastKnown: branch?.isLastKnown === true, ...about };
}

/** How the tool differs from what was accepted, if it does. */
export function shownMarkOf(
  entry: ToolEntry | undefined,
  marks: ToolMarks = noMarks,
): 'new' | 'changed' | undefined {
  // A twin of the same name cannot be called, and nothing of it was accepted.
  if (entry?.tool.callable !== true) return undefined;
  if (marks.changed.has(entry.tool.name)) return 'changed';
  return marks.new.has(entry.tool.name) ? 'new' : undefined;
}

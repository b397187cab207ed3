import { assertNever } from '../../core/errors';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import type { ToolMarks } from '../../host/consent/pins/pinMarks';
import type { ResourceLook } from './resourceItems';
import type { Opening } from './serverRowState';
import type { TreeModel } from './treeModel';
import type {
  AnyResourceRow,
  GoneRow,
  OriginRow,
  ProblemRow,
  Row,
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
  /** The first row on the page, and the last. */
  readonly ends: readonly (Row | undefined)[];
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
}

/** What one row shows: everything that the tree has to be asked about it, at once. */
export type TreeRowFacts =
  | { readonly kind: 'origin'; readonly row: OriginRow; readonly servers: number }
  | ServerRowFacts
  | GroupRowFacts
  | ToolRowFacts
  | { readonly kind: 'gone'; readonly row: GoneRow; readonly words: readonly string[] }
  | { readonly kind: 'problem'; readonly row: ProblemRow; readonly server: Server | undefined }
  | { readonly kind: 'noMatch' | 'toStart' }
  | { readonly kind: 'ofResources'; readonly row: AnyResourceRow; readonly look: ResourceLook };

/** All that is shown of a row without pointing at it, as it is now. */
export function rowFactsOf(row: Row, model: TreeModel): TreeRowFacts {
  const { words } = model;
  switch (row.kind) {
    case 'origin':
      return { kind: row.kind, row, servers: model.children(row).length };
    case 'server':
      return {
        kind: row.kind,
        row,
        server: model.server(row),
        marks: model.marks(row.serverId),
        shownTools: model.shownTools(row.serverId),
        opening: model.firstOpening(row),
      };
    case 'group': {
      const tools = model.children(row);
      return { kind: row.kind, ...model.groupBounds(row), ends: [tools.at(0), tools.at(-1)] };
    }
    case 'tool': {
      const isLastKnown = model.isLastKnown(row.serverId);
      const about = { entry: model.entry(row), mark: model.mark(row), isLastKnown };
      return { kind: row.kind, row, words, ...about };
    }
    case 'gone':
      return { kind: row.kind, row, words };
    case 'problem':
      return { kind: row.kind, row, server: model.server(row) };
    case 'noMatch':
    case 'toStart':
      return { kind: row.kind };
    case 'resources':
    case 'resourceGroup':
    case 'resource':
    case 'template':
    case 'resourceNote':
      return { kind: 'ofResources', row, look: model.resourceLook };
    default:
      return assertNever(row);
  }
}

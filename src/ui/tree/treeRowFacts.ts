import type { Server, ToolEntry } from '../../host/connections/snapshot';
import { noMarks, type ToolMarks } from '../../host/consent/pins/pinMarks';
import type { Opening } from './serverRowState';

/** What the tree has to be asked for to draw the row of a server. */
export interface ServerRowFacts {
  /** Absent when it was removed since the view asked for its row. */
  readonly server: Server | undefined;
  readonly marks: ToolMarks;
  /** How many of its tools the filter lets through. */
  readonly shownTools: number;
  readonly opening: Opening;
}

export interface ToolPageFacts {
  /** Counted from 1. */
  readonly first: number;
  readonly last: number;
  /** The names of the first tool on the page, and of the last. */
  readonly ends: readonly string[];
}

export interface ToolRowFacts {
  /** Absent when it was removed since the view asked for its row. */
  readonly entry: ToolEntry | undefined;
  /** How the tool differs from what was accepted, if it does. */
  readonly mark: 'new' | 'changed' | undefined;
  /** Its server does not run, and listed it last. */
  readonly isLastKnown: boolean;
  /** Its texts hold characters that nobody sees. */
  readonly isHiding: boolean;
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

import type { Journal } from '../../host/journal/journal';
import type { JournalRow } from '../../host/journal/journalRows';
import { rowFacts, matchesFilter, sinceTime, type JournalFilter } from './journalFilter';

/** Content of the journal document at one moment. */
export interface JournalView {
  /** Newest first, at most as many as requested. */
  readonly rows: readonly JournalRow[];
  /** Number of rows that match the filter. */
  readonly matching: number;
  /** Number of rows that were read. */
  readonly total: number;
  /** False if there are older rows that were not read. */
  readonly isComplete: boolean;
  readonly choices: JournalChoices;
}

/** Values that occur in the journal and can be filtered by, newest first. */
export interface JournalChoices {
  readonly servers: readonly string[];
  readonly tools: readonly string[];
  readonly origins: readonly string[];
}

/** Counting this many entries takes a second or two. */
const maxLookedAt = 100_000;
/** Longer lists are not useful in a picker. */
const maxChoices = 200;

/** Reads the rows that match the filter. @throws the error of the file system for the folder */
export async function readJournal(
  journal: Pick<Journal, 'rows'>,
  filter: JournalFilter,
  limit: number,
  now: number,
): Promise<JournalView> {
  const rows: JournalRow[] = [];
  const choices = {
    servers: new Set<string>(),
    tools: new Set<string>(),
    origins: new Set<string>(),
  };
  const since = sinceTime(filter, now);
  let matching = 0;
  let total = 0;
  let isComplete = true;
  for await (const row of journal.rows()) {
    if (total >= maxLookedAt) {
      isComplete = false;
      break;
    }
    total += 1;
    const { server, tools, origin } = rowFacts(row);
    addChoice(choices.servers, server);
    for (const tool of tools) addChoice(choices.tools, tool);
    addChoice(choices.origins, origin);
    if (row.at < since || !matchesFilter(row, filter)) continue;
    matching += 1;
    if (rows.length < limit) rows.push(row);
  }
  return {
    rows,
    matching,
    total,
    isComplete,
    choices: {
      servers: [...choices.servers],
      tools: [...choices.tools],
      origins: [...choices.origins],
    },
  };
}

function addChoice(choices: Set<string>, choice: string | undefined): void {
  if (choice !== undefined && choices.size < maxChoices) choices.add(choice);
}

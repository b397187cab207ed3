import type { Journal } from '../../host/journal/journal';
import type { JournalRow } from '../../host/journal/journalRows';
import { factsOf, matches, sinceTime, type JournalFilter } from './journalFilter';

/** What is shown of the journal at one moment. */
export interface JournalView {
  /** Newest first, at most as many as were asked for. */
  readonly rows: readonly JournalRow[];
  /** All that the filter lets through. */
  readonly matching: number;
  /** All that was looked at. */
  readonly total: number;
  /** Otherwise there is more that was not looked at. */
  readonly isComplete: boolean;
  readonly choices: JournalChoices;
}

/** What one can filter by, because it is there; the newest first. */
export interface JournalChoices {
  readonly servers: readonly string[];
  readonly tools: readonly string[];
  readonly origins: readonly string[];
}

/** So many that counting them takes a second or two. */
const maxLookedAt = 100_000;
/** More than a person goes through in a list. */
const maxChoices = 200;

/** Reads what the filter lets through. @throws what the file system throws for the folder */
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
    const { server, tools, origin } = factsOf(row);
    addChoice(choices.servers, server);
    for (const tool of tools) addChoice(choices.tools, tool);
    addChoice(choices.origins, origin);
    if (row.at < since || !matches(row, filter)) continue;
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

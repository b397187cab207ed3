import { assertNever } from '../../core/errors';
import type { Journal } from '../../host/journal/journal';
import type { JournalRow } from '../../host/journal/journalRows';

/** How a call was decided, as the user sees it. */
export const decisionKinds = ['allowed', 'run', 'no', 'denied', 'refused'] as const;
export type DecisionKind = (typeof decisionKinds)[number];

/** How a call ended. `none` means that it was not sent or has not ended. */
export const outcomeKinds = ['result', 'toolError', 'failed', 'cancelled', 'none'] as const;
export type OutcomeKind = (typeof outcomeKinds)[number];

export const sinceKinds = ['hour', 'day', 'week', 'month'] as const;
export type SinceKind = (typeof sinceKinds)[number];

/** Filter of the journal. An empty list restricts nothing. */
export interface JournalFilter {
  /** Ids. */
  readonly servers: readonly string[];
  readonly tools: readonly string[];
  readonly decisions: readonly DecisionKind[];
  readonly outcomes: readonly OutcomeKind[];
  readonly origins: readonly string[];
  readonly since?: SinceKind;
}

export const noJournalFilter: JournalFilter = {
  servers: [],
  tools: [],
  decisions: [],
  outcomes: [],
  origins: [],
};

/** The conditions of a filter that are lists. */
export const filterLists = ['servers', 'tools', 'decisions', 'outcomes', 'origins'] as const;

export function isFilteringJournal(filter: JournalFilter): boolean {
  return filter.since !== undefined || filterLists.some((key) => filter[key].length > 0);
}

/**
 * The facts that a filter checks. An entry that is not a call has no decision, outcome or origin.
 */
interface RowFacts {
  readonly server?: string;
  readonly tools: readonly string[];
  readonly decision?: DecisionKind;
  readonly outcome?: OutcomeKind;
  readonly origin?: string;
}

export function rowFacts(row: JournalRow): RowFacts {
  switch (row.kind) {
    case 'call': {
      const { server, tool, origin } = row.decision;
      const outcome = row.outcome?.outcome;
      return {
        server: server.id,
        tools: [tool.name],
        decision: decisionKind(row),
        outcome:
          outcome === undefined || outcome === 'denied' || outcome === 'windowEnded'
            ? 'none'
            : outcome,
        origin,
      };
    }
    case 'refused': {
      const { server, tool, origin } = row.refused;
      return { server, tools: [tool], decision: 'refused', outcome: 'none', origin };
    }
    case 'other': {
      const { entry } = row;
      if (entry.kind === 'permission') return { server: entry.server, tools: entry.tools };
      if (entry.kind === 'trust') return { server: entry.server.id, tools: [] };
      if (entry.kind === 'authorization') return { server: entry.server, tools: [] };
      if (entry.kind === 'read') return { server: entry.server, tools: [entry.prompt] };
      if (entry.kind === 'pin') return { server: entry.server, tools: [entry.tool.name] };
      return { tools: [] };
    }
    case 'unreadable':
      return { tools: [] };
    default:
      return assertNever(row);
  }
}

export function decisionKind({ decision }: Extract<JournalRow, { kind: 'call' }>): DecisionKind {
  if (decision.effect === 'deny') return 'denied';
  if (decision.effect === 'allow') return 'allowed';
  return decision.answer === 'run' ? 'run' : 'no';
}

const msPerHour = 60 * 60 * 1_000;
const sinceMs: Record<SinceKind, number> = {
  hour: msPerHour,
  day: 24 * msPerHour,
  week: 7 * 24 * msPerHour,
  month: 30 * 24 * msPerHour,
};

/** Returns the time before which nothing is shown, in milliseconds since the epoch. */
function sinceTime({ since }: JournalFilter, now: number): number {
  return since === undefined ? -Infinity : now - sinceMs[since];
}

/** True if the row matches the filter apart from its time. */
function matchesFilter(row: JournalRow, filter: JournalFilter): boolean {
  const facts = rowFacts(row);
  return (
    has(filter.servers, facts.server) &&
    (filter.tools.length === 0 || facts.tools.some((tool) => filter.tools.includes(tool))) &&
    has(filter.decisions, facts.decision) &&
    has(filter.outcomes, facts.outcome) &&
    has(filter.origins, facts.origin)
  );
}

function has(wanted: readonly string[], found: string | undefined): boolean {
  return wanted.length === 0 || (found !== undefined && wanted.includes(found));
}

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

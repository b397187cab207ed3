import type { CallQuestion } from '../../host/calls/call';
import type { Journal } from '../../host/journal/journal';
import { formatJournalRow } from './formatJournalRow';
import { formatDate } from '../format/formatTime';

/** Maximum number of calls that are useful for a decision. */
const maxLines = 5;
/** Maximum number of recent calls in which the tool is looked for. */
const maxLookedAt = 2_000;

/** Returns a line for each of the newest calls of the tool in question. Never rejects. */
export async function earlierCalls(
  journal: Pick<Journal, 'rows'>,
  { config, entry }: CallQuestion,
): Promise<readonly string[]> {
  const lines: string[] = [];
  let lookedAt = 0;
  try {
    for await (const row of journal.rows()) {
      lookedAt += 1;
      if (lookedAt > maxLookedAt || lines.length >= maxLines) break;
      if (row.kind !== 'call' || row.decision.server.id !== config.id) continue;
      if (row.decision.tool.name === entry.tool.name) {
        lines.push(`${formatDate(row.at)} ${formatJournalRow(row)}`);
      }
    }
  } catch {
    // Calls that cannot be read are left out, because the decision does not depend on them.
  }
  return lines;
}

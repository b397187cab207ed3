import type { CallQuestion } from '../../host/calls/call';
import type { Journal } from '../../host/journal/journal';
import { formatJournalRow } from './formatJournalRow';
import { formatDate } from '../format/formatTime';

/** As many as a person takes in while deciding. */
const maxLines = 5;
/** A tool that was not called among so many calls was not called lately. */
const maxLookedAt = 2_000;

/** A line for each of the newest calls of the tool that is asked about. Never rejects. */
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
    // What cannot be read is left out: the person decides by more important things.
  }
  return lines;
}

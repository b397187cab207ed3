import { isObject } from '../../core/json/shapes';
import { askerOf } from '../consent/facts/callOrigin';
import type { DecidedCallFacts } from '../consent/facts/callFacts';
import { journalRows } from './journalRows';

/** Older calls are not useful in a list. */
const maxPastCalls = 10_000;

/**
 * Returns the calls with a decision, newest first, at most 10,000. Secrets in arguments are
 * markers. @throws what the file system throws for the folder
 */
export async function readPastCalls(folder: string): Promise<readonly DecidedCallFacts[]> {
  const calls: DecidedCallFacts[] = [];
  for await (const row of journalRows(folder)) {
    if (row.kind !== 'call') continue;
    const { server, tool, risk, origin, arguments: given, effect, ruleEffect } = row.decision;
    const { level, openWorld, idempotent } = risk;
    calls.push({
      at: row.at,
      server: server.id,
      tool: tool.name,
      asker: askerOf(origin),
      risk: { level, openWorld, idempotent },
      ...(isObject(given) ? { arguments: given } : {}),
      decision: effect,
      ...(ruleEffect === undefined ? {} : { ruleEffect }),
    });
    if (calls.length >= maxPastCalls) break;
  }
  return calls;
}

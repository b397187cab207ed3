import type { TimeLimitSource } from '../../core/errors';

/** What the settings say about calls, asked for at each one. */
export interface CallLimits {
  /** For calls that have no limit of their own. */
  readonly callTimeoutMs: number;
  /** By `<server>` or `<server>/<tool>`, in milliseconds. */
  readonly callTimeouts: ReadonlyMap<string, number>;
  /** How far reports of progress can put off the end of a call. */
  readonly callCeilingMs: number;
  /** How many calls of one server run at the same time. */
  readonly maxCallsPerServer: number;
}

/** How long a server may be silent during a call, and who said so. */
export interface TimeLimit {
  readonly ms: number;
  readonly source: TimeLimitSource;
}

/**
 * The time limit of one call: what the call itself asks for, else that of the tool, else that of
 * the server, else the default.
 */
export function timeLimitOf(
  call: { readonly server: string; readonly tool: string; readonly timeoutMs?: number },
  { callTimeoutMs, callTimeouts }: Pick<CallLimits, 'callTimeoutMs' | 'callTimeouts'>,
): TimeLimit {
  const { server, tool, timeoutMs } = call;
  if (timeoutMs !== undefined) return { ms: timeoutMs, source: { kind: 'call' } };
  for (const key of [`${server}/${tool}`, server]) {
    const ms = callTimeouts.get(key);
    if (ms !== undefined) return { ms, source: { kind: 'own', key } };
  }
  return { ms: callTimeoutMs, source: { kind: 'default' } };
}

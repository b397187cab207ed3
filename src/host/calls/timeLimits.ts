import type { TimeLimitSource } from '../../core/errors';

/** The settings for calls, read for each call. */
export interface CallLimits {
  /** Default time limit. */
  readonly callTimeoutMs: number;
  /** Time limits by `<server>` or `<server>/<tool>`, in milliseconds. */
  readonly callTimeouts: ReadonlyMap<string, number>;
  /** Limit for the extension of a call by its progress. */
  readonly callCeilingMs: number;
  /** Number of concurrent calls of one server. */
  readonly maxCallsPerServer: number;
}

/** How long a server may be silent during a call, and where the limit is set. */
export interface TimeLimit {
  readonly ms: number;
  readonly source: TimeLimitSource;
}

/**
 * Returns the time limit of a call: its own, otherwise that of the tool, the server, or the default
 * (R-471).
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

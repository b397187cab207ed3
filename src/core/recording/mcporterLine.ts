import { isObject } from '../json/shapes';
import type { RecordedMessage } from './recordedLine';

/**
 * A line of `mcporter record`: a JSON-RPC message with `_meta` for the direction (`send`, `recv`,
 * or `lifecycle` for events), the server and the time.
 */
export interface McporterLine {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly server: string;
  readonly to?: RecordedMessage['to'];
  readonly message: object;
}

/** Returns `undefined` for any other value. */
export function toMcporterLine(value: unknown): McporterLine | undefined {
  if (!isObject(value)) return undefined;
  const { _meta: facts, ...message } = value;
  if (!isObject(facts) || message['jsonrpc'] !== '2.0') return undefined;
  const { dir, server, ts } = facts;
  const time = typeof ts === 'string' ? Date.parse(ts) : Number.NaN;
  if (typeof server !== 'string' || Number.isNaN(time)) return undefined;
  const line = { time, server, message };
  if (dir === 'lifecycle') return line;
  if (dir === 'send') return { ...line, to: 'server' };
  return dir === 'recv' ? { ...line, to: 'client' } : undefined;
}

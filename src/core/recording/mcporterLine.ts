import { isObject } from '../json/shapes';
import type { RecordedMessage } from './recordedLine';

/**
 * A line that `mcporter record` wrote: a JSON-RPC message to which it adds `_meta` with the direction
 * (`send`, `recv`, or `lifecycle` for what is no message), the server and the time.
 */
export interface McporterLine {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly server: string;
  readonly to?: RecordedMessage['to'];
  readonly message: object;
}

/** `undefined` for anything else. */
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

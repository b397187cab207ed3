import path from 'node:path';
import { FileRefusedError, readRegularFile, fileText } from '../bounds/regularFile';
import { isObject, type UnknownObject } from '../json/shapes';
import { parseJson } from '../json/parseJson';
import { type RecordedMessage, RecordingError } from './recordedLine';
import { percentDecoded } from '../percentDecoded';

/** It is parsed as a whole. The Inspector keeps a thousand messages. */
const maxExportBytes = 64 * 1024 * 1024;
const maxEntries = 100_000;
/** The Inspector's exports of HTTP requests, logs and processes are lists too. */
const beginning = /^\s*\[\s*\{[^{}]{0,1000}"direction"\s*:/;
const exportName =
  /^inspector-(?:protocol|history)(?:-pinned|-unpinned)?-(.+)-\d{4}-\d\d-\d\dT[^-]/;
/** Requests of servers, because older exports do not record the sender of a message. */
const asked: ReadonlySet<unknown> = new Set([
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
]);
const told: ReadonlySet<unknown> = new Set([
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/roots/list_changed',
]);

/** True if the beginning of a file is that of a protocol export of the MCP Inspector. */
export function isInspectorExport(firstChars: string): boolean {
  return beginning.test(firstChars);
}

/** Returns the server's name, which the Inspector puts only into the file name. */
export function exportedServer(file: string): string {
  const name = path.basename(file, path.extname(file));
  const id = exportName.exec(name)?.[1];
  // The user may have renamed the file.
  return id === undefined ? name : percentDecoded(id);
}

/** Reads the messages in their original order. @throws {RecordingError} */
export async function readInspectorExport(file: string) {
  const entries = parsed(await readExport(file));
  if (!Array.isArray(entries) || entries.length > maxEntries) {
    throw new RecordingError('brokenExport');
  }
  const server = exportedServer(file);
  const messages = entries.flatMap((entry: unknown) => messagesOf(entry, server));
  const startedAt = messages.reduce((least, { at }) => Math.min(least, at), Infinity);
  const sorted = messages
    .toSorted((one, other) => one.at - other.at || Number(isAnswer(one)) - Number(isAnswer(other)))
    .map((message) => ({ ...message, at: message.at - startedAt }));
  return { messages: sorted, startedAt };
}

async function readExport(file: string): Promise<string> {
  try {
    return fileText(await readRegularFile(file, maxExportBytes));
  } catch (error) {
    const isTooLarge = error instanceof FileRefusedError && error.refusal === 'tooLarge';
    throw new RecordingError(isTooLarge ? 'tooLarge' : 'unreadable');
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new RecordingError('brokenExport');
  }
}

/** Returns a message and, for a request, its answer `duration` later. @throws {RecordingError} */
function messagesOf(entry: unknown, server: string): readonly RecordedMessage[] {
  const { timestamp, message, response, duration, origin } = isObject(entry) ? entry : {};
  const at = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(at) || !isObject(message)) throw new RecordingError('brokenExport');
  const to = receiverOf(message, origin);
  const sent: RecordedMessage = { at, server, to, message };
  if (!isObject(response)) return [sent];
  const took = Number.isFinite(duration) ? Math.max(0, Number(duration)) : 0;
  const back = to === 'server' ? 'client' : 'server';
  return [sent, { at: at + took, server, to: back, message: response }];
}

function receiverOf({ method }: UnknownObject, origin: unknown): RecordedMessage['to'] {
  if (origin === 'client') return 'server';
  if (origin === 'server' || asked.has(method)) return 'client';
  const isNotification = typeof method === 'string' && method.startsWith('notifications/');
  return method === undefined || (isNotification && !told.has(method)) ? 'client' : 'server';
}

function isAnswer({ message }: RecordedMessage): boolean {
  return isObject(message) && message['method'] === undefined;
}

/**
 * A line of `mcporter record`: a JSON-RPC message with `_meta` for the direction (`send`, `recv`,
 * or `lifecycle` for events), the server and the time.
 */
interface McporterLine {
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

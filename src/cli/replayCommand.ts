import { createInterface } from 'node:readline';
import { isObject } from '../core/json/shapes';
import { stringifyExactly } from '../core/json/writtenNumber';
import { parseJson } from '../core/json/parseJson';
import { Replay } from '../core/recording/recordedServer';
import { ReplaySession } from '../core/recording/connectReplay';
import { readRecording } from '../core/recording/readRecording';
import { RecordingError } from '../core/recording/recordedLine';
import type { ReadServers } from './readServers';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';

/** The code of an internal error in JSON-RPC. */
const unsendable = -32_603;

const recordingProblems: Readonly<Record<RecordingError['code'], string>> = {
  unreadable: 'cannot be read',
  tooLarge: 'is larger than any recording',
  noRecording: 'is not a recording',
  brokenExport: 'is an export of the MCP Inspector that is broken or cut off',
  otherVersion: 'was recorded by another version of this program',
  badLine: 'has a line that is not a message',
  tooManyLines: 'has more lines than any recording',
};

/** Reads a recording. @throws {UsageError} with what is wrong with it */
export async function openRecording(file: string) {
  try {
    return await readRecording(file);
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    const at = error.line === undefined ? '' : ` (line ${error.line})`;
    throw new UsageError(`${file} ${recordingProblems[error.code]}${at}.`, { cause: error });
  }
}

/** Returns the servers, each of which answers from the recording. */
export function replayedServers(
  { servers, problems, ...rest }: ReadServers,
  program: string,
  file: string,
  speed: number | undefined,
): ReadServers {
  const how = speed === undefined ? [] : ['--replay-speed', String(speed)];
  return {
    ...rest,
    servers: servers.map(({ id, label, source }) => ({
      id,
      label,
      source,
      transport: {
        kind: 'stdio',
        command: process.execPath,
        args: [program, 'replay', ...how, '--', file, id],
        env: {},
      },
    })),
    problems: problems.filter(({ fatal }) => !fatal),
  };
}

export interface ReplayStreams {
  readonly input: NodeJS.ReadableStream;
  readonly write: (line: string) => void;
}

/**
 * Runs a server on standard input and output that answers as the recorded one did, until its input
 * ends. `speed` divides the recorded pauses; without it there are none. @throws {UsageError}
 */
export async function replayCommand(
  [file, server, ...rest]: readonly string[],
  speed: number | undefined,
  { input, write }: ReplayStreams,
): Promise<ExitCode> {
  if (file === undefined || server === undefined || rest.length > 0) {
    throw new UsageError('replay takes a recording and the name of a server in it.');
  }
  const { messages, isOfAnyServer } = await openRecording(file);
  const own = messages.filter((message) => isOfAnyServer === true || message.server === server);
  if (own.length === 0) throw new UsageError(`${file} has no messages of server "${server}".`);
  const session = new ReplaySession(new Replay(own), speed, (message) => {
    const json = sendable(message);
    if (json !== undefined) write(`${json}\n`);
  });
  for await (const line of createInterface({ input })) session.take(parsed(line));
  session.dispose();
  return exitCodes.passed;
}

/** Returns nothing for a message that is nested too deeply; recordings are untrusted. */
function sendable(message: object): string | undefined {
  try {
    return stringifyExactly(message);
  } catch {
    if (!isObject(message) || message['method'] !== undefined) return undefined;
    const error = { code: unsendable, message: 'its answer is nested too deeply' };
    return JSON.stringify({ jsonrpc: '2.0', id: message['id'], error });
  }
}

function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    // This program's own client never sends such a message.
    return undefined;
  }
}

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { Emitter, type CancellationToken, type Disposable } from 'vscode-jsonrpc/node';
import type { McpClient } from '../client';
import { type ConnectOptions, connectTransport } from '../connect';
import { type ConnectionLimits, defaultLimits } from '../eras/connectionLimits';
import { EraDetection } from '../eras/eraDetection';
import { StartClock } from '../eras/startClock';
import { assertNever, isMcpError, McpError, type MessageFraming } from '../errors';
import type { ConnectionLog } from '../log';
import { InstallWatch } from './installWatch';
import { NdjsonReader } from './ndjsonReader';
import { NdjsonWriter } from './ndjsonWriter';
import { Programs } from './programs';
import type { FoundProgram } from '../connect';
import { StdioProcess } from './stdioProcess';
import { watchedStdin } from './watchedStdin';
import { ownEnvironment } from './stdioEnvironment';
import type { LiveProcesses, ProcessNotice, StdioCommand, StopTimes } from './stdioProcess';
import type { MessageLimits } from '../rpc/messageLimits';
import { ServerFloods } from '../rpc/serverFloods';
import type { Transport } from '../rpc/transport';

/** Together less than the five seconds that the editor gives its extensions for deactivation. */
const defaultStopTimes: StopTimes = { stdinMs: 1_500, terminateMs: 1_500 };

/** Maximum number of garbage lines in the log; the listener counts the rest. */
const maxLoggedGarbage = 50;

/** Interval of looking for output of a server that does not answer. */
const printedMs = 2_000;
const maxPrintedChars = 300;

export interface ConnectStdioOptions extends ConnectOptions, StdioCommand {
  /** Missing values default to those of `defaultLimits`, and to 1,500 ms. */
  readonly limits?: Partial<ConnectionLimits & StopTimes>;
  /** Registry for the process while it lives. */
  readonly processes?: LiveProcesses;
  /** Finds the program. Defaults to a search with our own environment, without asking a shell. */
  readonly programs?: Programs;
  /** Called with events of the process other than messages. */
  readonly onNotice?: (notice: ProcessNotice) => void;
}

/**
 * Starts a server as a process, without a shell, and agrees on a revision with it. When it rejects,
 * nothing of the process is left; cancelling rejects with `cancelled`. A process that exits during
 * era detection is restarted once without detection, unless the system reports that it
 * exited without having read the request.
 * @throws {McpError} programNotFound | programNotExecutable | spawnFailed | exitedEarly |
 * handshakeTimeout | handshakeFailed | unsupportedRevision | messageTooLarge | cancelled
 */
export async function connectStdio(
  options: ConnectStdioOptions,
  token?: CancellationToken,
): Promise<McpClient> {
  const { startTimeoutMs, installTimeoutMs } = { ...defaultLimits, ...options.limits };
  const clock = new StartClock(startTimeoutMs, installTimeoutMs);
  const detection = new EraDetection(options);
  let first: StdioProcess | undefined;
  const remember = (child: StdioProcess): void => {
    first = child;
  };
  try {
    return await startAndConnect(options, detection, clock, token, remember);
  } catch (error) {
    if (!isMcpError(error, 'exitedEarly') || !detection.endedAtProbe) throw error;
    // A request that it did not read was not the cause: it would exit again.
    if (first?.leftUnread === true) throw error;
    options.log.info('it ended at the question which era it speaks; started once more without it');
  }
  const { onDidLearnEra } = options;
  const plain = new EraDetection({
    era: 'stateful',
    ...(onDidLearnEra === undefined ? {} : { onDidLearnEra }),
  });
  return startAndConnect(options, plain, clock, token);
}

async function startAndConnect(
  options: ConnectStdioOptions,
  detection: EraDetection,
  clock: StartClock,
  token: CancellationToken | undefined,
  onStarted?: (child: StdioProcess) => void,
): Promise<McpClient> {
  if (token?.isCancellationRequested === true) throw new McpError('cancelled');
  const limits = { ...defaultLimits, ...defaultStopTimes, ...options.limits };
  const { args, cwd, log, onStage } = options;
  const program = await findProgram(options);
  onStage?.({ kind: 'programFound', program });
  const stdin = detection.asksFirst ? await watchedStdin() : undefined;
  if (token?.isCancellationRequested) {
    stdin?.drop();
    throw new McpError('cancelled');
  }
  const place = cwd === undefined ? {} : { cwd };
  let watch: InstallWatch | undefined;
  const hooks = { ...options, onStderr: (line: string) => watch?.take(line) };
  const child = await StdioProcess.start(
    { ...program, args, ...place },
    hooks,
    limits,
    stdin,
    token,
  );
  onStarted?.(child);
  options.processes?.add(child);
  log.info(
    `started process ${child.pid}: ${program.file} (${reasonFor(options.command, program)})`,
  );
  onStage?.({ kind: 'processStarted', pid: child.pid });
  // Starting used up this turn of the event loop. Nothing is lost meanwhile, because streams wait
  // for a reader.
  await nextRound();

  let printed = '';
  const onGarbage = loggedGarbage(log, (line) => {
    printed ||= line.slice(0, maxPrintedChars);
    options.onGarbage?.(line);
  });
  // While a start that failed is being ended, what is left of its processes says nothing.
  const transport = stdioTransport(child, limits, onGarbage, () => watch?.dispose());
  const reporting = reportPrinted(clock, onStage, () => printed || transport.unfinished());
  const rest = { ...options, onGarbage, limits: { ...limits, startTimeoutMs: clock.leftMs } };
  watch = new InstallWatch(child.pid, clock, (isInstalling) => {
    log.info(isInstalling ? 'a package manager is installing it' : 'nothing installs it any more');
    onStage?.({ kind: 'installing', isInstalling });
  });
  try {
    return await connectTransport(transport, rest, token, { isHttp: false, detection, clock });
  } catch (error) {
    if (!isMcpError(error, 'handshakeTimeout')) throw error;
    throw new McpError(error.code, {
      ...error.facts,
      ...(printed === '' ? {} : { printed }),
      ...(watch.isInstalling ? { wasInstalling: true } : {}),
    });
  } finally {
    reporting.dispose();
    watch.dispose();
  }
}

/** Reports once what a server has printed instead of an answer. */
function reportPrinted(
  clock: StartClock,
  onStage: ConnectOptions['onStage'],
  printed: () => string,
): Disposable {
  let forget: () => void;
  const look = (): void => {
    const text = printed();
    if (text === '') forget = clock.after(printedMs, look);
    else onStage?.({ kind: 'printed', text });
  };
  forget = clock.after(printedMs, look);
  return { dispose: () => forget() };
}

/** @throws {McpError} programNotFound | programNotExecutable | spawnFailed */
async function findProgram(options: ConnectStdioOptions): Promise<FoundProgram> {
  const { cwd, log } = options;
  // The system reports ENOENT for a missing folder too, which would blame the program.
  if (cwd !== undefined && !(await isFolder(cwd))) {
    throw new McpError('spawnFailed', { detail: `no such folder: ${cwd}` });
  }
  const programs = options.programs ?? new Programs({ environment: ownEnvironment });
  try {
    return await programs.find(options, log);
  } catch (error) {
    const { searched = [] } = isMcpError(error) ? error.facts : {};
    if (searched.length > 0) {
      log.error(`${options.command} is in none of: ${searched.join(path.delimiter)}`);
    }
    throw error;
  }
}

function reasonFor(command: string, { foundBy, folder = '' }: FoundProgram): string {
  switch (foundBy) {
    case 'given':
      return `"${command}" is a path`;
    case 'path':
      return `"${command}" on PATH`;
    case 'loginShell':
      return `"${command}" on the PATH of the login shell`;
    case 'folder':
      return `"${command}" is not on PATH; ${folder} is now first on the PATH of this process`;
    default:
      return assertNever(foundBy);
  }
}

async function isFolder(place: string): Promise<boolean> {
  const facts = await stat(place).catch(() => undefined);
  return facts?.isDirectory() === true;
}

function stdioTransport(
  child: StdioProcess,
  limits: MessageLimits,
  onGarbage: (line: string) => void,
  onClosing: () => void,
): Transport & { unfinished(): string } {
  const floods = new ServerFloods();
  const unreadable = new Emitter<string>();
  const misframing = new FramingDetector();
  const reader = new NdjsonReader(child.stdout, {
    ...limits,
    onGarbage: (line) => {
      if (!floods.takesGarbage()) return;
      misframing.take(line);
      onGarbage(line);
      unreadable.fire(line);
    },
  });
  return {
    reader,
    floods,
    onUnreadableLine: unreadable.event,
    writer: new NdjsonWriter(child.stdin, limits.maxMessageBytes),
    pid: child.pid,
    stderrTail: () => child.stderrTail(),
    unfinished: () => reader.unfinished(),
    misframed: () => misframing.framing(reader.unfinished()),
    explainEnd: () => child.explainEnd(),
    close: (manner) => {
      onClosing();
      return child.stop(manner);
    },
  };
}

/** Logs garbage lines, up to a limit, and passes each to the listener. */
function loggedGarbage(
  log: ConnectionLog,
  listener: ((line: string) => void) | undefined,
): (line: string) => void {
  let count = 0;
  return (line) => {
    count += 1;
    if (count <= maxLoggedGarbage) log.warn(`not a message on stdout: ${line}`);
    if (count === maxLoggedGarbage) log.warn('further lines of that kind are not shown');
    listener?.(line);
  };
}

/** Matches the first member of a message, also of the first in a batch. */
const messageStart = /^\[?\s*\{\s*"(?:jsonrpc|id|result|error|method|params)"\s*:/;
/** Matches a length header alone or behind the previous message. */
const lengthHeader = /(?:^|[}\]])content-length:\s*\d+\s*$/i;
const memberAlone = /^\s*"jsonrpc"\s*:\s*"2\.0"\s*,?\s*$/;

/** Detects how a server separates its messages, if it does not write one JSON text per line. */
class FramingDetector {
  #hasLengths = false;
  #hasMembers = false;

  /** Takes a line that is not JSON. */
  take(line: string): void {
    this.#hasLengths ||= lengthHeader.test(line);
    this.#hasMembers ||= memberAlone.test(line);
  }

  /** @param unfinished the data after the last newline */
  framing(unfinished: string): MessageFraming | undefined {
    if (messageStart.test(unfinished)) return this.#hasLengths ? 'contentLength' : 'noNewline';
    return this.#hasMembers ? 'severalLines' : undefined;
  }
}

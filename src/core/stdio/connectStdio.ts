import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { McpClient } from '../client';
import { connectTransport, defaultLimits } from '../connect';
import type { ConnectionLimits, ConnectOptions } from '../connect';
import { EraDetection } from '../eras/eraDetection';
import { isMcpError, McpError } from '../errors';
import type { ConnectionLog } from '../log';
import { NdjsonReader } from './ndjsonReader';
import { NdjsonWriter } from './ndjsonWriter';
import { StdioProcess } from './stdioProcess';
import type { LiveProcesses, StdioCommand, StopTimes } from './stdioProcess';
import type { Transport } from '../rpc/transport';

/** Together below the five seconds that the editor gives its extensions to leave. */
const defaultStopTimes: StopTimes = { stdinMs: 1_500, terminateMs: 1_500 };

/** Lines of garbage that the log shows; the rest is counted by whoever listens. */
const maxLoggedGarbage = 50;

export interface ConnectStdioOptions extends ConnectOptions, StdioCommand {
  /** Each absent one is `defaultLimits`' or 1,500 ms. */
  readonly limits?: Partial<ConnectionLimits & StopTimes>;
  /** Where the process is entered while it lives. */
  readonly processes?: LiveProcesses;
}

/**
 * Starts a server as a process, without a shell, and agrees with it on a revision. When it
 * rejects, nothing of the process is left; cancelling rejects with `cancelled`. A process that ends
 * when it is asked which era it speaks is started once more and not asked.
 * @throws {McpError} programNotFound | spawnFailed | exitedEarly | handshakeTimeout |
 *   handshakeFailed | unsupportedRevision | messageTooLarge | cancelled
 */
export async function connectStdio(
  options: ConnectStdioOptions,
  token?: CancellationToken,
): Promise<McpClient> {
  const { startTimeoutMs } = { ...defaultLimits, ...options.limits };
  const endsAt = performance.now() + startTimeoutMs;
  const detection = new EraDetection(options);
  try {
    return await startAndConnect(options, detection, endsAt, token);
  } catch (error) {
    if (!isMcpError(error, 'exitedEarly') || !detection.endedAtProbe) throw error;
    options.log.info('it ended at the question which era it speaks; started once more without it');
  }
  const { onDidLearnEra } = options;
  const plain = new EraDetection({
    era: 'stateful',
    ...(onDidLearnEra === undefined ? {} : { onDidLearnEra }),
  });
  return startAndConnect(options, plain, endsAt, token);
}

async function startAndConnect(
  options: ConnectStdioOptions,
  detection: EraDetection,
  endsAt: number,
  token: CancellationToken | undefined,
): Promise<McpClient> {
  if (token?.isCancellationRequested === true) throw new McpError('cancelled');
  const limits = { ...defaultLimits, ...defaultStopTimes, ...options.limits };
  const child = await StdioProcess.start(options, options.log, limits);
  options.processes?.add(child);
  options.log.info(`started process ${child.pid}: ${options.command}`);

  const onGarbage = loggedGarbage(options.log, options.onGarbage);
  const transport = stdioTransport(child, limits.maxMessageBytes, onGarbage);
  const startTimeoutMs = Math.max(endsAt - performance.now(), 1);
  const rest = { ...options, onGarbage, limits: { ...limits, startTimeoutMs } };
  return connectTransport(transport, rest, token, { isHttp: false, detection });
}

function stdioTransport(
  child: StdioProcess,
  maxMessageBytes: number,
  onGarbage: (line: string) => void,
): Transport {
  return {
    reader: new NdjsonReader(child.stdout, { maxMessageBytes, onGarbage }),
    writer: new NdjsonWriter(child.stdin, maxMessageBytes),
    pid: child.pid,
    stderrTail: () => child.stderrTail(),
    explainEnd: () => child.explainEnd(),
    close: (manner) => child.stop(manner),
  };
}

/** Shows what was no message in the log, up to a bound, and tells the listener of each. */
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

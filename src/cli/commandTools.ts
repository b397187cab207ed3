import type { Duplex } from 'node:stream';
import type { RecordedValues } from '../core/callFiles/recordedValues';
import type { ClientInfo } from '../core/eras/era';
import type { SecretValues } from '../host/secrets/secretValues';
import type { CliOptions } from './cliOptions';
import type { CliLog, CliOutput, OutputStreams } from './cliOutput';
import type { CliSession } from './cliSession';
import type { CliSignIns } from './cliSignIns';
import type { CliEnvironments, ProcessEnvironment } from './cliValues';
import type { Reports } from './reports';

/** The process in which the command line runs. */
export interface CliContext {
  readonly argv: readonly string[];
  readonly env: ProcessEnvironment;
  readonly folder: string;
  readonly streams: OutputStreams & { readonly stdin: NodeJS.ReadableStream };
  /** Standard output, if it and standard input are a terminal. */
  readonly terminal?: NodeJS.WriteStream | undefined;
  /** Standard input and output as one stream, for an agent. */
  readonly agentStream: () => Duplex;
  readonly version: string;
  /** The path of this program. */
  readonly program: string;
  /** The script of the demo server. */
  readonly demoServer: string;
  /** Called once with a function that cancels everything. */
  readonly onCancel: (cancel: () => void) => void;
  /** Called after a run has written a call file. */
  readonly onWritten?: (file: string) => Promise<void>;
}

/** The tools of a command in one session. */
export interface CommandTools {
  /** The options of this command. */
  readonly chosen: CliOptions;
  /** A configuration file could not be read. */
  readonly isBroken: boolean;
  readonly folder: string;
  readonly session: CliSession;
  readonly signIns: CliSignIns;
  readonly output: CliOutput;
  readonly reports: Reports;
  readonly secrets: SecretValues;
  readonly env: ProcessEnvironment;
  readonly clientInfo: ClientInfo;
  readonly environments: CliEnvironments;
  readonly context: CliContext;
  readonly log: CliLog;
  /** The values that were generated in the recording that is replayed. */
  readonly recorded: RecordedValues | undefined;
}

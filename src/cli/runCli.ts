import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import type { ClientInfo } from '../core/eras/era';
import type { ValueOrigin } from '../core/callFiles/generatedValues';
import { recordedOrigin } from '../core/recording/readRecording';
import type { ConnectionLog } from '../core/log';
import { type Revision, toPinnedEra } from '../core/types';
import { ownClientName } from '../host/agents/ownClient';
import type { ServerConfig } from '../host/configuration/serverConfig';
import { type WatchedFiles, watchRuns, watchedFiles } from './watchRuns';
import { SecretValues } from '../host/secrets/secretValues';
import { callCommand } from './callCommand';
import { CliOutput, type Streams, cliLog } from './cliOutput';
import { type CliOptions, parseOptions } from './cliOptions';
import { cliRules } from './cliRules';
import { CliSession, type CliSessionOptions, cliLimits } from './cliSession';
import { CliSignIns, signInFolder } from './cliSignIns';
import { CliEnvironments, CliValues, type ProcessEnvironment } from './cliValues';
import { diffCommand } from './diffCommand';
import { diagnoseCommand } from './diagnoseCommand';
import { wrongMessage } from './errorMessage';
import { useEnvironmentProxies } from './environmentProxies';
import { type ExitCode, UsageError, exitCodes } from './exitCodes';
import { findCallFiles } from './findCallFiles';
import { lockCommand } from './lockCommand';
import { loginCommand, logoutCommand } from './loginCommand';
import { journalCommand, journalFolder } from './journalCommand';
import { listCommand } from './listCommand';
import { completionScript } from './options/completion';
import { helpOf } from './options/help';
import { promptCommand, readCommand } from './readCommand';
import { type ReadServers, readServers } from './readServers';
import { Recorder } from './recorder';
import { type Reports, openReports } from './reports';
import { openRecording, replayCommand, replayedServers } from './replayCommand';
import { CallAnswers } from '../host/callFiles/callAnswers';
import { SpoolFolder } from '../host/results/spoolFolder';
import { TestCommand, type TestCommandOptions } from './testCommand';

/** Of configuration files; more of them only hide each other. */
const maxToldProblems = 50;

interface CliWorld {
  readonly argv: readonly string[];
  readonly env: ProcessEnvironment;
  readonly folder: string;
  readonly streams: Streams & { readonly stdin: NodeJS.ReadableStream };
  /** Standard input and output as one stream, for an agent. */
  readonly agentStream: () => Duplex;
  readonly version: string;
  /** This program itself. */
  readonly program: string;
  /** The script of the demo server. */
  readonly demoServer: string;
  /** Called once with what ends everything that goes on. */
  readonly onCancel: (cancel: () => void) => void;
}

/** Runs one command line to its end. Never rejects. */
export async function runCli(world: CliWorld): Promise<ExitCode> {
  const secrets = new SecretValues();
  const output = new CliOutput(world.streams, secrets, world.env['NO_COLOR']);
  const leaveProxies = useEnvironmentProxies(world.env);
  try {
    return await run(parseOptions(world.argv), world, output, secrets);
  } catch (error) {
    if (error instanceof UsageError) {
      output.tell(`${error.message} See toolgate --help.`);
      return exitCodes.wrongUsage;
    }
    output.tell(wrongMessage(error));
    return exitCodes.failed;
  } finally {
    leaveProxies();
  }
}

async function run(
  options: CliOptions,
  world: CliWorld,
  output: CliOutput,
  secrets: SecretValues,
): Promise<ExitCode> {
  const { command, operands } = options;
  const { folder } = world;
  if (command === 'help') output.report(helpOf(operands));
  else if (command === 'completion') output.report(completionScript(operands));
  else if (command === 'version') output.report(`${world.version}\n`);
  else if (command === 'replay') {
    const write = (line: string): unknown => world.streams.stdout.write(line);
    return replayCommand(operands, options.replaySpeed, { input: world.streams.stdin, write });
  } else if (command === 'journal') return journalCommand(operands, folder, output);
  else if (options.run.watches) return watchSessions(options, world, output, secrets);
  else return withSession(options, world, output, secrets);
  return exitCodes.passed;
}

async function withSession(
  options: CliOptions,
  world: CliWorld,
  output: CliOutput,
  secrets: SecretValues,
): Promise<ExitCode> {
  const { folder, env } = world;
  const tellSkipped = (left: string): void => {
    output.tell(`Left out, as it cannot be read: ${path.relative(folder, left)}`);
  };
  // What was typed wrongly is told before anything starts.
  const files =
    options.command === 'test' ? await findCallFiles(folder, options.operands, tellSkipped) : [];
  const environments = new CliEnvironments(folder, options.environments, options.env);
  const reports = openReports({ chosen: options, folder, env, output, secrets });
  const clientInfo: ClientInfo = { name: ownClientName, title: 'Toolgate', version: world.version };
  const servers = await chosenServers(options, world, output);
  const recorder = recorderOf(options, folder, output, secrets);
  const log = cliLog(output, options.isVerbose);
  const logOf = recorder && ((id: string): ConnectionLog => recorder.besides(log, id));
  const kept = options.usesSignIns ? { folder: signInFolder(env) } : {};
  const signIns = new CliSignIns({ ...kept, secrets, log, tell: (line) => output.tell(line) });
  const opened = { servers, clientInfo, secrets, signIns, log, ...(logOf && { logOf }) };
  const session = openSession(options, world, opened);
  world.onCancel(() => session.cancel());
  const origin = recorder?.origin ?? (await replayedOrigin(options, folder));
  const given = { folder, env, world, clientInfo, environments, log, origin };
  const made = { session, signIns, output, reports, secrets, isBroken: servers.isBroken };
  const work = () => runCommand(options, files, { ...given, ...made });
  const code = await runRecorded(recorder, made, work);
  const isLesser = code === exitCodes.passed || code === exitCodes.denied;
  const hasFailed = reports.hasFailed || recorder?.hasFailed === true;
  return isLesser && hasFailed ? exitCodes.failed : code;
}

/** One session after the other, until it is cancelled. */
async function watchSessions(
  options: CliOptions,
  world: CliWorld,
  output: CliOutput,
  secrets: SecretValues,
): Promise<ExitCode> {
  const { folder, onCancel } = world;
  const look = async (): Promise<WatchedFiles> => {
    const files = await findCallFiles(folder, options.operands, () => undefined);
    // What is wrong in configurations is told by the run.
    const { servers } = await chosenServers(options, world, { tell: () => undefined });
    return watchedFiles(folder, options, files, servers);
  };
  const runOnce = (setCancel: CliWorld['onCancel']): Promise<ExitCode> =>
    withSession(options, { ...world, onCancel: setCancel }, output, secrets);
  return watchRuns({ folder, output, look, runOnce, onCancel });
}

/** To the end of its servers and of the recording. */
async function runRecorded(
  recorder: Recorder | undefined,
  { session, signIns }: Pick<CommandTools, 'session' | 'signIns'>,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    const code = await work();
    // Also of a run in which nothing was exchanged.
    recorder?.begin();
    return code;
  } finally {
    await session.end();
    signIns.dispose();
    recorder?.end();
  }
}

interface CommandTools {
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
  readonly world: CliWorld;
  readonly log: ConnectionLog;
  /** Of generated values. */
  readonly origin: ValueOrigin | undefined;
}

/** Loaded here: no other command needs the SDK for agents. */
async function gateway(operands: readonly string[], tools: CommandTools): Promise<ExitCode> {
  const { gatewayCommand } = await import('./gatewayCommand');
  const { agentStream, version } = tools.world;
  return gatewayCommand(operands, { ...tools, version, stream: agentStream() });
}

async function runCommand(
  options: CliOptions,
  files: readonly string[],
  tools: CommandTools,
): Promise<ExitCode> {
  if (options.command === 'test') return runTest(files, { ...tools, chosen: options });
  if (options.command === 'list') {
    const code = await listCommand(options.operands, {
      ...tools,
      ...options.list,
      grep: options.run.grep,
    });
    const isWhole = options.operands.length > 0 || !tools.isBroken;
    return isWhole || code !== exitCodes.passed ? code : exitCodes.serverFailed;
  }
  if (options.command === 'login' || options.command === 'logout') {
    const command = options.command === 'login' ? loginCommand : logoutCommand;
    const { stdin } = tools.world.streams;
    const kept = { stdin, login: options.login, signInFolder: signInFolder(tools.env) };
    return command(options.operands, { ...tools, ...kept });
  }
  if (options.command === 'lock') return lockCommand(options.operands, tools);
  if (options.command === 'diff') {
    return diffCommand(options.operands, { ...tools, isJson: options.list.isJson });
  }
  if (options.command === 'gateway') return gateway(options.operands, tools);
  if (options.command === 'diagnose') return diagnoseCommand(options.operands, tools);
  const { save, arguments: given, isText, isStrict } = options;
  const { stdin } = tools.world.streams;
  const kept = save === undefined ? {} : { save };
  const byHand = { ...tools, stdin, isText, isStrict, ...kept };
  if (options.command === 'read') return readCommand(options.operands, byHand);
  if (options.command === 'prompt') return promptCommand(options.operands, byHand);
  const own = given === undefined ? {} : { arguments: given };
  return callCommand(options.operands, { ...byHand, ...own });
}

function openSession(
  { command, allow, maxRisk, journal, ...limits }: CliOptions,
  { folder, env }: CliWorld,
  rest: Omit<CliSessionOptions, 'folder' | 'env' | 'rules' | 'journal' | 'limits'>,
): CliSession {
  const rules = cliRules({
    folder,
    ...(allow === undefined ? {} : { allow }),
    ...(maxRisk === undefined ? {} : { maxRisk }),
    isForAgents: command === 'gateway',
  });
  const kept = journal === undefined ? {} : { journal: journalFolder(folder, journal) };
  return new CliSession({ folder, env, rules, limits: cliLimits(limits), ...rest, ...kept });
}

async function chosenServers(
  { serverConfig: file, typedServer, replay, replaySpeed, revision }: CliOptions,
  { folder, env, demoServer, program }: CliWorld,
  output: Pick<CliOutput, 'tell'>,
): Promise<ReadServers> {
  const where = { folder, env, userHome: homedir(), demoServer };
  const typed = typedServer === undefined ? {} : { typed: typedServer };
  const servers = await readServers({
    ...where,
    ...typed,
    ...(file === undefined ? {} : { file }),
  });
  for (const line of servers.told.slice(0, maxToldProblems)) output.tell(line);
  if (replay === undefined) return offering(servers, revision);
  const recording = path.resolve(folder, replay);
  const { isCut } = await openRecording(recording);
  if (isCut) output.tell(`${replay} is cut off: it has no end, or a part is missing.`);
  return replayedServers(servers, program, recording, replaySpeed);
}

/** The same servers, with the revision in place of what their configuration says of it. */
function offering(read: ReadServers, revision: Revision | undefined): ReadServers {
  const era = toPinnedEra(revision);
  if (era === undefined || era === 'auto') return read;
  const servers = read.servers.map((server): ServerConfig => {
    const { transport } = server;
    return transport === undefined ? server : { ...server, transport: { ...transport, era } };
  });
  return { ...read, servers };
}

/** What a replayed run generated its values from; it was opened before. */
async function replayedOrigin(
  { replay }: CliOptions,
  folder: string,
): Promise<ValueOrigin | undefined> {
  return replay === undefined ? undefined : recordedOrigin(path.resolve(folder, replay));
}

function recorderOf(
  { record, recordOmit }: CliOptions,
  folder: string,
  output: CliOutput,
  secrets: SecretValues,
): Recorder | undefined {
  if (record === undefined) return undefined;
  return new Recorder({
    file: path.resolve(folder, record),
    omit: recordOmit,
    redact: (text) => secrets.redact(text),
    onFull: () => output.tell(`${record} is full: what follows is not recorded.`),
    onFailed: () => output.tell(`${record} cannot be written: what follows is not recorded.`),
  });
}

/** Of answers in memory that later calls take values from: the default of the editor. */
const maxAnswerBytes = 256 * 1024 * 1024;

interface RunTestOptions extends Omit<
  TestCommandOptions,
  'values' | 'answers' | 'run' | 'isStrict' | 'secrets'
> {
  readonly chosen: CliOptions;
  readonly env: ProcessEnvironment;
  readonly secrets: TestCommandOptions['secrets'] &
    ConstructorParameters<typeof CliValues>[0]['secrets'];
}

/** Runs call files, with a folder of its own for answers that are too large for memory. */
async function runTest(
  files: readonly string[],
  { chosen, env, ...options }: RunTestOptions,
): Promise<ExitCode> {
  const { folder, output, secrets } = options;
  const { isStrict, run: choices } = chosen;
  const values = new CliValues({ folder, env, passed: chosen, secrets });
  const spool = new SpoolFolder(tmpdir(), process.pid, 'toolgate');
  const answers = new CallAnswers({
    folder: spool,
    maxBytes: () => maxAnswerBytes,
    onError: (error) => output.tell(`An answer is not kept: ${wrongMessage(error)}`),
  });
  const removeAnswers = (): void => spool.dispose();
  process.once('exit', removeAnswers);
  try {
    const test = new TestCommand({ ...options, values, answers, run: choices, isStrict });
    return await test.run(files, chosen.env);
  } finally {
    removeAnswers();
    process.off('exit', removeAnswers);
  }
}

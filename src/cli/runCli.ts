import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { RecordedValues } from '../core/callFiles/recordedValues';
import { isMcpError, McpError } from '../core/errors';
import type { ConnectionLog } from '../core/log';
import { type Revision, toPinnedEra } from '../core/types';
import { ownClientName } from '../host/agents/agentProtocol';
import type { ServerConfig } from '../host/configuration/serverConfig';
import { type WatchedFiles, watchRuns, watchedFiles } from './watchRuns';
import { SecretValues } from '../host/secrets/secretValues';
import { callCommand } from './callCommand';
import { CliLog, CliOutput } from './cliOutput';
import { type CliOptions, parseOptions } from './cliOptions';
import { cliRules } from './cliRules';
import { CliSession, type CliSessionOptions, cliLimits } from './cliSession';
import { CliSignIns, signInFolder } from './cliSignIns';
import { CliEnvironments, CliValues } from './cliValues';
import type { CliContext, CommandTools } from './commandTools';
import { configCommand } from './configCommand';
import { generateCommand } from './generateCommand';
import { diffCommand } from './diffCommand';
import { diagnoseCommand } from './diagnoseCommand';
import { unexpectedErrorMessage } from './errorMessage';
import { useEnvironmentProxies } from './environmentProxies';
import { type ExitCode, UsageError, exitCodes } from './exitCodes';
import { findCallFiles } from './findCallFiles';
import { appsExtension } from './toolApps';
import { lockCommand } from './lockCommand';
import { loginCommand, logoutCommand } from './loginCommand';
import { journalCommand, journalFolder } from './journalCommand';
import { listCommand } from './listCommand';
import { completionScript } from './options/completion';
import { helpOf } from './options/help';
import { followCommand, pingCommand, tasksCommand } from './connectionCommands';
import { promptCommand, readCommand } from './readCommand';
import { shellCommand } from './shellCommand';
import { skillsCommand } from './skillsCommand';
import { type ReadServers, readServers } from './readServers';
import { Recorder } from './recorder';
import { refuseLinks } from './refuseLinks';
import { notifyInstalling } from './progressLines';
import { openReports } from './reports';
import { openRecording, replayCommand, replayedServers } from './replayCommand';
import { CallAnswers } from '../host/callFiles/callAnswers';
import { WindowFolder } from '../host/results/resultSpool';
import { TestCommand } from './testCommand';

/** Further problems of configuration files are not reported. */
const maxToldProblems = 50;

/** Runs one command line to its end. Never rejects. */
export async function runCli(context: CliContext): Promise<ExitCode> {
  const secrets = new SecretValues();
  const output = new CliOutput(context.streams, secrets, context.env);
  const leaveProxies = useEnvironmentProxies(context.env);
  try {
    return await run(parseOptions(context.argv), context, output, secrets);
  } catch (error) {
    if (error instanceof UsageError) {
      output.notify(`${error.message} See toolgate --help.`);
      return exitCodes.wrongUsage;
    }
    if (isMcpError(error, 'cancelled')) return exitCodes.cancelled;
    output.notify(unexpectedErrorMessage(error));
    return exitCodes.failed;
  } finally {
    leaveProxies();
  }
}

async function run(
  options: CliOptions,
  context: CliContext,
  output: CliOutput,
  secrets: SecretValues,
): Promise<ExitCode> {
  const { command, operands } = options;
  const { folder } = context;
  if (command === 'help') output.report(helpOf(operands));
  else if (command === 'completion') output.report(completionScript(operands));
  else if (command === 'version') output.report(`${context.version}\n`);
  else if (command === 'replay') {
    const write = (line: string): unknown => context.streams.stdout.write(line);
    return replayCommand(operands, options.replaySpeed, { input: context.streams.stdin, write });
  } else if (command === 'journal') return journalCommand(operands, folder, output);
  else if (command === 'config') return config(options, context, output, secrets);
  else if (options.run.watches) return watchSessions(options, context, output, secrets);
  else return withSession(options, context, output, secrets);
  return exitCodes.passed;
}

function config(
  options: CliOptions,
  context: CliContext,
  output: CliOutput,
  secrets: SecretValues,
): Promise<ExitCode> {
  const { folder, env } = context;
  return configCommand(options.operands, {
    chosen: options,
    folder,
    env,
    output,
    secrets,
    readServers: () => chosenServers(options, context, output),
  });
}

async function withSession(
  options: CliOptions,
  context: CliContext,
  output: CliOutput,
  secrets: SecretValues,
): Promise<ExitCode> {
  const { folder, env } = context;
  // Mistakes in the command are reported before anything starts.
  const chosen = await withCallFiles(options, folder, output);
  const environments = new CliEnvironments(folder, options.environments, options.env);
  const clientInfo = { name: ownClientName, title: 'Toolgate', version: context.version };
  const { recorded, ...servers } = await chosenServers(options, context, output);
  const { allow, maxRisk, usesSignIns } = options;
  const rules = cliRules({ folder, allow, maxRisk, isForAgents: options.command === 'gateway' });
  const reports = openReports({ chosen, folder, env, output, secrets });
  const recorder = recorderOf(options, folder, output, secrets);
  const log = new CliLog(output, options);
  const logOf = recorder && ((id: string): ConnectionLog => recorder.recordingLog(log, id));
  const signIns = new CliSignIns({
    folder: usesSignIns ? signInFolder(env) : undefined,
    secrets,
    log,
    notify: (line) => output.notify(line),
  });
  const own = { folder, env, clientInfo, secrets, signIns, log };
  const session = openSession(options, { ...own, servers, rules, logOf });
  context.onCancel(() => session.cancel());
  notifyInstalling(session.registry, output);
  const { isBroken } = servers;
  const given = { chosen, context, environments, recorded, isBroken };
  const code = await runRecorded(recorder, { ...own, ...given, session, output, reports });
  const garbage = options.command === 'call' ? session.findings.garbageLines() : [];
  for (const line of garbage) output.notify(line);
  if (!reports.hasFailed && recorder?.hasFailed !== true) return code;
  return code === exitCodes.passed || code === exitCodes.denied ? exitCodes.failed : code;
}

/** For `test`, the operands become the call files that they name. @throws {UsageError} */
async function withCallFiles(
  options: CliOptions,
  folder: string,
  output: CliOutput,
): Promise<CliOptions> {
  if (options.command !== 'test') return options;
  const operands = await findCallFiles(folder, options.operands, (left) =>
    output.notify(`Skipped because it cannot be read: ${path.relative(folder, left)}`),
  );
  return { ...options, operands };
}

function openSession(
  { isDetached, logLevel, hasApps, journal, ...limits }: CliOptions,
  given: Omit<CliSessionOptions, 'isDetached' | 'logLevel' | 'limits' | 'extensions' | 'journal'>,
): CliSession {
  return new CliSession({
    ...given,
    isDetached,
    logLevel,
    limits: cliLimits(limits),
    extensions: hasApps ? appsExtension : undefined,
    journal: journal === undefined ? undefined : journalFolder(given.folder, journal),
  });
}

/** Runs one session after the other until the user cancels. */
async function watchSessions(
  options: CliOptions,
  context: CliContext,
  output: CliOutput,
  secrets: SecretValues,
): Promise<ExitCode> {
  const { folder, onCancel } = context;
  const look = async (): Promise<WatchedFiles> => {
    const files = await findCallFiles(folder, options.operands, () => undefined);
    // The run itself reports problems of configurations.
    const { servers } = await chosenServers(options, context, { notify: () => undefined });
    return watchedFiles(folder, options, files, servers);
  };
  const runOnce = (
    setCancel: CliContext['onCancel'],
    onWritten: (file: string) => Promise<void>,
  ): Promise<ExitCode> =>
    withSession(options, { ...context, onCancel: setCancel, onWritten }, output, secrets);
  return watchRuns({ folder, output, look, runOnce, onCancel });
}

/** Ends the servers and the recording after the command. */
async function runRecorded(recorder: Recorder | undefined, tools: CommandTools): Promise<ExitCode> {
  try {
    const code = await runCommand(tools);
    // A run without messages has a recording, too.
    recorder?.begin();
    return code;
  } finally {
    await tools.session.end();
    tools.signIns.dispose();
    recorder?.end();
  }
}

type SessionCommand = (operands: readonly string[], tools: CommandTools) => Promise<ExitCode>;

/** The commands that need servers. */
const sessionCommands: Readonly<Partial<Record<CliOptions['command'], SessionCommand>>> = {
  call: callCommand,
  diagnose: diagnoseCommand,
  diff: diffCommand,
  follow: followCommand,
  // Loads the SDK for agents, which no other command needs.
  gateway: async (operands, tools) =>
    (await import('./gatewayCommand')).gatewayCommand(operands, tools),
  generate: generateCommand,
  list: listCommand,
  lock: lockCommand,
  login: loginCommand,
  logout: logoutCommand,
  ping: pingCommand,
  prompt: promptCommand,
  read: readCommand,
  shell: (operands, tools) => shellCommand(operands, { ...tools, runLine: lineRunner(tools) }),
  skills: skillsCommand,
  tasks: tasksCommand,
  test: testFiles,
};

async function runCommand(tools: CommandTools): Promise<ExitCode> {
  const { command, operands } = tools.chosen;
  const work = sessionCommands[command];
  if (work === undefined) throw new McpError('internal', { detail: command });
  return work(operands, tools);
}

/** Runs a line of a shell as a command of its own, which cannot read standard input. */
function lineRunner(tools: CommandTools): (line: CliOptions) => Promise<ExitCode> {
  const streams = { ...tools.context.streams, stdin: Readable.from([]) };
  const context = { ...tools.context, streams };
  return (chosen) => runCommand({ ...tools, context, chosen });
}

async function chosenServers(
  { command, serverConfig: file, typedServer: typed, replay, replaySpeed, revision }: CliOptions,
  { folder, env, demoServer, program }: CliContext,
  output: Pick<CliOutput, 'notify'>,
): Promise<ReadServers & Partial<Pick<CommandTools, 'recorded'>>> {
  const where = { folder, env, userHome: homedir(), demoServer };
  const servers = await readServers({ ...where, file, typed });
  for (const line of servers.problemTexts.slice(0, maxToldProblems)) output.notify(line);
  if (replay === undefined) return offering(servers, revision);
  const recording = path.resolve(folder, replay);
  const read = await openRecording(recording);
  if (read.isCut) output.notify(`${replay} is cut off: it has no end, or a part is missing.`);
  const recorded = new RecordedValues();
  if (command === 'test') recorded.add(read, (server) => server);
  return { ...replayedServers(servers, program, recording, replaySpeed), recorded };
}

/** Returns the servers with this revision in place of the one of their configuration. */
function offering(read: ReadServers, revision: Revision | undefined): ReadServers {
  const era = toPinnedEra(revision);
  if (era === undefined || era === 'auto') return read;
  const servers = read.servers.map((server): ServerConfig => {
    const { transport } = server;
    return transport === undefined ? server : { ...server, transport: { ...transport, era } };
  });
  return { ...read, servers };
}

function recorderOf(
  { record, recordOmit }: CliOptions,
  folder: string,
  output: CliOutput,
  secrets: SecretValues,
): Recorder | undefined {
  if (record === undefined) return undefined;
  refuseLinks(folder, record);
  return new Recorder({
    file: path.resolve(folder, record),
    omit: recordOmit,
    redact: (text) => secrets.redact(text),
    onFull: () => output.notify(`${record} is full; later messages are not recorded.`),
    onFailed: () => output.notify(`${record} cannot be written; later messages are not recorded.`),
  });
}

/** The memory for answers that later calls take values from; the editor has the same default. */
const maxAnswerBytes = 256 * 1024 * 1024;

/** Runs call files, with a folder of its own for answers that are too large for memory. */
async function testFiles(files: readonly string[], tools: CommandTools): Promise<ExitCode> {
  const { folder, env, output, secrets, chosen } = tools;
  const values = new CliValues({ folder, env, passed: chosen, secrets });
  const spool = new WindowFolder(tmpdir(), process.pid, 'toolgate');
  const answers = new CallAnswers({
    folder: spool,
    maxBytes: () => maxAnswerBytes,
    onError: (error) => output.notify(`A result is not kept: ${unexpectedErrorMessage(error)}`),
  });
  const removeAnswers = (): void => spool.dispose();
  process.once('exit', removeAnswers);
  try {
    const test = new TestCommand({ ...tools, values, answers });
    return await test.run(files, chosen.env);
  } finally {
    removeAnswers();
    process.off('exit', removeAnswers);
  }
}

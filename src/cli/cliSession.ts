import { type CancellationToken, CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { ClientInfo } from '../core/eras/era';
import { McpError, type McpErrorCode, toMcpError } from '../core/errors';
import type { InputHandler } from '../core/input/inputHandler';
import type { JsonObject } from '../core/json/jsonValue';
import type { ConnectionLog, LogLevel } from '../core/log';
import { SchemaValidator } from '../core/schema/schema';
import { CleanUpTime } from '../core/testing/runTests';
import { Programs } from '../core/stdio/programs';
import { LiveProcesses } from '../core/stdio/stdioProcess';
import { type FileRead, type ReadOutcome, readTarget } from '../host/callFiles/fileCalls';
import type { CallOutcome, CallQuestion, CallRequest } from '../host/calls/call';
import type { CallJournal } from '../host/calls/callJournal';
import { Gate } from '../host/calls/gate';
import { withStructuredValue } from '../host/calls/outcomeValue';
import type { TaskKeeping } from '../host/calls/taskKeeping';
import type { TaskHandle } from '../core/tasks/taskState';
import { RunningCalls } from '../host/calls/runningCalls';
import { withWrittenAnswers } from '../host/calls/writtenAnswers';
import { KnownEras, connectServer } from '../host/connections/connectServer';
import { ServerRegistry } from '../host/connections/registry';
import type { Server } from '../host/connections/snapshot';
import { Consent } from '../host/consent/consent';
import { LockFiles } from '../host/consent/pins/lockFiles';
import { ToolFingerprints } from '../host/consent/pins/pinDefinition';
import type { RuleSources } from '../host/consent/rules/rule';
import { RuleBook } from '../host/consent/rules/ruleBook';
import { placeInWorkspace } from '../host/consent/rules/workspacePaths';
import { CallRecorder } from '../host/journal/callRecorder';
import { Journal } from '../host/journal/journal';
import { registerServerSecrets } from '../host/secrets/configuredSecrets';
import type { SecretValues } from '../host/secrets/secretValues';
import { lockFileName } from '../ids';
import type { CliOptions } from './cliOptions';
import { formatToolProblem } from '../texts/toolProblemTexts';
import { errorMessage, inLine } from './errorMessage';
import { UsageError } from './exitCodes';
import type { CliSignIns } from './cliSignIns';
import { didYouMean } from '../core/nearestName';
import { RunFindings } from './runFindings';
import { type ProcessEnvironment, inputsFrom } from './cliValues';
import type { ReadServers } from './readServers';
import { LockedPins } from './lockedPins';

export interface CliSessionOptions {
  readonly folder: string;
  readonly env: ProcessEnvironment;
  readonly clientInfo: ClientInfo;
  readonly servers: ReadServers;
  readonly rules: RuleSources;
  readonly limits: CliLimits;
  readonly secrets: SecretValues;
  /** Calls run as tasks, and are left once the server has created the task. */
  readonly isDetached: boolean;
  readonly signIns: Pick<CliSignIns, 'authorizationFor'>;
  /** The folder of the journal. Absent: nothing is recorded. */
  readonly journal: string | undefined;
  readonly log: ConnectionLog;
  /** The lowest level of log messages to request. Default: `info`. */
  readonly logLevel: LogLevel | undefined;
  /** Extensions that are declared to servers. */
  readonly extensions: JsonObject | undefined;
  /** Makes the log of one server. Default: `log`. */
  readonly logOf: ((serverId: string) => ConnectionLog) | undefined;
}

type CliLimits = ReturnType<typeof cliLimits>;

/** Uses the defaults of the editor's settings for all limits that were not chosen. */
export function cliLimits({
  startTimeoutMs = 30_000,
  callTimeoutMs = 60_000,
}: Pick<CliOptions, 'startTimeoutMs' | 'callTimeoutMs'>) {
  return {
    startTimeoutMs,
    callTimeoutMs,
    callTimeouts: new Map<string, number>(),
    callCeilingMs: Math.max(3_600_000, callTimeoutMs),
    maxCallsPerServer: 8,
    maxMessageBytes: 256 * 1024 * 1024,
    maxMessageValues: 500_000,
  };
}

/** Further tools are not named in an error. */
const maxNamedTools = 10;
const journalLimits = { retentionDays: 3_650, maxBytes: 1024 * 1024 * 1024 };

/** The outcome of a call, with the question that the editor would have asked. */
export interface CliCallOutcome {
  readonly outcome: CallOutcome;
  readonly question?: CallQuestion;
}

/**
 * Holds the servers and the gate like the extension, but without a user to ask: a call that needs a
 * question is denied. Servers start when they are first used.
 */
export class CliSession {
  readonly registry: ServerRegistry;
  readonly validator = new SchemaValidator();
  readonly calls = new RunningCalls();
  readonly processes = new LiveProcesses();
  readonly programs: Programs;
  readonly pins: LockedPins;
  readonly book: RuleBook;
  readonly limits: CliLimits;
  readonly findings: RunFindings;
  readonly gate: Gate;
  /** States of servers whose problems were reported. */
  readonly reported = new WeakSet<Server>();

  /** The task that was left. */
  detached: TaskHandle | undefined;

  readonly locks: LockFiles;

  readonly #journal: Journal | undefined;
  readonly #recorder: CallRecorder | undefined;
  #cancellation = new CancellationTokenSource();
  readonly #cleanUp = new CleanUpTime(this.token);
  readonly #killNow = (): void => this.processes.killNow();

  constructor(options: CliSessionOptions) {
    const { folder, env, servers, rules, secrets, log } = options;
    this.limits = options.limits;
    this.programs = new Programs({ environment: env });
    this.locks = new LockFiles({ fileName: lockFileName, folders: () => [folder] });
    const fingerprints = new ToolFingerprints();
    this.pins = new LockedPins(this.locks, fingerprints);
    this.book = new RuleBook({
      placeOfPath: (text, cwd) => placeInWorkspace(text, [folder], cwd),
    });
    this.book.setRules(rules);
    this.registry = this.#makeRegistry(options);
    this.findings = new RunFindings(this.registry, (text) => secrets.redact(text));
    this.registry.setConfiguration(servers.servers, servers.problems);
    this.#journal =
      options.journal === undefined
        ? undefined
        : journalIn(options.journal, (text) => log.warn(text));
    this.#recorder = recorderOf(this.#journal, options.secrets);
    this.gate = this.#makeGate(options);
    process.once('exit', this.#killNow);
  }

  get token(): CancellationToken {
    return this.#cancellation.token;
  }

  get isCancelled(): boolean {
    return this.token.isCancellationRequested;
  }

  /**
   * Starts the server if it does not run. With `isCleanUp` it may start for a while after the
   * cancellation. @throws {McpError}
   */
  async start(id: string, isCleanUp = false): Promise<Server> {
    const token = isCleanUp ? this.#cleanUp.token : this.token;
    const server = this.registry.find(id);
    if (server === undefined) throw new McpError('unknownServer', { detail: id });
    return server.state.kind === 'running' ? server : this.registry.start(id, token);
  }

  /** Makes a call. With `isCleanUp` it may run for a while after the cancellation. Never rejects. */
  async call(request: CallRequest, isCleanUp = false): Promise<CliCallOutcome> {
    const token = isCleanUp ? this.#cleanUp.token : this.token;
    const asked: { question?: CallQuestion } = {};
    // Nobody approves. The question says later why the call was denied.
    const answers = (question: CallQuestion): boolean => {
      asked.question = question;
      return false;
    };
    const called = await this.gate.call(request, { token, approval: { answers }, mayAsk: false });
    return { outcome: await withStructuredValue(called), ...asked };
  }

  /** Reads a resource or a prompt, which needs neither rules nor approval. Never rejects. */
  read(
    server: string,
    request: Omit<FileRead, 'server' | 'origin'>,
    isCleanUp = false,
  ): Promise<ReadOutcome> {
    const token = isCleanUp ? this.#cleanUp.token : this.token;
    const read = { ...request, server, origin: 'commandLine' } as const;
    const clientOf = () => this.registry.client(server);
    return readTarget({ clientOf, recorder: this.#recorder }, read, token);
  }

  /** Says in a sentence why a server did not start, and suggests the nearest name for an unknown one. */
  startFailure(id: string, thrown: unknown, redact: (text: string) => string): string {
    const error = toMcpError(thrown);
    if (error.code === 'unknownServer') return this.#noServer(id);
    const { startTimeoutMs } = this.limits;
    return `Server "${id}" did not start: ${errorMessage(error, redact, startTimeoutMs)}`;
  }

  /**
   * Returns a sentence after an error that is about the name or the definition of the tool: similar
   * or all tools of the server, or why it cannot be called. Otherwise returns an empty text.
   */
  toolHint(server: string, name: string, code: McpErrorCode): string {
    const tools = (this.registry.find(server)?.tools ?? []).map(({ tool }) => tool);
    if (code === 'unknownTool') {
      const names = [...new Set(tools.map((tool) => tool.name))];
      const more = names.length > maxNamedTools ? ', …' : '';
      const some = ` Its tools: ${inLine(names.slice(0, maxNamedTools).join(', '))}${more}.`;
      return didYouMean(name, names) || (names.length === 0 ? '' : some);
    }
    const [problem] = tools.find((tool) => tool.name === name)?.problems ?? [];
    if (code !== 'unusableTool' || problem === undefined) return '';
    return ` ${formatToolProblem(problem, inLine)}`;
  }

  /** Returns the server that a command names. @throws {UsageError} if it is not configured */
  named(id: string): Server {
    const server = this.registry.find(id);
    if (server === undefined) throw new UsageError(this.#noServer(id));
    return server;
  }

  #noServer(id: string): string {
    const known = this.registry.servers.map(({ config }) => config.id);
    return `There is no server "${id}".${didYouMean(id, known)}`;
  }

  /** Cancels everything that is running; {@link end} waits for it. */
  cancel(): void {
    this.#cancellation.cancel();
  }

  /** Lets later work run again after {@link cancel}. */
  renew(): void {
    this.#cancellation = new CancellationTokenSource();
  }

  /** Resolves when every server is gone and everything is written. */
  async end(): Promise<void> {
    this.#cleanUp.dispose();
    await this.registry.stopAll();
    this.findings.dispose();
    this.registry.dispose();
    await this.#journal?.stop();
    this.locks.dispose();
    this.book.dispose();
    process.off('exit', this.#killNow);
  }

  #makeRegistry({
    env,
    clientInfo,
    secrets,
    signIns,
    log,
    logOf = () => log,
    logLevel,
    extensions,
    isDetached,
  }: CliSessionOptions): ServerRegistry {
    return new ServerRegistry({
      // The user who types the command, or writes it into a pipeline, trusts these servers.
      isTrusted: () => true,
      approve: () => Promise.resolve(true),
      logOf,
      taskChoices: { runsAsTask: () => isDetached },
      inputs: inputsFrom(env, secrets),
      holdSecrets: registerServerSecrets(secrets),
      redact: (text) => secrets.redact(text),
      connect: connectServer({
        clientInfo,
        processes: this.processes,
        programs: this.programs,
        logOf,
        // There is no user to ask, so unanswered questions are cancelled, which servers support.
        inputOf: ({ id }) => withWrittenAnswers(this.#unanswering(id), id, this),
        authorizationOf: (config, transport) => signIns.authorizationFor(config, transport),
        knownEras: new KnownEras({ get: () => undefined, update: () => Promise.resolve() }),
        limits: () => this.limits,
        ...(logLevel === undefined ? {} : { logLevel }),
        ...(extensions === undefined ? {} : { extensions }),
      }),
    });
  }

  #unanswering(id: string): InputHandler {
    return {
      elicit: ({ message }) => {
        this.findings.asked(id, message);
        return Promise.resolve({ action: 'cancel' });
      },
    };
  }

  #makeGate({ log, isDetached }: CliSessionOptions): Gate {
    const { registry, validator, book, pins } = this;
    const nothing = { suspended: [] };
    const consent = new Consent({
      rules: book,
      grants: {
        covering: () => Promise.resolve(nothing),
        remember: () => Promise.resolve(),
        noteUse: () => undefined,
      },
      pins,
      overrides: { effective: (facts) => Promise.resolve(facts) },
      offeredGrants: () => [],
      toolsOf: (id) => registry.find(id)?.tools ?? [],
      onProblem: (error) => log.warn(toMcpError(error).message),
    });
    return new Gate({
      registry,
      validator,
      consent,
      confirm: () => Promise.resolve({ kind: 'no' }),
      journal: this.#recorder ?? noJournal,
      ...(isDetached ? { tasks: this.#leavingTasks() } : {}),
      calls: this.calls,
      limits: () => this.limits,
    });
  }

  /** Ends the connection once there is a task, which continues at the server. */
  #leavingTasks(): TaskKeeping {
    return {
      keep: (ongoing, handle) => {
        ongoing.taskKept(true, undefined);
        this.detached = handle;
        void this.registry.stopAll();
        return Promise.resolve();
      },
      ended: () => Promise.resolve(),
    };
  }
}

const noJournal: CallJournal = {
  decided: () => Promise.resolve(),
  ended: () => Promise.resolve(),
};

function recorderOf(journal: Journal | undefined, secrets: SecretValues): CallRecorder | undefined {
  return (
    journal &&
    new CallRecorder({
      journal,
      recordsArguments: () => false,
      isRequired: () => true,
      redact: (text) => secrets.redact(text),
    })
  );
}

function journalIn(folder: string, warn: (text: string) => void): Journal {
  return new Journal({
    folder,
    limits: () => journalLimits,
    onProblem: (problem) => {
      if (problem.kind !== 'writableAgain') warn(`journal: ${problem.error.message}`);
    },
  });
}

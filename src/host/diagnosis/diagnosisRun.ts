import { setImmediate } from 'node:timers/promises';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { McpClient } from '../../core/client';
import type { ClientInfo } from '../../core/eras/era';
import { McpError, toMcpError } from '../../core/errors';
import { connectHttp } from '../../core/http/connectHttp';
import type { MessageLimits } from '../../core/rpc/messageLimits';
import { SchemaValidator, type SchemaTimeLimits } from '../../core/schema/schema';
import { connectStdio } from '../../core/stdio/connectStdio';
import type { Programs } from '../../core/stdio/programs';
import type { LiveProcesses, ProcessNotice } from '../../core/stdio/stdioProcess';
import type { InputValues } from '../configuration/inputs';
import {
  hasAuthorizationHeader,
  type HttpServerTransport,
  type ServerConfig,
  type StdioServerTransport,
} from '../configuration/serverConfig';
import type { RegisterServerSecrets } from '../secrets/configuredSecrets';
import type { Redact } from '../secrets/redactSecrets';
import {
  type HttpStepsOptions,
  diagnoseHttp,
  type DiagnosedSignIn,
  diagnoseSignIn,
} from './httpSteps';
import type { Steps, StepFact } from './steps';
import type { ConnectionLog } from '../../core/log';

export interface DiagnosisOptions {
  readonly clientInfo: ClientInfo;
  readonly processes: LiveProcesses;
  readonly programs: Programs;
  readonly inputs?: InputValues;
  readonly proxyOf: HttpStepsOptions['proxyOf'];
  /** Returns the sign-in at a server. Defaults to none. */
  readonly signInOf?: (config: ServerConfig, transport: HttpServerTransport) => DiagnosedSignIn;
  readonly limits: () => { readonly startTimeoutMs: number } & MessageLimits;
  /** Removes secrets from server texts before they are cut. Defaults to no removal. */
  readonly redact?: Redact;
  /** Registers the secrets of a configuration during the diagnosis. Defaults to none. */
  readonly holdSecrets?: RegisterServerSecrets;
  /** Defaults to the product's timeout. */
  readonly probeTimeoutMs?: number;
}

/** Number of schemas that are compiled. Each may take milliseconds. */
const maxSchemas = 1_000;
const schemaLimits: SchemaTimeLimits = { compileMs: 500, validateMs: 100 };
/** Time limit for all schemas. The rest is not checked. */
const allSchemasMs = 5_000;

/** One run of the diagnosed server. */
export class DiagnosisRun {
  readonly #options: DiagnosisOptions;
  readonly #steps: Steps;
  readonly #token: CancellationToken | undefined;
  readonly #runs: ProcessRuns;
  readonly #notices: ProcessNotice[] = [];

  constructor(options: DiagnosisOptions, steps: Steps, token: CancellationToken | undefined) {
    this.#options = options;
    this.#steps = steps;
    this.#token = token;
    this.#runs = new ProcessRuns(options.redact ?? ((text) => text));
  }

  async overStdio(transport: StdioServerTransport): Promise<void> {
    const { processes, programs } = this.#options;
    const steps = this.#steps;
    steps.begin('program');
    try {
      const client = await connectStdio(
        {
          ...transport,
          ...this.#connectOptions(),
          processes,
          programs,
          onNotice: (notice) => this.#notices.push(notice),
          onStage: (stage) => {
            if (stage.kind === 'programFound') {
              steps.pass('program', { kind: 'program', program: stage.program });
              steps.begin('process');
            } else if (stage.kind === 'installing') {
              this.#runs.wasInstalled();
            } else if (stage.kind === 'processStarted') {
              this.#runs.begin(stage.pid);
              steps.begin('stdout');
              steps.begin('era');
            }
          },
        },
        this.#token,
      );
      this.#settleProcess();
      await this.#lookAt(client);
    } catch (thrown) {
      const error = toMcpError(thrown);
      if (error.code === 'exitedEarly') steps.fail('process', error, ...this.#runs.facts());
      if (this.#runs.hasBegun) this.#settleProcess();
      throw error;
    }
  }

  async overHttp(transport: HttpServerTransport, signIn?: DiagnosedSignIn): Promise<void> {
    const { clientInfo, proxyOf, limits } = this.#options;
    const hasOwn = hasAuthorizationHeader(transport);
    const hasSignIn = signIn !== undefined && !hasOwn;
    const options = { clientInfo, proxyOf, timeoutMs: limits().startTimeoutMs, hasSignIn };
    const first = await diagnoseHttp(transport, this.#steps, options, this.#token);
    const { judgeStatus, demand } = first;
    if (hasSignIn && demand !== undefined) {
      await diagnoseSignIn(transport, demand, signIn, this.#steps, this.#token);
    }
    this.#steps.begin('era');
    const { kind, ...rest } = transport;
    const manner = kind === 'sse' ? { transport: kind } : {};
    const authorized = hasSignIn ? { authorization: signIn.authorization } : {};
    const how = { ...rest, ...this.#connectOptions(), ...manner, ...authorized };
    let client: McpClient;
    try {
      client = await connectHttp(how, this.#token);
    } catch (error) {
      judgeStatus(toMcpError(error));
      throw error;
    }
    judgeStatus();
    await this.#lookAt(client);
  }

  #connectOptions() {
    const { clientInfo, limits, probeTimeoutMs } = this.#options;
    return {
      clientInfo,
      log: this.#runs.log,
      limits: { ...limits(), ...(probeTimeoutMs === undefined ? {} : { probeTimeoutMs }) },
      onGarbage: (line: string) => this.#runs.garbage(line),
      onDidProbe: (era: 'stateful' | 'stateless', answer: McpError | undefined) => {
        const status = answer?.facts.httpStatus;
        this.#steps.pass('era', {
          kind: 'era',
          era,
          isSilent: answer?.code === 'timeout',
          ...(status === undefined ? {} : { status }),
          ...(answer?.code === 'connectionLost' ? { isBroken: true } : {}),
        });
        this.#steps.begin('handshake');
      },
    };
  }

  async #lookAt(client: McpClient): Promise<void> {
    const steps = this.#steps;
    try {
      const { serverInfo, revision, capabilities } = client;
      const era = revision === '2026-07-28' ? 'stateless' : 'stateful';
      steps.skip('era', { kind: 'era', era, isSilent: false });
      steps.pass('handshake', {
        kind: 'server',
        name: `${serverInfo.name} ${serverInfo.version}`,
        revision,
      });
      const names = Object.entries(capabilities).flatMap(([name, value]) => (value ? [name] : []));
      steps.pass('capabilities', { kind: 'names', names });
      steps.begin('tools');
      const { tools, problems } = await client.listTools(this.#token ? { token: this.#token } : {});
      const unusable = tools.filter(({ callable }) => !callable).length;
      const fact = { kind: 'tools', tools: tools.length, unusable } as const;
      const [problem] = problems;
      if (problem === undefined) steps.pass('tools', fact);
      else steps.fail('tools', new McpError('invalidResult', { detail: problem.code }), fact);
      steps.begin('schemas');
      await this.#compile(tools.filter(({ callable }) => callable));
    } finally {
      steps.begin('end');
      await client.close();
      const notices = this.#notices.filter(({ kind }) => kind !== 'stderrFlood');
      if (notices.length > 0) steps.fail('end', undefined, { kind: 'notices', notices });
      else if (steps.isOver('schemas')) steps.pass('end');
    }
  }

  /** @throws {McpError} cancelled */
  async #compile(tools: Awaited<ReturnType<McpClient['listTools']>>['tools']): Promise<void> {
    const schemas = tools.flatMap(({ name, inputSchema, outputSchema }) => [
      { name, schema: inputSchema },
      ...(outputSchema === undefined ? [] : [{ name, schema: outputSchema }]),
    ]);
    const end = performance.now() + allSchemasMs;
    const broken: string[] = [];
    let looked = 0;
    for (const { name, schema } of schemas.slice(0, maxSchemas)) {
      if (this.#token?.isCancellationRequested === true) throw new McpError('cancelled');
      if (performance.now() > end) break;
      // A new validator for each schema, so that none is kept.
      const validation = new SchemaValidator(schemaLimits).validate(schema, {});
      if (validation.kind === 'unusable') broken.push(`${name}: ${validation.reason.code}`);
      looked += 1;
      await setImmediate();
    }
    const total = schemas.length;
    const fact = { kind: 'schemas', schemas: looked, total, broken } as const;
    if (broken.length === 0) this.#steps.pass('schemas', fact);
    else this.#steps.fail('schemas', undefined, fact);
  }

  /** Known only once the process has answered, or can no longer answer. */
  #settleProcess(): void {
    const steps = this.#steps;
    const flood = this.#notices.filter(({ kind }) => kind === 'stderrFlood');
    const notices = flood.length === 0 ? [] : [{ kind: 'notices', notices: flood } as const];
    steps.pass('process', ...this.#runs.facts(notices));
    const garbage = this.#runs.garbageFact();
    if (garbage === undefined) steps.pass('stdout');
    else steps.fail('stdout', undefined, garbage);
  }
}

/** Number of stderr lines that are shown for each run; the others are counted. */
const maxLines = 20;

/** The output of one process besides its messages. */
interface ProcessRun {
  readonly pid: number;
  stderr: string[];
  stderrLines: number;
  firstGarbage: string | undefined;
  garbageLines: number;
  wasInstalled: boolean;
}

/**
 * The processes of one diagnosis with their output. A server that exits during protocol detection
 * is started a second time.
 */
class ProcessRuns {
  /** Receives the output of the latest process. */
  readonly log: ConnectionLog;
  readonly #redact: Redact;
  readonly #runs: ProcessRun[] = [];

  constructor(redact: Redact) {
    this.#redact = redact;
    this.log = {
      info: nothing,
      warn: nothing,
      error: nothing,
      stderr: (line) => this.#stderr(line),
      trace: nothing,
      isTracing: () => false,
    };
  }

  get hasBegun(): boolean {
    return this.#runs.length > 0;
  }

  begin(pid: number): void {
    const said = { stderr: [], stderrLines: 0, firstGarbage: undefined, garbageLines: 0 };
    this.#runs.push({ pid, ...said, wasInstalled: false });
  }

  /** Notes that a package manager was installing the program. */
  wasInstalled(): void {
    const run = this.#runs.at(-1);
    if (run !== undefined) run.wasInstalled = true;
  }

  garbage(line: string): void {
    const run = this.#runs.at(-1);
    if (run === undefined) return;
    run.garbageLines += 1;
    run.firstGarbage ??= this.#redact(line);
  }

  /** Returns the facts run by run; `more` belongs to the last one. */
  facts(more: readonly StepFact[] = []): readonly StepFact[] {
    const last = this.#runs.at(-1);
    return this.#runs.flatMap((run) => [
      { kind: 'pid', pid: run.pid } as const,
      ...(run.wasInstalled ? [{ kind: 'installed' } as const] : []),
      ...(run === last ? more : [{ kind: 'endedAtQuestion' } as const]),
      ...(run.stderr.length === 0
        ? []
        : [{ kind: 'stderr', lines: run.stderrLines, last: run.stderr.slice(-maxLines) } as const]),
    ]);
  }

  /** Returns the garbage of the last run, which alone may have reached the end. */
  garbageFact(): StepFact | undefined {
    const { firstGarbage: first, garbageLines: lines = 0 } = this.#runs.at(-1) ?? {};
    return first === undefined ? undefined : { kind: 'garbage', lines, first };
  }

  #stderr(line: string): void {
    const run = this.#runs.at(-1);
    if (run === undefined) return;
    run.stderrLines += 1;
    run.stderr.push(this.#redact(line));
    if (run.stderr.length > 2 * maxLines) run.stderr.splice(0, maxLines);
  }
}

function nothing(): void {
  // The document shows what a log would contain.
}

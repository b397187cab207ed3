import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type CallFile, type FileCall, calledName, isToolCall } from '../core/callFiles/callFile';
import { GeneratedValues } from '../core/callFiles/callFileVariables';
import { type ReadCallFile, readCallFile } from '../core/callFiles/parseCallFile';
import {
  type AttemptedCall,
  answersUsedByAll,
  answersUsedBy,
  runTests,
} from '../core/testing/runTests';
import type { CallAnswers, RunAnswers } from '../host/callFiles/callAnswers';
import { fileRequest } from '../host/callFiles/fileCalls';
import { filesBeside } from '../host/callFiles/filesBeside';
import { isMcpError, type McpErrorCode } from '../core/errors';
import type { CommandTools } from './commandTools';
import { AcceptedAnswers } from './acceptedAnswers';
import { formatCallFileProblem } from '../texts/jsonTextProblems';
import type { CliOutput } from './cliOutput';
import { readText } from './cliRules';
import type { CliRunValues, CliValues } from './cliValues';
import { denialOf } from './denialMessages';
import { inLine } from './errorMessage';
import { type ExitCode, exitCodes, UsageError } from './exitCodes';
import { isFailed, readForTest, reportOf, toMadeCall } from './reportedCall';
import { lineNumberAt } from '../host/configuration/jsonTree';
import { type ReportedCall, type ServerCoverage, redactedCall } from './reporters/report';
import { PatternTime } from '../core/bounds/patterns';
import type { Server } from '../host/connections/snapshot';

export interface TestCommandOptions extends CommandTools {
  readonly values: CliValues;
  readonly answers: Pick<CallAnswers, 'ofRun'>;
}

/** Larger files are not read. The parser has a lower limit of its own. */
const maxFileBytes = 64 * 1024 * 1024;

/** The size of texts for comparisons in all calls of a run. */
const maxKeptChars = 32 * 1024 * 1024;

/** Runs call files, and reports each call as soon as it and all calls of earlier files are over. */
export class TestCommand {
  readonly #options: TestCommandOptions;
  readonly #calls: ReportedCall[] = [];
  readonly #differences = new Set<string>();
  /** The reasons why servers did not start, by id; each is started once. */
  readonly #unstarted = new Map<string, string>();
  readonly #started = new Set<string>();
  readonly #coverage = new ToolCoverage();
  readonly #answerFiles = new Map<string, string | undefined>();
  readonly #ordered = new OrderedItems<ReportedCall>((reported) => this.#notify(reported));
  #hasDenied = false;
  #hasBailed = false;
  #keptChars = 0;

  constructor(options: TestCommandOptions) {
    this.#options = options;
  }

  /** Runs each file with each environment, or without one. */
  async run(files: readonly string[], environments: readonly string[]): Promise<ExitCode> {
    const { reports, session, output, chosen, recorded } = this.#options;
    const { isStrict, run } = chosen;
    const startedAt = performance.now();
    reports.begin();
    const names = environments.length === 0 ? [undefined] : environments;
    const work = names.flatMap((name) => files.map((file) => ({ file, name })));
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let job = next++; job < work.length && !this.#isOver; job = next++) {
        const { file = '', name } = work[job] ?? {};
        await this.#runFile(file, name, (reported) => this.#ordered.add(job, reported));
        this.#ordered.end(job);
        // A recorded server has no state, and its answers go on in their order.
        if (run.isFresh && recorded === undefined) await this.#stopServers();
      }
    };
    await Promise.all(Array.from({ length: run.jobs }, worker));
    const durationMs = Math.round(performance.now() - startedAt);
    // Some findings are known only when the process of a server has exited.
    await session.registry.stopAll();
    const { isCancelled } = session;
    const findings = session.findings.lines().map(output.redact);
    reports.end({
      calls: this.#calls,
      differences: [...this.#differences],
      findings,
      ...(run.hasCoverage ? { coverage: redactedCoverage(this.#coverage, output.redact) } : {}),
      durationMs,
      ...(isCancelled ? { ending: 'cancelled' } : this.#hasBailed ? { ending: 'bailed' } : {}),
      isStrict,
    });
    if (this.#calls.length === 0 && !isCancelled)
      output.notify('No call was run, because none matches --grep.');
    return isCancelled ? exitCodes.cancelled : this.#exitCode(findings);
  }

  /** No further file is begun. */
  get #isOver(): boolean {
    return this.#options.session.isCancelled || this.#hasBailed;
  }

  async #stopServers(): Promise<void> {
    await this.#options.session.registry.stopAll();
    this.#started.clear();
  }

  #differ(line: string): void {
    this.#differences.add(this.#options.output.redact(line));
  }

  #exitCode(findings: readonly string[]): ExitCode {
    if (this.#differences.size > 0) return exitCodes.lockDiffers;
    if (this.#unstarted.size > 0) return exitCodes.serverFailed;
    if (this.#calls.length === 0 || this.#calls.some(isFailed)) return exitCodes.failed;
    if (this.#options.chosen.isStrict && findings.length > 0) return exitCodes.failed;
    return this.#hasDenied ? exitCodes.denied : exitCodes.passed;
  }

  async #runFile(
    whole: string,
    environmentName: string | undefined,
    notify: (reported: ReportedCall) => void,
  ): Promise<void> {
    const { folder, environments, chosen } = this.#options;
    const { grep } = chosen.run;
    const file = path.relative(folder, whole).replaceAll(path.sep, '/');
    const named = environmentName === undefined ? {} : { environment: environmentName };
    const at = { file, ...named, startedAt: new Date().toISOString() };
    const fail = (sentence: string, line = 1): void =>
      notify({ ...at, ...noFile, line, reasons: [{ sentence }] });
    let text: string;
    try {
      text = readText(whole, inLine(file), maxFileBytes);
    } catch (error) {
      if (error instanceof UsageError) return fail(error.message);
      throw error;
    }
    const read = readCallFile(text);
    if (read.file === undefined) {
      for (const problem of read.problems)
        fail(formatCallFileProblem(problem, inLine), lineNumberAt(text, problem.offset));
      return;
    }
    const { calls } = read.file;
    const selected = grep === undefined ? calls : selectCalls(calls, file, grep);
    if (selected === undefined) return fail('--grep takes too long for the names of this file.');
    const environment =
      environmentName === undefined
        ? undefined
        : { name: environmentName, values: environments.valuesOf(environmentName) };
    const place = { whole, text, at, environment, notify };
    await this.#runCalls(read, { ...read.file, calls: selected }, place);
  }

  async #runCalls(
    read: ReadCallFile,
    file: CallFile,
    { whole, text, at, environment, notify }: FilePlace,
  ): Promise<void> {
    const { folder, session, output, secrets, chosen, recorded } = this.#options;
    const { run } = chosen;
    const answers = this.#options.answers.ofRun(answersUsedByAll(file.calls));
    const ofRun = { environment, generated: new GeneratedValues(recorded), answers };
    const answerFiles = this.#answerFiles;
    const { onWritten } = this.#options.context;
    const kept = { answerFiles, onWritten };
    const accepted = new AcceptedAnswers({ file: whole, text, folder, secrets, ...kept });
    const results = runTests({
      calls: file.calls,
      validator: session.validator,
      readText: filesBeside(whole, folder),
      redact: output.redact,
      answers,
      retries: run.retries,
      isCancelled: () => this.#isOver,
      makeCall: this.#maker(file, ofRun),
    });
    try {
      for await (const result of results) {
        const known = run.updates ? await accepted.judge(result) : result;
        const reported = { ...at, ...reportOf(known, text, read, output.redact) };
        if (run.bails && isFailed(reported)) this.#hasBailed = true;
        notify(reported);
        // A report that cannot be written cancels the run before the next call.
        await setImmediate();
      }
    } finally {
      answers.dispose();
    }
  }

  #notify(reported: ReportedCall): void {
    const { output, reports } = this.#options;
    // Reporters cut texts, or write them in another form.
    const known = redactedCall(reported, output.redact);
    this.#calls.push(this.#bounded(known));
    reports.call(known);
  }

  /** Keeps the call for the end of the run, without texts for comparisons once they are very many. */
  #bounded(known: ReportedCall): ReportedCall {
    for (const { expected = '', actual = '' } of known.reasons) {
      this.#keptChars += expected.length + actual.length;
    }
    if (this.#keptChars <= maxKeptChars) return known;
    return { ...known, reasons: known.reasons.map(({ sentence }) => ({ sentence })) };
  }

  #maker(file: CallFile, ofRun: CliRunValues & { readonly answers: RunAnswers }) {
    return async (call: FileCall): Promise<AttemptedCall> => {
      const isCleanUp = call.phase === 'after';
      const unstarted = await this.#start(call.server, isCleanUp);
      if (unstarted !== undefined) return unstarted;
      const filled = await this.#options.values.fill(file, call, ofRun);
      if (filled.kind === 'cancelled') return { kind: 'skipped', message: 'Cancelled.' };
      if (filled.kind === 'problem') return { kind: 'errored', message: filled.sentence };
      if (!isToolCall(call)) {
        const { made, isDenied } = await readForTest(call, filled, { ...this.#options, isCleanUp });
        this.#hasDenied ||= isDenied;
        if (made.kind === 'answered') await ofRun.answers.set(call.name, made.answer.result);
        return made;
      }
      const request = fileRequest(call, 'commandLine', filled);
      const { session } = this.#options;
      const made = await session.call(request, isCleanUp);
      const { outcome } = made;
      if (outcome.kind === 'result' || outcome.kind === 'toolError') {
        this.#coverage.noteCalled(call.server, request.tool);
        await ofRun.answers.set(call.name, outcome.result);
      }
      if (outcome.kind !== 'denied') {
        const own = { expect: filled.expect, questions: request.answers?.failures };
        const hint = (code: McpErrorCode): string =>
          session.toolHint(call.server, request.tool, code);
        return { ...toMadeCall(call, outcome, this.#options.output.redact, hint), ...own };
      }
      const denial = denialOf(made.question, outcome.decision);
      this.#hasDenied = true;
      if (denial.isLocked) this.#differ(`${call.server}/${request.tool}: not called.`);
      const rule = denial.rule === undefined ? '' : ` This rule would: ${denial.rule}`;
      return { kind: 'skipped', message: denial.sentence + rule };
    };
  }

  /** Returns why the call does not run, or `undefined`. */
  async #start(id: string, isCleanUp: boolean): Promise<AttemptedCall | undefined> {
    const { session, output } = this.#options;
    const known = this.#unstarted.get(id);
    if (known !== undefined) return { kind: 'errored', message: known };
    try {
      const server = await session.start(id, isCleanUp);
      this.#coverage.noteOffered(server);
      if (this.#started.has(id)) return undefined;
      this.#started.add(id);
      for (const line of await session.pins.differences(server)) this.#differ(line);
      return undefined;
    } catch (thrown) {
      if (isMcpError(thrown, 'cancelled')) return { kind: 'skipped', message: 'Cancelled.' };
      const message = session.startFailure(id, thrown, output.redact);
      this.#unstarted.set(id, message);
      return { kind: 'errored', message };
    }
  }
}

/** The file that runs, and its values. */
interface FilePlace extends Pick<CliRunValues, 'environment'> {
  readonly whole: string;
  readonly text: string;
  readonly at: Pick<ReportedCall, 'file' | 'environment' | 'startedAt'>;
  readonly notify: (reported: ReportedCall) => void;
}

const noFile = { name: '(file)', line: 1, status: 'errored', durationMs: 0 } as const;

function redactedCoverage(
  coverage: ToolCoverage,
  redact: CliOutput['redact'],
): readonly ServerCoverage[] {
  return coverage.servers().map(({ server, uncalled, ...counts }) => {
    return { server: redact(server), ...counts, uncalled: uncalled.map(redact) };
  });
}

/**
 * Passes on items in the order of their jobs: immediately for the first job that has not ended, and
 * for later jobs when all earlier ones have ended.
 */
class OrderedItems<Item> {
  readonly #notify: (item: Item) => void;
  readonly #waiting = new Map<number, Item[]>();
  readonly #over = new Set<number>();
  #current = 0;

  constructor(notify: (item: Item) => void) {
    this.#notify = notify;
  }

  /** @param job index of the job */
  add(job: number, item: Item): void {
    if (job === this.#current) return this.#notify(item);
    const items = this.#waiting.get(job) ?? [];
    this.#waiting.set(job, [...items, item]);
  }

  end(job: number): void {
    this.#over.add(job);
    while (this.#over.delete(this.#current)) {
      this.#current += 1;
      for (const item of this.#waiting.get(this.#current) ?? []) this.#notify(item);
      this.#waiting.delete(this.#current);
    }
  }
}

/** The time for all names of one file. */
const patternsMs = 500;

/**
 * Returns the calls whose `file: name` the pattern matches, the calls whose answers they need, and
 * their setup and cleanup calls; `undefined` if the pattern took too long.
 */
function selectCalls(
  calls: readonly FileCall[],
  file: string,
  grep: RegExp,
): readonly FileCall[] | undefined {
  const patterns = new PatternTime(patternsMs);
  const wanted = calls.filter((call) => patterns.test(grep, `${file}: ${calledName(call)}`));
  if (patterns.undecided.size > 0) return undefined;
  if (wanted.length === 0) return [];
  const byName = new Map(calls.map((call) => [call.name, call]));
  const chosen = new Set([...wanted, ...calls.filter(({ phase }) => phase !== undefined)]);
  // The loop also visits calls that are added to the set meanwhile.
  for (const call of chosen) {
    for (const name of answersUsedBy(call)) {
      const needed = byName.get(name);
      if (needed !== undefined) chosen.add(needed);
    }
  }
  return calls.filter((call) => chosen.has(call));
}

/** Counts which of the tools that servers offered during a run were called. */
class ToolCoverage {
  readonly #offered = new Map<string, Set<string>>();
  readonly #called = new Map<string, Set<string>>();

  noteOffered({ config, tools }: Pick<Server, 'config' | 'tools'>): void {
    for (const { tool } of tools) namesOf(this.#offered, config.id).add(tool.name);
  }

  /** The tool answered. */
  noteCalled(server: string, tool: string): void {
    namesOf(this.#called, server).add(tool);
  }

  servers(): readonly ServerCoverage[] {
    return [...this.#offered].map(([server, offered]) => {
      const called = namesOf(this.#called, server);
      const uncalled = [...offered].filter((name) => !called.has(name));
      return { server, offered: offered.size, called: offered.size - uncalled.length, uncalled };
    });
  }
}

function namesOf(all: Map<string, Set<string>>, server: string): Set<string> {
  const names = all.get(server) ?? new Set();
  all.set(server, names);
  return names;
}

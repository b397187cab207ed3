import path from 'node:path';
import { fileText } from '../core/bounds/fileText';
import { readRegularFile } from '../core/bounds/regularFile';
import type { CallFile, FileCall } from '../core/callFiles/callFile';
import { GeneratedValues } from '../core/callFiles/generatedValues';
import { protocolErrorOf } from '../core/callFiles/judgeError';
import { readCallFile, type ReadCallFile } from '../core/callFiles/parseCallFile';
import { assertNever, toMcpError } from '../core/errors';
import { namedBy, runTests, type MadeCall, type TestResult } from '../core/testing/runTests';
import type { CallAnswers, RunAnswers } from '../host/callFiles/callAnswers';
import { fileRequest } from '../host/callFiles/fileRequest';
import { filesBeside } from '../host/callFiles/filesBeside';
import { toAnswer, type CallOutcome } from '../host/calls/call';
import type { CliOutput } from './cliOutput';
import type { CliSession } from './cliSession';
import type { CliEnvironments, CliRunValues, CliValues } from './cliValues';
import { denialOf } from './denialWords';
import { errorWords } from './errorWords';
import { exitCodes, type ExitCode } from './exitCodes';
import { failureWords, problemWords } from './failureWords';
import {
  redactedCall,
  type ReportedCall,
  type ReportedReason,
  type Reporter,
} from './reporters/report';

export interface TestCommandOptions {
  readonly folder: string;
  readonly session: CliSession;
  readonly values: CliValues;
  readonly answers: Pick<CallAnswers, 'ofRun'>;
  readonly environments: CliEnvironments;
  readonly output: CliOutput;
  readonly reporter: Reporter;
  /** Whether findings fail the run. */
  readonly isStrict: boolean;
}

/** Larger ones are no call files; the parser says so of what is a little smaller. */
const maxFileBytes = 64 * 1024 * 1024;

/** Of texts for comparisons, in all calls of a run. */
const maxKeptChars = 32 * 1024 * 1024;

/** Runs call files one after the other, and tells of each call as soon as it is over. */
export class TestCommand {
  readonly #options: TestCommandOptions;
  readonly #calls: ReportedCall[] = [];
  readonly #differences = new Set<string>();
  /** Why servers did not start, by their ids: nobody waits twice for what does not come. */
  readonly #unstarted = new Map<string, string>();
  readonly #started = new Set<string>();
  #hasDenied = false;
  #keptChars = 0;

  constructor(options: TestCommandOptions) {
    this.#options = options;
  }

  /** Each file with each of the environments, or with none. */
  async run(files: readonly string[], environments: readonly string[]): Promise<ExitCode> {
    const { reporter, session } = this.#options;
    const startedAt = performance.now();
    this.#report(reporter.begin?.() ?? '');
    for (const name of environments.length === 0 ? [undefined] : environments) {
      for (const file of files) {
        if (!session.isCancelled) await this.#runFile(file, name);
      }
    }
    const durationMs = Math.round(performance.now() - startedAt);
    // Some of what a server did is known only when it is gone.
    await session.registry.stopAll();
    const { isCancelled } = session;
    const summary = {
      calls: this.#calls,
      differences: [...this.#differences],
      findings: session.findings.lines().map(this.#options.output.redact),
      durationMs,
      isCancelled,
      isStrict: this.#options.isStrict,
    };
    this.#report(reporter.end(summary));
    return isCancelled ? exitCodes.cancelled : this.#exitCode(summary.findings);
  }

  #differ(line: string): void {
    this.#differences.add(this.#options.output.redact(line));
  }

  #exitCode(findings: readonly string[]): ExitCode {
    if (this.#differences.size > 0) return exitCodes.lockDiffers;
    if (this.#unstarted.size > 0) return exitCodes.serverFailed;
    if (this.#calls.some(isTrouble)) return exitCodes.failed;
    if (this.#options.isStrict && findings.length > 0) return exitCodes.failed;
    return this.#hasDenied ? exitCodes.denied : exitCodes.passed;
  }

  async #runFile(whole: string, environmentName: string | undefined): Promise<void> {
    const { folder, environments } = this.#options;
    const file = path.relative(folder, whole).replaceAll(path.sep, '/');
    const at = { file, ...(environmentName === undefined ? {} : { environment: environmentName }) };
    const text = await readText(whole);
    if (text === undefined) {
      this.#tell({
        ...at,
        ...noFile,
        reasons: [{ sentence: 'This file cannot be read, or is too large.' }],
      });
      return;
    }
    const read = readCallFile(text);
    if (read.file === undefined) {
      for (const problem of read.problems) {
        const line = lineAt(text, problem.offset);
        this.#tell({ ...at, ...noFile, line, reasons: [{ sentence: problemWords(problem) }] });
      }
      return;
    }
    const environment =
      environmentName === undefined
        ? undefined
        : { name: environmentName, values: environments.valuesOf(environmentName) };
    const place = { whole, text, at, environment };
    await this.#runCalls(read, read.file, place);
  }

  async #runCalls(
    read: ReadCallFile,
    file: CallFile,
    { whole, text, at, environment }: FilePlace,
  ): Promise<void> {
    const { folder, session, output } = this.#options;
    const answers = this.#options.answers.ofRun(namedBy(file.calls));
    const ofRun = { environment, generated: new GeneratedValues(), answers };
    const results = runTests({
      calls: file.calls,
      validator: session.validator,
      readText: filesBeside(whole, folder),
      redact: output.redact,
      answers,
      isCancelled: () => session.isCancelled,
      makeCall: this.#maker(file, ofRun),
    });
    try {
      for await (const result of results) {
        this.#tell({ ...at, ...reportOf(result, text, read, output.redact) });
      }
    } finally {
      answers.dispose();
    }
  }

  #tell(reported: ReportedCall): void {
    const { output, reporter } = this.#options;
    // Before reporters cut it, or write it in another form.
    const known = redactedCall(reported, output.redact);
    this.#calls.push(this.#bounded(known));
    this.#report(reporter.call(known));
  }

  /** For the end of the run: without texts for comparisons once there are very many. */
  #bounded(known: ReportedCall): ReportedCall {
    for (const { expected = '', actual = '' } of known.reasons) {
      this.#keptChars += expected.length + actual.length;
    }
    if (this.#keptChars <= maxKeptChars) return known;
    return { ...known, reasons: known.reasons.map(({ sentence }) => ({ sentence })) };
  }

  #report(text: string): void {
    const { output, reporter } = this.#options;
    if (reporter.isJson === true) output.reportJson(text);
    else output.report(text);
  }

  #maker(file: CallFile, ofRun: CliRunValues & { readonly answers: RunAnswers }) {
    return async (call: FileCall, isCleanUp: boolean): Promise<MadeCall> => {
      const unstarted = await this.#start(call.server);
      if (unstarted !== undefined) return { kind: 'errored', words: unstarted };
      const filled = await this.#options.values.fill(file, call, ofRun);
      if (filled.kind === 'cancelled') return { kind: 'skipped', words: 'Cancelled.' };
      if (filled.kind === 'problem') return { kind: 'errored', words: filled.sentence };
      const request = fileRequest(call, 'commandLine', filled);
      const made = await this.#options.session.call(request, isCleanUp);
      const { outcome } = made;
      if (outcome.kind === 'result' || outcome.kind === 'toolError') {
        await ofRun.answers.set(call.name, outcome.result);
      }
      if (outcome.kind !== 'denied') return toMadeCall(call, outcome, this.#options.output.redact);
      const denial = denialOf(made.question, outcome.decision);
      this.#hasDenied = true;
      if (denial.isLocked) this.#differ(`${call.server}/${call.tool}: not called.`);
      const rule = denial.rule === undefined ? '' : ` This rule would: ${denial.rule}`;
      return { kind: 'skipped', words: denial.sentence + rule };
    };
  }

  /** Why it does not run; `undefined`: it does. */
  async #start(id: string): Promise<string | undefined> {
    const { session, output } = this.#options;
    const known = this.#unstarted.get(id);
    if (known !== undefined) return known;
    try {
      const server = await session.start(id);
      if (this.#started.has(id)) return undefined;
      this.#started.add(id);
      for (const line of await session.pins.differences(server)) this.#differ(line);
      return undefined;
    } catch (thrown) {
      const words = `Server "${id}" did not start: ${errorWords(toMcpError(thrown), output.redact)}`;
      if (!session.isCancelled) this.#unstarted.set(id, words);
      return words;
    }
  }
}

/** Which file runs, and with which values. */
interface FilePlace extends Pick<CliRunValues, 'environment'> {
  readonly whole: string;
  readonly text: string;
  readonly at: Pick<ReportedCall, 'file' | 'environment'>;
}

const noFile = { name: '(file)', line: 1, status: 'errored', durationMs: 0 } as const;

type Redact = CliOutput['redact'];

function toMadeCall(
  call: FileCall,
  outcome: Exclude<CallOutcome, { kind: 'denied' }>,
  redact: Redact,
): MadeCall {
  const { durationMs, callId } = outcome;
  const known = callId === undefined ? {} : { callId };
  switch (outcome.kind) {
    case 'cancelled':
      return { kind: 'skipped', words: 'Cancelled.', ...known };
    case 'failed': {
      const { error, violations } = outcome;
      const [first] = violations;
      const why = first === undefined ? '' : ` ${first.pointer} ${first.message}`;
      const words = `"${call.tool}" of "${call.server}": ${errorWords(error, redact)}${why}`;
      const protocolError = protocolErrorOf(error);
      return { kind: 'errored', words, durationMs, protocolError, ...known };
    }
    case 'result':
    case 'toolError':
      return { kind: 'answered', answer: toAnswer(outcome), ...known };
    default:
      return assertNever(outcome);
  }
}

function reportOf(
  { call, status, failures, words, needs, unprepared, durationMs }: TestResult,
  text: string,
  { placeOf }: ReadCallFile,
  redact: Redact,
): Omit<ReportedCall, 'file'> {
  const needed =
    needs === undefined ? [] : [`It needs the answer of "${needs}", which did not come.`];
  const prepared =
    unprepared === undefined ? [] : [`"${unprepared}", which comes before it, did not pass.`];
  const sentences = [...needed, ...prepared, ...(words === undefined ? [] : [words])];
  return {
    line: lineAt(text, placeOf(call.pointer).offset),
    name: call.name === '' ? call.tool : call.name,
    status,
    durationMs,
    reasons: [
      ...sentences.map((sentence) => ({ sentence })),
      ...failures.map((failure): ReportedReason => {
        const { code, expected = '', actual = '' } = failure;
        const both = code === 'answer' ? { expected, actual } : {};
        return { sentence: failureWords(failure, redact), ...both };
      }),
    ],
  };
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return fileText(await readRegularFile(file, maxFileBytes));
  } catch {
    // It was there a moment ago, is no regular file, is too large, or may not be read.
    return undefined;
  }
}

function isTrouble({ status }: ReportedCall): boolean {
  return status === 'failed' || status === 'errored';
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

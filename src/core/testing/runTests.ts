import type { Expectation, FileCall } from '../callFiles/callFile';
import { variablesOfCall } from '../callFiles/callVariables';
import { judgeError, type ProtocolError } from '../callFiles/judgeError';
import { judge, type Answer, type Failure, type JudgingTools } from '../callFiles/expectations';
import type { ToolResult } from '../types';

/**
 * `failed`: the answer is not what was expected. `errored`: there is no answer. `skipped`: it was
 * not called, and that is nobody's fault here: no rule allows it, or what it needs did not come.
 */
export type TestStatus = 'passed' | 'failed' | 'skipped' | 'errored';

/** How the run of one call went. */
export interface TestResult {
  readonly call: FileCall;
  readonly status: TestStatus;
  /** For `failed`: at least one, each with its place in `expect` and both texts for a diff. */
  readonly failures: readonly Failure[];
  /** For `skipped` and `errored`: why, as a sentence of whoever made the call. */
  readonly words?: string;
  /** For `skipped`: the earlier call whose answer it takes values from, and which brought none. */
  readonly needs?: string;
  /** For `skipped`: the call of `before` that did not pass. */
  readonly unprepared?: string;
  readonly durationMs: number;
  /** What came; absent when nothing came. */
  readonly result?: ToolResult;
  /** By which the gate knows the call; absent when it did not get there. */
  readonly callId?: string;
  /** How often it was called; absent: once. */
  readonly tries?: number;
  /** What came was written down as what is expected. */
  readonly isUpdated?: true;
}

/** What came of the attempt to make a call. */
export type MadeCall = {
  readonly callId?: string;
  /** Of the call, with the values of its variables. Default: as in the file. */
  readonly expect?: Expectation;
  /** Leaves out what is secret of the values of its variables. Default: as the run does. */
  readonly redact?: JudgingTools['redact'];
  /** What became of questions of the server. */
  readonly questions?: readonly Failure[] | undefined;
} & (
  | { readonly kind: 'answered'; readonly answer: Answer }
  | {
      readonly kind: 'skipped' | 'errored';
      readonly words: string;
      readonly durationMs?: number;
      /** The error of the server that came in place of an answer. */
      readonly protocolError?: ProtocolError | undefined;
    }
);

export interface TestRun extends JudgingTools {
  /** In the order in which they run. */
  readonly calls: readonly FileCall[];
  /**
   * Makes one call, through the gate, and keeps its answer for calls that take values from it.
   * `isCleanUp`: the run was cancelled, so that nobody is asked anything any more. Never rejects.
   */
  readonly makeCall: (call: FileCall, isCleanUp: boolean) => Promise<MadeCall>;
  /** Asked before each call; once it says yes only calls of `after` are left, if any call was made. */
  readonly isCancelled?: () => boolean;
  /** How many times more a call that failed is made; default: not once. */
  readonly retries?: number;
  readonly onStart?: (call: FileCall) => void;
  /**
   * Answers that are kept, by the names of their calls: also those that came before this run, for calls
   * that run without those before them. Absent: each answer of this run is.
   */
  readonly answers?: { has(name: string): boolean };
}

/**
 * Runs calls one after the other and holds what comes against what was expected, one result each. A
 * call that does not pass ends nothing: only those that need its answer are skipped, and all but
 * those of `after` when it is one of `before`. Sends nothing by itself, and throws only what
 * `makeCall` throws.
 */
export async function* runTests(run: TestRun): AsyncGenerator<TestResult, void, undefined> {
  const own = new Set(run.calls.map(({ name }) => name));
  const answered = new Set<string>();
  // What a call of this run brought earlier does not count: nobody cleans up after that once more.
  const isThere = (name: string): boolean =>
    (answered.has(name) || !own.has(name)) && (run.answers?.has(name) ?? own.has(name));
  let unprepared: string | undefined;
  let hasBegun = false;
  for (const call of run.calls) {
    const isCleanUp = run.isCancelled?.() === true;
    if (isCleanUp && (call.phase !== 'after' || !hasBegun)) continue;
    const base = { call, status: 'skipped', failures: [], durationMs: 0 } as const;
    if (unprepared !== undefined && call.phase !== 'after') {
      yield { ...base, unprepared };
      continue;
    }
    const needs = neededBy(call).find((name) => !isThere(name));
    if (needs !== undefined) {
      if (call.phase === 'before') unprepared = call.name;
      yield { ...base, needs };
      continue;
    }
    run.onStart?.(call);
    hasBegun = true;
    const result = await tryCall(call, isCleanUp, run);
    if (result.result !== undefined) answered.add(call.name);
    if (call.phase === 'before' && result.status !== 'passed') unprepared = call.name;
    yield result;
  }
}

/** Until it passes, cannot be made, or has had its retries. */
async function tryCall(call: FileCall, isCleanUp: boolean, run: TestRun): Promise<TestResult> {
  for (let tries = 1; ; tries += 1) {
    const result = await toResult(call, await run.makeCall(call, isCleanUp), run);
    const isTrouble = result.status === 'failed' || result.status === 'errored';
    if (isTrouble && tries <= (run.retries ?? 0) && run.isCancelled?.() !== true) continue;
    return tries === 1 ? result : { ...result, tries };
  }
}

/** One result out of what came of a call, for whoever runs a single one. */
export async function toResult(
  call: FileCall,
  made: MadeCall,
  tools: JudgingTools,
): Promise<TestResult> {
  const known = made.callId === undefined ? {} : { callId: made.callId };
  const { expect = call.expect, questions = [], redact = tools.redact } = made;
  if (made.kind !== 'answered') {
    const { kind: status, words, durationMs = 0, protocolError: came } = made;
    if (expect.error !== undefined && came !== undefined) {
      const judged = judgeError(expect, expect.error, came, durationMs, redact);
      const failures = [...questions, ...judged];
      const verdict = failures.length === 0 ? 'passed' : 'failed';
      return { call, status: verdict, failures, durationMs, ...known };
    }
    const isFailed = questions.length > 0 && status === 'errored';
    return {
      call,
      status: isFailed ? 'failed' : status,
      failures: isFailed ? questions : [],
      words,
      durationMs,
      ...known,
    };
  }
  const { result, durationMs } = made.answer;
  const failures = [
    ...questions,
    ...(await judge(expect, made.answer, { ...tools, ...(redact && { redact }) })),
  ];
  const status = failures.length === 0 ? 'passed' : 'failed';
  return { call, status, failures, durationMs, result, ...known };
}

/** The names of the calls that this one takes values from, each once. */
export function neededBy(call: FileCall): readonly string[] {
  const names = variablesOfCall(call).flatMap(({ variable }) =>
    variable.kind === 'call' ? [variable.name] : [],
  );
  return [...new Set(names)];
}

/** The names of all calls that these take values from. */
export function namedBy(calls: readonly FileCall[]): ReadonlySet<string> {
  return new Set(calls.flatMap(neededBy));
}

import type { Expectation, FileCall } from '../callFiles/callFile';
import { variablesOfCall } from '../callFiles/callVariables';
import { checkExpectedError } from '../callFiles/expectedError';
import { redactedQuestions } from '../callFiles/questionAnswers';
import {
  type ProtocolError,
  checkExpectation,
  type Answer,
  type ExpectationFailure,
  type ExpectationContext,
} from '../callFiles/expectations';
import type { ToolResult } from '../types';
import {
  CancellationTokenSource,
  type CancellationToken,
  type Disposable,
} from 'vscode-jsonrpc/node';

/**
 * `failed`: the answer is not as expected. `errored`: there is no answer. `skipped`: the call was
 * not made, because no rule allows it or an earlier call that it needs did not pass.
 */
export type TestStatus = 'passed' | 'failed' | 'skipped' | 'errored';

/** The result of one call. */
export interface TestResult {
  readonly call: FileCall;
  readonly status: TestStatus;
  /** For `failed`: at least one, each with its place in `expect` and both texts for a diff. */
  readonly failures: readonly ExpectationFailure[];
  /** For `skipped` and `errored`: the reason as a sentence, from the code that made the call. */
  readonly message?: string;
  /** For `skipped`: the earlier call whose answer is missing. */
  readonly needs?: string;
  /** For `skipped`: the call of `before` that did not pass. */
  readonly unprepared?: string;
  readonly durationMs: number;
  /** Absent if no result came. */
  readonly result?: ToolResult;
  /** The gate's id for the call. Absent if it did not get there. */
  readonly callId?: string;
  /** The number of attempts. Defaults to 1. */
  readonly tries?: number;
  /** True if the result was saved as the new expectation. */
  readonly isUpdated?: true;
}

/** The outcome of an attempt to make a call. */
export type AttemptedCall = {
  readonly callId?: string;
  /** The expectation with variables filled in. Defaults to the one in the file. */
  readonly expect?: Expectation;
  /** Removes secret values of variables. Defaults to that of the run. */
  readonly redact?: ExpectationContext['redact'];
  /** Failures in answering questions of the server. */
  readonly questions?: readonly ExpectationFailure[] | undefined;
} & (
  | { readonly kind: 'answered'; readonly answer: Answer }
  | {
      readonly kind: 'skipped' | 'errored';
      readonly message: string;
      readonly durationMs?: number;
      /** The server's error, if one came instead of an answer. */
      readonly protocolError?: ProtocolError | undefined;
    }
);

export interface TestRun extends ExpectationContext {
  /** In execution order. */
  readonly calls: readonly FileCall[];
  /**
   * Makes one call through the gate, and keeps its answer for later calls that use it. Never
   * rejects.
   * @param isCleanUp True if the run was cancelled, so that the user must not be asked.
   */
  readonly makeCall: (call: FileCall, isCleanUp: boolean) => Promise<AttemptedCall>;
  /**
   * Checked before each call. After it returns true only calls of `after` are made, if any call was
   * made before.
   */
  readonly isCancelled?: () => boolean;
  /** Number of times that a failed call is repeated. Defaults to 0. */
  readonly retries?: number;
  readonly onStart?: (call: FileCall) => void;
  /**
   * The available answers by call name, including those of earlier runs. Defaults to the answers of
   * this run.
   */
  readonly answers?: { has(name: string): boolean };
}

/**
 * Runs calls one after the other and compares their results with the expectations. A call that does
 * not pass does not end the run: only calls that need its answer are skipped, or, after a failure
 * in `before`, all calls except those of `after`. Sends nothing on its own, and throws only what
 * `makeCall` throws.
 */
export async function* runTests(run: TestRun): AsyncGenerator<TestResult, void, undefined> {
  const own = new Set(run.calls.map(({ name }) => name));
  const answered = new Set<string>();
  // Earlier answers to the calls of this run do not count, because their clean-up is already done.
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
    const needs = answersUsedBy(call).find((name) => !isThere(name));
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

/** Repeats the call until it passes, cannot be made, or has no retries left. */
async function tryCall(call: FileCall, isCleanUp: boolean, run: TestRun): Promise<TestResult> {
  for (let tries = 1; ; tries += 1) {
    const result = await judgeCall(call, await run.makeCall(call, isCleanUp), run);
    const isTrouble = result.status === 'failed' || result.status === 'errored';
    if (isTrouble && tries <= (run.retries ?? 0) && run.isCancelled?.() !== true) continue;
    return tries === 1 ? result : { ...result, tries };
  }
}

/** Judges the outcome of one call by its expectation. */
export async function judgeCall(
  call: FileCall,
  made: AttemptedCall,
  tools: ExpectationContext,
): Promise<TestResult> {
  const known = made.callId === undefined ? {} : { callId: made.callId };
  const { expect = call.expect, redact = tools.redact } = made;
  const questions = redactedQuestions(made.questions ?? [], redact);
  if (made.kind !== 'answered') {
    const { kind: status, message, durationMs = 0, protocolError: came } = made;
    if (expect.error !== undefined && came !== undefined) {
      const judged = checkExpectedError(expect, expect.error, came, durationMs, redact);
      const failures = [...questions, ...judged];
      const verdict = failures.length === 0 ? 'passed' : 'failed';
      return { call, status: verdict, failures, durationMs, ...known };
    }
    const isFailed = questions.length > 0 && status === 'errored';
    return {
      call,
      status: isFailed ? 'failed' : status,
      failures: isFailed ? questions : [],
      message,
      durationMs,
      ...known,
    };
  }
  const { result, durationMs } = made.answer;
  const failures = [
    ...questions,
    ...(await checkExpectation(expect, made.answer, { ...tools, ...(redact && { redact }) })),
  ];
  const status = failures.length === 0 ? 'passed' : 'failed';
  return { call, status, failures, durationMs, result, ...known };
}

/** Returns the distinct names of the calls whose answers this call uses. */
export function answersUsedBy(call: FileCall): readonly string[] {
  const names = variablesOfCall(call).flatMap(({ variable }) =>
    variable.kind === 'call' ? [variable.name] : [],
  );
  return [...new Set(names)];
}

/** Returns the names of all calls whose answers these calls use. */
export function answersUsedByAll(calls: readonly FileCall[]): ReadonlySet<string> {
  return new Set(calls.flatMap(answersUsedBy));
}

/** For all clean-up calls together, because a user who cancels does not want to wait long. */
const maxCleanUpMs = 30_000;

/** The calls that clean up may run until 30 seconds after the run was cancelled. */
export class CleanUpTime {
  readonly #source = new CancellationTokenSource();
  readonly #subscription: Disposable;
  #timer: NodeJS.Timeout | undefined;

  constructor(run: CancellationToken, maxMs = maxCleanUpMs) {
    this.#subscription = run.onCancellationRequested(() => {
      this.#timer = setTimeout(() => this.#source.cancel(), maxMs);
    });
  }

  /** Cancelled at the end of the time. */
  get token(): CancellationToken {
    return this.#source.token;
  }

  dispose(): void {
    this.#subscription.dispose();
    clearTimeout(this.#timer);
    this.#source.dispose();
  }
}

import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { calledName } from '../../core/callFiles/callFile';
import { assertNever } from '../../core/errors';
import type { TestResult } from '../../core/testing/runTests';
import type { CallFileRuns, RunState } from '../callFiles/callFileRuns';
import { formatDuration } from '../format/formatTime';
import { quoted } from '../format/sentences';
import type { ExercisedTools } from './exercisedTools';
import type { LastResults } from './lastResults';
import { writtenCall, type ReadyFile } from './readyFiles';
import { failureMessage, placeIn, wordsMessage } from './testMessages';

export interface TestTellingOptions {
  readonly runs: CallFileRuns;
  readonly exercised: Pick<ExercisedTools, 'add'>;
  readonly last: Pick<LastResults, 'set'>;
}

/** If one call has several runs, the worst decides the result of its test. */
const ranks = { passed: 0, skipped: 1, errored: 2, failed: 2 } as const;

/**
 * Reports the result of each call of a run, in the Test Explorer and above the call in its file.
 */
export class TestTelling {
  readonly #run: vscode.TestRun;
  readonly #options: TestTellingOptions;
  readonly #worst = new Map<vscode.TestItem, { readonly rank: number; readonly state: RunState }>();

  constructor(run: vscode.TestRun, options: TestTellingOptions) {
    this.#run = run;
    this.#options = options;
  }

  start(item: vscode.TestItem): void {
    if (!this.#worst.has(item)) this.#run.started(item);
  }

  async tell(ready: ReadyFile, result: TestResult): Promise<void> {
    const { document, values } = ready;
    const { call } = result;
    const { runs, exercised, last } = this.#options;
    const item = ready.items.get(call.name);
    const words = wordsOf(result);
    const line = `${signs[result.status]} ${lineOf(result, words)}`;
    if (result.result !== undefined) exercised.add(call, result.status === 'passed');
    const place = result.status === 'skipped' ? placeIn(document, call) : undefined;
    this.#run.appendOutput(`${ofEnvironment(values.environment, line)}\r\n`, place, item);
    const known = item === undefined ? undefined : this.#worst.get(item);
    const rank = ranks[result.status];
    const isBetter = known !== undefined && rank < known.rank;
    const state = isBetter ? known.state : stateOf(result, words);
    runs.setState(document.uri, writtenCall(ready.file, call), state);
    if (item === undefined || isBetter) return;
    this.#worst.set(item, { rank, state });
    this.#setStatus(item, ready, result, words);
    await last.set(item, result);
  }

  #setStatus(
    item: vscode.TestItem,
    { document, values: { environment } }: ReadyFile,
    { call, durationMs, failures, status }: TestResult,
    words: string,
  ): void {
    const run = this.#run;
    switch (status) {
      case 'passed':
        return run.passed(item, durationMs);
      case 'failed': {
        const messages = failures.map((failure) => failureMessage(document, call, failure));
        for (const message of messages) {
          if (typeof message.message === 'string') {
            message.message = ofEnvironment(environment, message.message);
          }
        }
        return run.failed(item, messages, durationMs);
      }
      case 'errored': {
        const message = wordsMessage(placeIn(document, call), ofEnvironment(environment, words));
        return run.errored(item, message, durationMs);
      }
      case 'skipped':
        return run.skipped(item);
      default:
        return assertNever(status);
    }
  }
}

/** Adds the name of the environment if a run has several. */
function ofEnvironment(name: string | undefined, text: string): string {
  return name === undefined ? text : `[${quoted(name)}] ${text}`;
}

const signs = { passed: '✓', failed: '✗', errored: '✗', skipped: '⊘' } as const;

function wordsOf({ words, needs, unprepared }: TestResult): string {
  if (unprepared !== undefined) {
    return l10n.t('Not called: its setup call “{0}” did not pass.', quoted(unprepared));
  }
  if (needs === undefined) return words ?? '';
  return l10n.t(
    'Not called: it uses values from the result of “{0}”, which has none.',
    quoted(needs),
  );
}

function lineOf({ call, status, durationMs }: TestResult, words: string): string {
  const name = quoted(calledName(call));
  const tool = `${quoted(call.server)}/${quoted(call.target.name)}`;
  const hasCome = status === 'passed' || status === 'failed';
  return hasCome
    ? `${name} (${tool}) ${formatDuration(durationMs)}`
    : `${name} (${tool}): ${words}`;
}

function stateOf({ status, durationMs, failures, callId }: TestResult, words: string): RunState {
  const facts = { durationMs, ...(callId === undefined ? {} : { callId }) };
  switch (status) {
    case 'passed':
      return { kind: 'passed', ...facts };
    case 'failed':
      return { kind: 'unmet', failures, ...facts };
    case 'errored':
      return { kind: 'failed', words };
    case 'skipped':
      return { kind: 'denied', words };
    default:
      return assertNever(status);
  }
}

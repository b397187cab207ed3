import type * as vscode from 'vscode';
import type { Failure } from '../../core/callFiles/expectations';
import type { TestResult } from '../../core/testing/runTests';
import type { ToolResult } from '../../core/types';
import type { CallAnswers } from '../../host/callFiles/callAnswers';
import { withoutAnswer } from '../callFiles/callFileRuns';
import { canBeAccepted } from './testMessages';

/** The last result of a test, whose answer can become the expected one. */
interface LastResult extends Pick<TestResult, 'callId'> {
  readonly failures: readonly Failure[];
  /** Key of its stored answer. */
  readonly key: string;
}

/** The actual answers of failed tests, as long as their items exist. */
export class LastResults {
  readonly #results = new WeakMap<vscode.TestItem, LastResult>();
  readonly #answers: CallAnswers;

  constructor(answers: CallAnswers) {
    this.#answers = answers;
  }

  get(item: vscode.TestItem): Omit<LastResult, 'key'> | undefined {
    const last = this.#results.get(item);
    return last !== undefined && this.#answers.has(last.key) ? last : undefined;
  }

  async answerOf(item: vscode.TestItem): Promise<ToolResult | undefined> {
    const last = this.#results.get(item);
    return last && this.#answers.get(last.key);
  }

  /** Resolves when the answer is stored. */
  async set(
    item: vscode.TestItem,
    { callId, failures, result }: Pick<TestResult, 'callId' | 'failures' | 'result'>,
  ): Promise<void> {
    const key = JSON.stringify(['test', item.uri?.toString(), item.id]);
    this.#results.delete(item);
    this.#answers.delete(key);
    if (result === undefined || !failures.some(({ code }) => canBeAccepted(code))) return;
    const facts = callId === undefined ? {} : { callId };
    this.#results.set(item, { ...facts, key, failures: failures.map(withoutAnswer) });
    await this.#answers.set(key, result, 'disk');
  }
}

import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { AnswerOfCall, ExpectedAnswers } from '../callFiles/expectedAnswers';
import { askInDialog } from '../editor/askInDialog';
import { notify } from '../editor/messages';
import { type TestItems, canBeAccepted } from './testItems';
import type { ExpectationFailure } from '../../core/callFiles/expectations';
import type { TestResult } from '../../core/testing/runTests';
import type { ToolResult } from '../../core/types';
import type { CallAnswers } from '../../host/callFiles/callAnswers';
import { withoutAnswer } from '../callFiles/callFileRuns';

interface AcceptAnswersOptions {
  readonly items: Pick<TestItems, 'all' | 'nameOf'>;
  readonly last: Pick<LastResults, 'get' | 'answerOf'>;
  readonly answers: Pick<ExpectedAnswers, 'write'>;
}

/**
 * Replaces the expected values of failed tests with the actual ones: of one test, of a file, or of
 * all.
 */
export class AcceptAnswers {
  readonly #options: AcceptAnswersOptions;

  constructor(options: AcceptAnswersOptions) {
    this.#options = options;
  }

  /**
   * `argument` comes from the Test Explorer and says only which tests are meant; nothing means all.
   * The actual values come from their runs.
   */
  async accept(argument: unknown): Promise<void> {
    const all = this.#options.items.all();
    const chosen = chosenOf(argument, all);
    const files = new Map<
      string,
      { readonly uri: vscode.Uri; readonly answered: vscode.TestItem[] }
    >();
    for (const item of chosen) {
      if (item.uri === undefined || this.#options.last.get(item) === undefined) continue;
      const key = item.uri.toString();
      const known = files.get(key) ?? { uri: item.uri, answered: [] };
      known.answered.push(item);
      files.set(key, known);
    }
    if (files.size === 0) {
      notify('information', l10n.t('No test has a result to accept.'));
      return;
    }
    if (isAll(argument) && !(await agrees(files.size))) return;
    for (const { uri, answered } of files.values()) {
      await this.#options.answers.write(uri, this.#answersOf(answered));
    }
  }

  /** One after the other, because many may be on disk and would not all fit into memory. */
  async *#answersOf(items: readonly vscode.TestItem[]): AsyncGenerator<AnswerOfCall> {
    for (const item of items) {
      const { last } = this.#options;
      const { failures, callId } = last.get(item) ?? {};
      const name = this.#options.items.nameOf(item);
      const result = await last.answerOf(item);
      if (name === undefined || result === undefined || failures === undefined) continue;
      yield { name, result, failures, callId };
    }
  }
}

function isAll(argument: unknown): argument is null | undefined {
  return argument === undefined || argument === null;
}

/** A link or another caller of the command may name no test, so the user confirms. */
function agrees(files: number): Promise<boolean> {
  return askInDialog(
    l10n.t('Accept the results of all failing tests as expected?'),
    l10n.t('This changes call files without saving them: {0}.', files),
    l10n.t('Accept as Expected'),
  );
}

/** Returns the calls for the named item, or for the item of the named message. */
function chosenOf(argument: unknown, all: readonly vscode.TestItem[]): readonly vscode.TestItem[] {
  if (isAll(argument)) return all;
  const named =
    typeof argument === 'object' && 'test' in argument && !('children' in argument)
      ? argument.test
      : argument;
  return all.filter((item) => item === named || item.parent === named);
}

/** The last result of a test, whose answer can become the expected one. */
interface LastResult extends Pick<TestResult, 'callId'> {
  readonly failures: readonly ExpectationFailure[];
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

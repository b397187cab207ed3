import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { BroughtAnswer, ExpectedAnswers } from '../callFiles/expectedAnswers';
import { tell } from '../editor/messages';
import type { LastResults } from './lastResults';
import type { TestItems } from './testItems';
import { canBeAccepted } from './testMessages';

export interface AcceptAnswersOptions {
  readonly items: Pick<TestItems, 'all' | 'nameOf'>;
  readonly last: Pick<LastResults, 'get'>;
  readonly answers: Pick<ExpectedAnswers, 'write'>;
}

/** Makes what failing tests brought what is expected of them: of one, of a file, or of all. */
export class AcceptAnswers {
  readonly #options: AcceptAnswersOptions;

  constructor(options: AcceptAnswersOptions) {
    this.#options = options;
  }

  /**
   * `argument` is what the Test Explorer hands over, or nothing: then all. It only says which tests
   * are meant; what they brought is known from their runs.
   */
  async accept(argument: unknown): Promise<void> {
    const all = this.#options.items.all();
    const chosen = chosenOf(argument, all);
    const files = new Map<
      string,
      { readonly uri: vscode.Uri; readonly answers: BroughtAnswer[] }
    >();
    for (const item of chosen) {
      const answer = this.#answerOf(item);
      if (item.uri === undefined || answer === undefined) continue;
      const key = item.uri.toString();
      const known = files.get(key) ?? { uri: item.uri, answers: [] };
      known.answers.push(answer);
      files.set(key, known);
    }
    if (files.size === 0) {
      tell('information', l10n.t('No test has an answer that could be expected instead.'));
      return;
    }
    if (isAll(argument) && !(await agrees(files.size))) return;
    for (const { uri, answers } of files.values()) await this.#options.answers.write(uri, answers);
  }

  #answerOf(item: vscode.TestItem): BroughtAnswer | undefined {
    const { result, failures = [], callId } = this.#options.last.get(item) ?? {};
    const name = this.#options.items.nameOf(item);
    if (name === undefined || result === undefined) return undefined;
    if (!failures.some(({ code }) => canBeAccepted(code))) return undefined;
    return { name, result, failures, callId };
  }
}

function isAll(argument: unknown): argument is null | undefined {
  return argument === undefined || argument === null;
}

/** A link, or whatever else runs commands, can name no test, but leave it out. */
async function agrees(files: number): Promise<boolean> {
  const accept = l10n.t('Accept as Expected');
  const pressed = await vscode.window.showWarningMessage(
    l10n.t('Accept what all failing tests brought as expected?'),
    { modal: true, detail: l10n.t('This changes {0} call files and saves none.', files) },
    { title: accept },
  );
  return pressed?.title === accept;
}

/** Calls, by the item that is named, or that its message is about. */
function chosenOf(argument: unknown, all: readonly vscode.TestItem[]): readonly vscode.TestItem[] {
  if (isAll(argument)) return all;
  const named =
    typeof argument === 'object' && 'test' in argument && !('children' in argument)
      ? argument.test
      : argument;
  return all.filter((item) => item === named || item.parent === named);
}

import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { toMcpError } from '../../core/errors';
import type { CallQuestion } from '../../host/calls/call';
import { commands, reviewScheme } from '../../ids';
import { toFileName } from '../editor/fileName';
import { lensAtLine } from '../editor/textPlaces';
import { commandLink } from '../editor/ownArguments';
import { EditorQuestions, type SureAnswer } from '../editor/editorQuestions';
import { quoted } from '../format/sentences';
import { reviewText } from './reviewText';

/** Buttons on a review. Cancelling and closing give none of them. */
export type ReviewButton = 'run' | 'allow' | 'edit';

/** Returns one line for each of the newest calls of the same tool, newest first. Never rejects. */
type EarlierCalls = (question: CallQuestion) => Promise<readonly string[]>;

/**
 * Shows calls in full before they are decided on. Each has a read-only document with the buttons of
 * the question on its first line.
 */
export class CallReviews implements vscode.Disposable {
  readonly #earlierCalls: EarlierCalls;
  readonly #questions = new EditorQuestions<CallQuestion, ReviewButton>(reviewScheme, reviewLenses);

  constructor(earlierCalls: EarlierCalls) {
    this.#earlierCalls = earlierCalls;
  }

  /** Resolves with the user's choice. Cancelling removes the document and means no. */
  async review(
    question: CallQuestion,
    token: vscode.CancellationToken,
  ): Promise<ReviewButton | undefined> {
    const shown = {
      name: `${toFileName(question.entry.tool.name)}.review.txt`,
      text: reviewText(question, await this.#earlierCalls(question)),
      waiting: (uri: vscode.Uri) =>
        l10n.t(
          'Review the call, then select [Run]({0}) or [Cancel]({1}).',
          commandLink(commands.runArguments, uri.toJSON()),
          commandLink(commands.cancelArguments, uri.toJSON()),
        ),
    };
    try {
      return await this.#questions.ask(question, shown, token);
    } catch (error) {
      throw toMcpError(error);
    }
  }

  /** Runs a command of the review, for the document that the argument names, if any. */
  async press(argument: unknown, press: ReviewButton): Promise<void> {
    await this.#questions.agree(argument, (question) => answerOf(press, question));
  }

  cancel(argument: unknown): void {
    this.#questions.refuse(argument);
  }

  dispose(): void {
    this.#questions.dispose();
  }
}

/** Returns `undefined` if the button is not offered. */
function answerOf(
  press: ReviewButton,
  question: CallQuestion,
): SureAnswer<ReviewButton> | undefined {
  if (press === 'allow' && question.offered.length === 0) return undefined;
  // This does not approve the call: the edited arguments are asked about again.
  if (press === 'edit') return { answer: press };
  const { tool } = question.entry;
  const sure = l10n.t('Run “{0}” on “{1}”?', quoted(tool.name), quoted(question.config.label));
  return { answer: press, sure: { question: sure, yes: yesOf(press) } };
}

function reviewLenses({ offered }: CallQuestion, uri: vscode.Uri): vscode.CodeLens[] {
  const lens = (title: string, command: string): vscode.CodeLens =>
    lensAtLine(0, title, command, uri);
  return [
    lens(l10n.t('$(play) Run'), commands.runArguments),
    ...(offered.length === 0 ? [] : [lens(l10n.t('$(key) Allow…'), commands.allowCalls)]),
    lens(l10n.t('$(edit) Edit Arguments'), commands.editCallArguments),
    lens(l10n.t('$(close) Cancel'), commands.cancelArguments),
  ];
}

function yesOf(press: Exclude<ReviewButton, 'edit'>): string {
  return press === 'run' ? l10n.t('Run') : l10n.t('Allow…');
}

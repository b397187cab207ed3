import * as l10n from '@vscode/l10n';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { assertNever, toMcpError } from '../../core/errors';
import type { CallQuestion } from '../../host/calls/call';
import { commands, internalCommands, reviewScheme } from '../../ids';
import { toFileName } from '../arguments/fileName';
import { closeTabs, onDidCloseLastTab, tabsOfScheme } from '../arguments/tabs';
import { codeLens } from '../editor/codeLens';
import { commandLink } from '../editor/commandLink';
import { isInFront } from '../editor/inFront';
import { showReadable } from '../editor/readableDocument';
import { isSureYes } from '../editor/sureYes';
import { quoted } from '../format/sentences';
import { reviewText } from './reviewText';

/** What can be pressed on a review; `undefined` for Cancel and for closing it. */
export type ReviewPress = 'run' | 'remember' | 'always' | 'edit';

/** What of it lets the call run. */
type YesPress = Exclude<ReviewPress, 'edit'>;

/** A line for each of the newest calls of the same tool, newest first. Never rejects. */
export type EarlierCalls = (question: CallQuestion) => Promise<readonly string[]>;

interface Review {
  readonly text: string;
  readonly question: CallQuestion;
  readonly offersRules: boolean;
  readonly answer: (press: ReviewPress | undefined) => void;
}

/**
 * Calls that are read in full before they are decided on: a read-only document each, with the
 * buttons of the question on its first line. Closing the document means no.
 */
export class CallReviews
  implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable
{
  readonly #earlierCalls: EarlierCalls;
  readonly #reviews = new Map<string, Review>();
  readonly #subscriptions: vscode.Disposable;

  constructor(earlierCalls: EarlierCalls) {
    this.#earlierCalls = earlierCalls;
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(reviewScheme, this),
      vscode.languages.registerCodeLensProvider({ scheme: reviewScheme }, this),
      onDidCloseLastTab(reviewScheme, (uri) => this.answer(uri, undefined)),
    );
    // What a reload of the window brought back belongs to questions that nobody asks any more.
    void vscode.window.tabGroups.close(tabsOfScheme(reviewScheme));
  }

  /** Resolves with what the person pressed; cancelling takes the document away and means no. */
  async review(
    question: CallQuestion,
    token: vscode.CancellationToken,
    { offersRules = false } = {},
  ): Promise<ReviewPress | undefined> {
    const text = reviewText(question, await this.#earlierCalls(question));
    // Not to be guessed: links can name documents to commands.
    const path = `/${randomUUID()}/${toFileName(question.entry.tool.name)}.review.txt`;
    const uri = vscode.Uri.from({ scheme: reviewScheme, path });
    const answered = new Promise<ReviewPress | undefined>((resolve) => {
      this.#reviews.set(uri.toString(), { text, question, offersRules, answer: resolve });
    });
    const subscription = token.onCancellationRequested(() => this.answer(uri, undefined));
    if (token.isCancellationRequested) this.answer(uri, undefined);
    try {
      await showReadable(uri);
      return await this.#wait(uri, answered);
    } catch (error) {
      throw toMcpError(error);
    } finally {
      subscription.dispose();
      this.#reviews.delete(uri.toString());
      await closeTabs(uri);
    }
  }

  /** The same for a yes, which only counts at once where whoever gives it named the document. */
  async agree(uri: vscode.Uri | undefined, press: YesPress, isNamed: boolean): Promise<void> {
    const review = uri && this.#reviews.get(uri.toString());
    if (uri === undefined || review === undefined) return;
    const { entry, config } = review.question;
    const question = l10n.t('Run “{0}” on “{1}”?', quoted(entry.tool.name), quoted(config.label));
    const isSure = !isInFront(uri) || (await isSureYes({ isNamed, question, yes: yesOf(press) }));
    if (isSure) this.answer(uri, press);
  }

  /**
   * Does nothing for a document whose question is answered already, nor what is not offered. Only
   * what is in front can be agreed to; from elsewhere it is brought there.
   */
  answer(uri: vscode.Uri | undefined, press: ReviewPress | undefined): void {
    const review = uri && this.#reviews.get(uri.toString());
    if (uri !== undefined && review !== undefined && press !== undefined && !isInFront(uri)) {
      void showReadable(uri);
      return;
    }
    if (press === 'remember' && review?.question.offered.length === 0) return;
    if (press === 'always' && review?.offersRules === false) return;
    review?.answer(press);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#reviews.get(uri.toString())?.text ?? l10n.t('This question has been answered.');
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const review = this.#reviews.get(uri.toString());
    if (review === undefined) return [];
    const top = new vscode.Range(0, 0, 0, 0);
    const lens = (title: string, command: string): vscode.CodeLens =>
      codeLens(top, { title, command, arguments: [uri] });
    return [
      lens(l10n.t('$(play) Run'), commands.runArguments),
      ...(review.question.offered.length === 0
        ? []
        : [lens(l10n.t('$(key) Run and Remember…'), commands.runAndRemember)]),
      ...(review.offersRules
        ? [lens(l10n.t('$(law) Always Allow This…'), internalCommands.allowAlways)]
        : []),
      lens(l10n.t('$(edit) Edit Arguments'), commands.editCallArguments),
      lens(l10n.t('$(close) Cancel'), commands.cancelArguments),
    ];
  }

  dispose(): void {
    for (const { answer } of this.#reviews.values()) answer(undefined);
    this.#subscriptions.dispose();
  }

  /** The notification goes away with the answer, unlike one with buttons of its own. */
  async #wait<T>(uri: vscode.Uri, answered: Promise<T>): Promise<T> {
    return vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: l10n.t(
          'Waiting for you: [Run]({0}) or [Cancel]({1}).',
          commandLink(commands.runArguments, uri.toJSON()),
          commandLink(commands.cancelArguments, uri.toJSON()),
        ),
      },
      () => answered,
    );
  }
}

function yesOf(press: YesPress): string {
  switch (press) {
    case 'run':
      return l10n.t('Run');
    case 'remember':
      return l10n.t('Run and Remember…');
    case 'always':
      return l10n.t('Always Allow This…');
    default:
      return assertNever(press);
  }
}

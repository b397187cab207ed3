import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { toMcpError } from '../../core/errors';
import type { CallQuestion } from '../../host/calls/call';
import { commands, internalCommands, reviewScheme } from '../../ids';
import { toFileName } from '../arguments/fileName';
import { closeTabs, onDidCloseLastTab, tabsOfScheme } from '../arguments/tabs';
import { commandLink } from '../editor/commandLink';
import { isInFront } from '../editor/inFront';
import { showReadable } from '../editor/readableDocument';
import { reviewText } from './reviewText';

/** What can be pressed on a review; `undefined` for Cancel and for closing it. */
export type ReviewPress = 'run' | 'remember' | 'always' | 'edit';

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

  /**
   * Does nothing for a document whose question is answered already, nor what is not offered. Only
   * what is in front can be agreed to; from elsewhere it is brought there.
   */
  answer(uri: vscode.Uri, press: ReviewPress | undefined): void {
    const review = this.#reviews.get(uri.toString());
    if (review !== undefined && press !== undefined && !isInFront(uri)) {
      void showReadable(uri);
      return;
    }
    if (press === 'remember' && review?.question.offered.length === 0) return;
    if (press === 'always' && review?.offersRules === false) return;
    review?.answer(press);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.#reviews.get(uri.toString())?.text ?? vscode.l10n.t('This question has been answered.')
    );
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const review = this.#reviews.get(uri.toString());
    if (review === undefined) return [];
    const top = new vscode.Range(0, 0, 0, 0);
    const lens = (title: string, command: string): vscode.CodeLens =>
      new vscode.CodeLens(top, { title, command, arguments: [uri] });
    return [
      lens(vscode.l10n.t('$(play) Run'), commands.runArguments),
      ...(review.question.offered.length === 0
        ? []
        : [lens(vscode.l10n.t('$(key) Run and Remember…'), commands.runAndRemember)]),
      ...(review.offersRules
        ? [lens(vscode.l10n.t('$(law) Always Allow This…'), internalCommands.allowAlways)]
        : []),
      lens(vscode.l10n.t('$(edit) Edit Arguments'), commands.editCallArguments),
      lens(vscode.l10n.t('$(close) Cancel'), commands.cancelArguments),
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
        title: vscode.l10n.t(
          'Waiting for you: [Run]({0}) or [Cancel]({1}).',
          commandLink(commands.runArguments, uri.toJSON()),
          commandLink(commands.cancelArguments, uri.toJSON()),
        ),
      },
      () => answered,
    );
  }
}

import * as vscode from 'vscode';
import { toMcpError } from '../../core/errors';
import type { CallDecision, CallQuestion } from '../../host/call';
import { commands, reviewScheme } from '../../ids';
import { toFileName } from '../arguments/fileName';
import { closeTabs, onDidCloseLastTab, tabsOfScheme } from '../arguments/tabs';
import { reviewText } from './confirmText';

interface Review {
  readonly text: string;
  readonly answer: (decision: CallDecision) => void;
}

/**
 * Calls that are read in full before they are decided on: a read-only document each, with Run and
 * Cancel on its first line. Closing the document means no.
 */
export class CallReviews
  implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable
{
  readonly #reviews = new Map<string, Review>();
  readonly #subscriptions: vscode.Disposable;
  #count = 0;

  constructor() {
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(reviewScheme, this),
      vscode.languages.registerCodeLensProvider({ scheme: reviewScheme }, this),
      onDidCloseLastTab(reviewScheme, (uri) => this.answer(uri, 'no')),
    );
    // What a reload of the window brought back belongs to questions that nobody asks any more.
    void vscode.window.tabGroups.close(tabsOfScheme(reviewScheme));
  }

  /** Resolves with the person's answer; cancelling takes the document away and means no. */
  async review(question: CallQuestion, token: vscode.CancellationToken): Promise<CallDecision> {
    this.#count += 1;
    const path = `/${this.#count}/${toFileName(question.entry.tool.name)}.review.txt`;
    const uri = vscode.Uri.from({ scheme: reviewScheme, path });
    const answered = new Promise<CallDecision>((resolve) => {
      this.#reviews.set(uri.toString(), { text: reviewText(question), answer: resolve });
    });
    const subscription = token.onCancellationRequested(() => this.answer(uri, 'no'));
    try {
      await vscode.window.showTextDocument(uri, { preview: false });
      return await this.#wait(uri, answered);
    } catch (error) {
      throw toMcpError(error);
    } finally {
      subscription.dispose();
      this.#reviews.delete(uri.toString());
      await closeTabs(uri);
    }
  }

  /** Does nothing for a document whose question is answered already. */
  answer(uri: vscode.Uri, decision: CallDecision): void {
    this.#reviews.get(uri.toString())?.answer(decision);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.#reviews.get(uri.toString())?.text ?? vscode.l10n.t('This question has been answered.')
    );
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    if (!this.#reviews.has(uri.toString())) return [];
    const top = new vscode.Range(0, 0, 0, 0);
    return [
      new vscode.CodeLens(top, {
        title: vscode.l10n.t('$(play) Run'),
        command: commands.runArguments,
        arguments: [uri],
      }),
      new vscode.CodeLens(top, {
        title: vscode.l10n.t('$(close) Cancel'),
        command: commands.cancelArguments,
        arguments: [uri],
      }),
    ];
  }

  dispose(): void {
    for (const { answer } of this.#reviews.values()) answer('no');
    this.#subscriptions.dispose();
  }

  /** The notification goes away with the answer, unlike one with buttons of its own. */
  async #wait(uri: vscode.Uri, answered: Promise<CallDecision>): Promise<CallDecision> {
    return vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t('Waiting for you: Run or Cancel, above the first line.'),
        cancellable: true,
      },
      (_, token) => {
        token.onCancellationRequested(() => this.answer(uri, 'no'));
        return answered;
      },
    );
  }
}

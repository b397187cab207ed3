import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { toMcpError } from '../../core/errors';
import { commands, trustScheme } from '../../ids';
import { toFileName } from '../editor/fileName';
import { codeLens } from '../editor/codeLens';
import { commandLink } from '../editor/commandTarget';
import { EditorQuestions } from '../editor/editorQuestions';
import {
  startQuestion,
  startTitle,
  trustDiffTitle,
  trustDocument,
  type TrustQuestion,
} from './formatTrustQuestion';

/**
 * Shows how servers are started, to be read in full before anything runs: a read-only text, or a
 * diff if the start of one server changed.
 */
export class ServerTrustReviews implements vscode.Disposable {
  readonly #questions = new EditorQuestions<readonly TrustQuestion[], true>(
    trustScheme,
    startLenses,
  );

  /** Registers the commands that answer. */
  register(): vscode.Disposable {
    const register = vscode.commands.registerCommand;
    return vscode.Disposable.from(
      register(commands.startReviewed, (argument: unknown) =>
        this.#questions.agree(argument, (asked) => ({
          answer: true,
          sure: { question: startQuestion(asked), yes: startTitle(asked) },
        })),
      ),
      register(commands.cancelReviewed, (argument: unknown) => this.#questions.refuse(argument)),
    );
  }

  /** Resolves with true if the user agrees. Cancelling closes the document and means no. */
  async review(
    asked: readonly TrustQuestion[],
    token?: vscode.CancellationToken,
  ): Promise<boolean> {
    const [first, ...others] = asked;
    if (first === undefined) return false;
    const document = trustDocument(asked);
    const shown = {
      name: `${others.length === 0 ? toFileName(first.config.id) : 'servers'}.start.txt`,
      text:
        document.kind === 'text' ? document.text : { ...document, title: trustDiffTitle(first) },
      waiting: (uri: vscode.Uri) =>
        l10n.t(
          'Review the server, then select [{0}]({1}) or [Cancel]({2}).',
          startTitle(asked),
          commandLink(commands.startReviewed, uri.toJSON()),
          commandLink(commands.cancelReviewed, uri.toJSON()),
        ),
    };
    // A picker that waits for the start would cover the first lines of the document.
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    try {
      return (await this.#questions.ask(asked, shown, token)) === true;
    } catch (error) {
      throw toMcpError(error);
    }
  }

  dispose(): void {
    this.#questions.dispose();
  }
}

function startLenses(asked: readonly TrustQuestion[], uri: vscode.Uri): vscode.CodeLens[] {
  const top = new vscode.Range(0, 0, 0, 0);
  const lens = (title: string, command: string): vscode.CodeLens =>
    codeLens(top, { title, command, arguments: [uri] });
  return [
    lens(`$(play) ${startTitle(asked)}`, commands.startReviewed),
    lens(l10n.t('$(close) Cancel'), commands.cancelReviewed),
  ];
}

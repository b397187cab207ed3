import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { documentName } from '../../core/content/documentNames';
import { addingScheme, commands } from '../../ids';
import { commandLink } from '../editor/commandLink';
import { EditorQuestions } from '../editor/editorQuestions';
import { quoted } from '../format/sentences';

/** What is to be written, to be looked at first. */
export interface WritePreview {
  readonly title: string;
  /** Of the file; its ending decides how the texts are drawn. */
  readonly fileName: string;
  readonly before: string;
  readonly after: string;
  /** Sentences that the user should read before. */
  readonly notes: readonly string[];
}

/** Shows a file as it is beside what it would become, as a native diff with Write and Cancel. */
export class WritePreviews implements vscode.Disposable {
  readonly #questions = new EditorQuestions<WritePreview, true>(addingScheme);

  /** The commands that answer. */
  register(): vscode.Disposable {
    const register = vscode.commands.registerCommand;
    return vscode.Disposable.from(
      register(commands.writeServers, (argument: unknown) =>
        this.#questions.agree(argument, ({ fileName }) => {
          const question = l10n.t('Write these changes to “{0}”?', quoted(fileName));
          return { answer: true, sure: { question, yes: l10n.t('Write') } };
        }),
      ),
      register(commands.cancelAdding, (argument: unknown) => this.#questions.refuse(argument)),
    );
  }

  /** Whether the user said yes. */
  async ask(preview: WritePreview): Promise<boolean> {
    const { title, fileName, before, after, notes } = preview;
    const stem = fileName.replace(/\.[^.]*$/, '');
    const answer = await this.#questions.ask(preview, {
      name: documentName(stem, 'file', { kind: 'text', extension: 'json' }),
      text: { before, now: after, title },
      waiting: (uri) =>
        l10n.t(
          'Review the change, then select [Write]({0}) or [Cancel]({1}).',
          commandLink(commands.writeServers, uri.toJSON()),
          commandLink(commands.cancelAdding, uri.toJSON()),
        ),
      notes,
    });
    return answer === true;
  }

  dispose(): void {
    this.#questions.dispose();
  }
}

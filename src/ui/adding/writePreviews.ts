import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { documentName } from '../../core/content/documentNames';
import { addingScheme, commands } from '../../ids';
import { commandLink } from '../editor/ownArguments';
import { EditorQuestions } from '../editor/editorQuestions';
import { quoted } from '../format/sentences';

/** The text to write, shown as a preview. */
interface WritePreview {
  readonly title: string;
  /** Name of the file. Its extension chooses the language of the texts. */
  readonly fileName: string;
  readonly before: string;
  readonly after: string;
  /** Sentences that the user should read first. */
  readonly notes: readonly string[];
}

/** Shows the current file beside the new text in a diff editor, with Write and Cancel. */
export class WritePreviews implements vscode.Disposable {
  readonly #questions = new EditorQuestions<WritePreview, true>(addingScheme);

  /** Registers the commands that answer. */
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

  /** Resolves with true if the user confirms. */
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

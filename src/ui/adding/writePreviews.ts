import * as l10n from '@vscode/l10n';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { documentName } from '../../core/content/documentNames';
import { addingScheme, commands } from '../../ids';
import { compareInAllowedEditor } from '../editor/allowedEditors';
import { commandLink } from '../editor/commandLink';
import { isSureYes } from '../editor/sureYes';
import { quoted } from '../format/sentences';

/** What is to be written, to be looked at first. */
export interface WritePreview {
  readonly title: string;
  /** Of the file; its ending decides how the texts are drawn. */
  readonly fileName: string;
  readonly before: string;
  readonly after: string;
  /** Sentences that the person should read before. */
  readonly notes: readonly string[];
}

interface Question {
  readonly fileName: string;
  readonly answer: (isYes: boolean) => void;
  /** Opens it, or brings it to the front. */
  readonly show: () => Thenable<unknown>;
}

/**
 * Shows a file as it is beside what it would become, as a native diff. Write and Cancel stand in
 * its title and in a notification that stays until there is an answer. Closing it means no.
 */
export class WritePreviews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #questions = new Map<string, Question>();
  readonly #subscriptions: vscode.Disposable;

  constructor() {
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(addingScheme, this),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        // A tab that moves to another group is closed in the first.
        for (const id of closed.flatMap(previewOf)) {
          if (tabsOf(id).length === 0) this.#refuse(id);
        }
      }),
    );
    // What a reload of the window brought back belongs to questions that nobody asks any more.
    void vscode.window.tabGroups.close(tabsOf());
  }

  /** The commands that answer. */
  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand(commands.writeServers, (id: unknown) => this.#agree(id)),
      vscode.commands.registerCommand(commands.cancelAdding, (id: unknown) =>
        this.#refuse(nameOf(id) ?? idInFront()),
      ),
    );
  }

  /** Whether the person said yes. */
  async ask({ title, fileName, before, after, notes }: WritePreview): Promise<boolean> {
    // Not to be guessed: whoever runs a command can name a question.
    const id = randomUUID();
    const stem = fileName.replace(/\.[^.]*$/, '');
    const name = documentName(stem, 'file', { kind: 'text', extension: 'json' });
    const uriOf = (when: string, text: string): vscode.Uri => {
      const uri = vscode.Uri.from({ scheme: addingScheme, path: `/${id}/${when}/${name}` });
      this.#texts.set(uri.toString(), text);
      return uri;
    };
    const [old, now] = [uriOf('before', before), uriOf('after', after)];
    const show = () => compareInAllowedEditor([old, now], title);
    const answered = new Promise<boolean>((answer) =>
      this.#questions.set(id, { fileName, answer, show }),
    );
    try {
      await show();
      return await this.#wait(id, notes, answered);
    } finally {
      this.#questions.delete(id);
      await vscode.window.tabGroups.close(tabsOf(id));
      for (const uri of [old, now]) this.#texts.delete(uri.toString());
    }
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    for (const { answer } of this.#questions.values()) answer(false);
    this.#subscriptions.dispose();
  }

  /** With progress it stays. Both answers are links: the button of progress would be the no alone. */
  async #wait(id: string, notes: readonly string[], answered: Promise<boolean>): Promise<boolean> {
    const title = l10n.t(
      'Nothing is written yet: [Write]({0}) or [Cancel]({1}).',
      commandLink(commands.writeServers, id),
      commandLink(commands.cancelAdding, id),
    );
    const location = vscode.ProgressLocation.Notification;
    return vscode.window.withProgress({ location, title }, (progress) => {
      if (notes.length > 0) progress.report({ message: notes.join(' ') });
      return answered;
    });
  }

  /** Yes counts only for what is in front; from elsewhere, such as the notification, it is brought there. */
  async #agree(given: unknown): Promise<void> {
    const name = nameOf(given);
    const id = name ?? idInFront();
    const open = id === undefined ? undefined : this.#questions.get(id);
    if (open === undefined) return;
    if (id !== idInFront()) {
      await open.show();
      return;
    }
    const question = l10n.t('Write what is shown into “{0}”?', quoted(open.fileName));
    const yes = l10n.t('Write');
    if (await isSureYes({ isNamed: name !== undefined, question, yes })) open.answer(true);
  }

  #refuse(id: string | undefined): void {
    if (id !== undefined) this.#questions.get(id)?.answer(false);
  }
}

/** The preview that a command is told: by a link its id, by a title its document. */
function nameOf(given: unknown): string | undefined {
  if (given instanceof vscode.Uri && given.scheme === addingScheme) return idOf(given);
  return typeof given === 'string' ? given : undefined;
}

/** `/<id>/before/…` and `/<id>/after/…`. */
function idOf({ path }: vscode.Uri): string {
  return path.split('/')[1] ?? '';
}

function idInFront(): string | undefined {
  const active = vscode.window.tabGroups.activeTabGroup.activeTab;
  return active && previewOf(active)[0];
}

/** The preview that a tab shows, if it shows one. */
function previewOf({ input }: vscode.Tab): string[] {
  if (!(input instanceof vscode.TabInputTextDiff)) return [];
  return input.modified.scheme === addingScheme ? [idOf(input.modified)] : [];
}

/** The tabs of this preview, or of all. */
function tabsOf(id?: string): vscode.Tab[] {
  const all = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
  return all.filter((tab) => {
    const [shown] = previewOf(tab);
    return id === undefined ? shown !== undefined : shown === id;
  });
}

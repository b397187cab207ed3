import * as l10n from '@vscode/l10n';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { toMcpError } from '../../core/errors';
import { commands, trustScheme } from '../../ids';
import { toFileName } from '../arguments/fileName';
import {
  startQuestion,
  startTitle,
  trustDiffTitle,
  trustDocument,
  type TrustQuestion,
} from './formatTrustQuestion';
import { compareInAllowedEditor } from '../editor/allowedEditors';
import { codeLens } from '../editor/codeLens';
import { commandLink } from '../editor/commandLink';
import { isSureYes } from '../editor/sureYes';

interface Review {
  readonly questions: readonly TrustQuestion[];
  readonly answer: (isYes: boolean) => void;
  /** Opens its document, or brings it to the front. */
  readonly show: () => Thenable<unknown>;
}

/**
 * How servers are started, to be read in full before anything runs: a read-only text, or the native
 * diff where one server is started in another way than before. Start and Cancel stand above the
 * first line of the text, and in a notification that stays until there is an answer. Closing the
 * document means no.
 */
export class ServerTrustReviews
  implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable
{
  readonly #reviews = new Map<string, Review>();
  readonly #texts = new Map<string, string>();
  readonly #subscriptions: vscode.Disposable;

  constructor() {
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(trustScheme, this),
      vscode.languages.registerCodeLensProvider({ scheme: trustScheme }, this),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        // A tab that moves to another group is closed in the first.
        for (const id of closed.flatMap(reviewOf)) {
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
      vscode.commands.registerCommand(commands.startReviewed, (id: unknown) => this.#agree(id)),
      vscode.commands.registerCommand(commands.cancelReviewed, (id: unknown) =>
        this.#refuse(nameOf(id) ?? idInFront()),
      ),
    );
  }

  /** Whether the person said yes; cancelling takes the document away and means no. */
  async review(
    questions: readonly TrustQuestion[],
    token?: vscode.CancellationToken,
  ): Promise<boolean> {
    // Not to be guessed: whoever runs a command can name a question.
    const id = randomUUID();
    const answered = new Promise<boolean>((resolve) => {
      this.#reviews.set(id, { questions, answer: resolve, show: this.#shower(id, questions) });
    });
    const subscription = token?.onCancellationRequested(() => this.#refuse(id));
    try {
      await this.#reviews.get(id)?.show();
      return await this.#wait(id, questions, answered);
    } catch (error) {
      throw toMcpError(error);
    } finally {
      subscription?.dispose();
      this.#reviews.delete(id);
      for (const key of this.#texts.keys()) {
        if (idOf(vscode.Uri.parse(key)) === id) this.#texts.delete(key);
      }
      await vscode.window.tabGroups.close(tabsOf(id));
    }
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? l10n.t('This question has been answered.');
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const id = idOf(uri);
    const review = this.#reviews.get(id);
    if (review === undefined) return [];
    const top = new vscode.Range(0, 0, 0, 0);
    return [
      codeLens(top, {
        title: `$(play) ${startTitle(review.questions)}`,
        command: commands.startReviewed,
        arguments: [id],
      }),
      codeLens(top, {
        title: l10n.t('$(close) Cancel'),
        command: commands.cancelReviewed,
        arguments: [id],
      }),
    ];
  }

  dispose(): void {
    for (const { answer } of this.#reviews.values()) answer(false);
    this.#subscriptions.dispose();
  }

  /** Makes the texts, and what shows them. */
  #shower(id: string, questions: readonly TrustQuestion[]): Review['show'] {
    const [first] = questions;
    if (first === undefined) return () => Promise.resolve();
    const name = questions.length === 1 ? toFileName(first.config.id) : 'servers';
    const add = (when: string, text: string): vscode.Uri => {
      const path = `/${id}/${when}/${name}.start.txt`;
      const uri = vscode.Uri.from({ scheme: trustScheme, path });
      this.#texts.set(uri.toString(), text);
      return uri;
    };
    const shown = trustDocument(questions);
    if (shown.kind === 'text') {
      const uri = add('now', shown.text);
      return () => vscode.window.showTextDocument(uri, { preview: false });
    }
    const before = add('before', shown.before);
    const now = add('now', shown.now);
    const title = trustDiffTitle(first);
    return () => compareInAllowedEditor([before, now], title);
  }

  /**
   * One with progress stays while somebody reads, unlike one with buttons of its own, and goes away
   * with the answer. Both answers are links: the button of progress would be the no alone.
   */
  async #wait(
    id: string,
    questions: readonly TrustQuestion[],
    answered: Promise<boolean>,
  ): Promise<boolean> {
    const title = l10n.t(
      'Waiting for you: [{0}]({1}) or [Cancel]({2}).',
      startTitle(questions),
      commandLink(commands.startReviewed, id),
      commandLink(commands.cancelReviewed, id),
    );
    const location = vscode.ProgressLocation.Notification;
    return vscode.window.withProgress({ location, title }, () => answered);
  }

  /**
   * Does nothing for a question that is answered already. Yes counts only for what is in front; from
   * elsewhere, such as the notification, it is brought there to be read.
   */
  async #agree(given: unknown): Promise<void> {
    const name = nameOf(given);
    const id = name ?? idInFront();
    const review = id === undefined ? undefined : this.#reviews.get(id);
    if (review === undefined) return;
    if (id !== idInFront()) {
      await review.show();
      return;
    }
    const { questions, answer } = review;
    const question = startQuestion(questions);
    const yes = startTitle(questions);
    if (await isSureYes({ isNamed: name !== undefined, question, yes })) answer(true);
  }

  #refuse(id: string | undefined): void {
    if (id !== undefined) this.#reviews.get(id)?.answer(false);
  }
}

/** The review that a command is told: by a lens or link its id, by a title its document. */
function nameOf(given: unknown): string | undefined {
  if (given instanceof vscode.Uri && given.scheme === trustScheme) return idOf(given);
  return typeof given === 'string' ? given : undefined;
}

function idInFront(): string | undefined {
  const active = vscode.window.tabGroups.activeTabGroup.activeTab;
  return active && reviewOf(active)[0];
}

/** `/<id>/before/…` and `/<id>/now/…`. */
function idOf({ path }: vscode.Uri): string {
  return path.split('/')[1] ?? '';
}

/** The review that a tab shows, if it shows one. */
function reviewOf({ input }: vscode.Tab): string[] {
  if (input instanceof vscode.TabInputText) {
    return input.uri.scheme === trustScheme ? [idOf(input.uri)] : [];
  }
  if (!(input instanceof vscode.TabInputTextDiff)) return [];
  return input.modified.scheme === trustScheme ? [idOf(input.modified)] : [];
}

/** The tabs of this review, or of all. */
function tabsOf(id?: string): vscode.Tab[] {
  const all = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
  return all.filter((tab) => {
    const [shown] = reviewOf(tab);
    return id === undefined ? shown !== undefined : shown === id;
  });
}

import * as l10n from '@vscode/l10n';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { compareInAllowedEditor } from './allowedEditors';
import { showReadable } from './readableDocument';
import { confirmUnlessNamed, type NamedConfirmation } from './ownArguments';
import { type CodeLenses, registerCodeLenses } from './codeLenses';

/** The document that the user reads before answering. */
interface ShownQuestion {
  /** Name of the document. */
  readonly name: string;
  /** The text of one document, or the two sides of a diff. */
  readonly text: string | { readonly before: string; readonly now: string; readonly title: string };
  /** The text of the notification that stays until the answer. Its links name `uri`. */
  readonly waiting: (uri: vscode.Uri) => string;
  /** Further sentences of the notification. */
  readonly notes?: readonly string[];
  /**
   * True if the notification has a Cancel button. Defaults to false, for one with links to both
   * answers.
   */
  readonly isCancellable?: boolean;
}

/** An answer, and the confirmation that is asked if a key or the palette gives it. */
export interface SureAnswer<Answer> {
  readonly answer: Answer;
  /** Absent if the answer means no, which needs no confirmation. */
  readonly sure?: Omit<NamedConfirmation, 'isNamed'>;
}

interface OpenQuestion<Facts, Answer> {
  readonly uri: vscode.Uri;
  readonly facts: Facts;
  readonly answer: (answer: Answer | undefined) => void;
  /** Opens the document or brings it to the front. */
  readonly show: () => Thenable<unknown>;
}

/** Returns the code lenses of a question. */
type QuestionLenses<Facts> = (facts: Facts, uri: vscode.Uri) => readonly vscode.CodeLens[];

/**
 * Questions that the user reads in an editor before answering, each a read-only document or a diff.
 * Only the document in front can be confirmed, by a command that names it or by a dialog: see
 * {@link confirmUnlessNamed}. Closing the document means no.
 */
export class EditorQuestions<Facts, Answer>
  implements vscode.TextDocumentContentProvider, vscode.Disposable
{
  readonly #scheme: string;
  readonly #lenses: QuestionLenses<Facts>;
  /** Open questions by id. */
  readonly #open = new Map<string, OpenQuestion<Facts, Answer>>();
  /** Texts by the path of their document. */
  readonly #texts = new Map<string, string>();
  readonly #shownLenses: CodeLenses;
  readonly #subscriptions: vscode.Disposable;

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(scheme: string, lenses: QuestionLenses<Facts> = () => []) {
    this.#scheme = scheme;
    this.#lenses = lenses;
    this.#shownLenses = registerCodeLenses({ scheme }, this);
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      this.#shownLenses,
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        // A tab that moves to another group is closed in the first group.
        for (const id of closed.flatMap((tab) => this.#idOfTab(tab) ?? [])) {
          if (this.#tabsOf(id).length === 0) this.#open.get(id)?.answer(undefined);
        }
      }),
      this.#onDidChange,
    );
    // Tabs that a reload of the window restored belong to questions that no longer exist.
    void vscode.window.tabGroups.close(this.#tabsOf());
  }

  /** Resolves with the answer, or with `undefined` for no. Cancelling the token also means no. */
  async ask(
    facts: Facts,
    shown: ShownQuestion,
    token?: vscode.CancellationToken,
  ): Promise<Answer | undefined> {
    // The id is unguessable, because any caller of a command can name a question.
    const id = randomUUID();
    const { uri, show } = this.#document(id, shown);
    const answered = new Promise<Answer | undefined>((answer) => {
      this.#open.set(id, { uri, facts, answer, show });
    });
    const refuse = (): void => this.refuse(uri);
    const subscription = token?.onCancellationRequested(refuse);
    if (token?.isCancellationRequested === true) refuse();
    try {
      await show();
      return await this.#wait(shown, uri, answered);
    } finally {
      subscription?.dispose();
      this.#open.delete(id);
      await vscode.window.tabGroups.close(this.#tabsOf(id));
      for (const path of this.#texts.keys()) if (idOf({ path }) === id) this.#texts.delete(path);
    }
  }

  /** Returns the question of the document that a command names, or of the document in front. */
  find(argument: unknown): { readonly uri: vscode.Uri; readonly facts: Facts } | undefined {
    return this.#open.get(this.#nameOf(argument) ?? this.#idInFront() ?? '');
  }

  /** True if the question is in front, which a yes requires. */
  isInFront(uri: vscode.Uri): boolean {
    return this.#idInFront() === idOf(uri);
  }

  /** True if a command names the document of a question, which cannot be guessed. */
  isNamed(argument: unknown): boolean {
    return this.#nameOf(argument) !== undefined;
  }

  /**
   * Answers the question that {@link find} returns if the user confirms. A question that is not in
   * front is shown first, so that the user can read it. Returns false if there is no question.
   */
  async agree(
    argument: unknown,
    answerTo: (facts: Facts) => SureAnswer<Answer> | undefined,
  ): Promise<boolean> {
    const id = this.#nameOf(argument) ?? this.#idInFront() ?? '';
    const question = this.#open.get(id);
    if (question === undefined) return false;
    if (id !== this.#idInFront()) {
      await question.show();
      return true;
    }
    const { answer, sure } = answerTo(question.facts) ?? {};
    if (answer === undefined) return true;
    const isNamed = this.isNamed(argument);
    if (sure === undefined || (await confirmUnlessNamed({ isNamed, ...sure })))
      question.answer(answer);
    return true;
  }

  /**
   * Answers the question that {@link find} returns with no. Does nothing if it is already answered.
   */
  refuse(argument: unknown): void {
    this.#open.get(this.#nameOf(argument) ?? this.#idInFront() ?? '')?.answer(undefined);
  }

  /** Redraws a question with another text. */
  change(uri: vscode.Uri, text: string): void {
    this.#texts.set(uri.path, text);
    this.#onDidChange.fire(uri);
    this.#shownLenses.refresh();
  }

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.#texts.get(path) ?? l10n.t('This question has been answered.');
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const question = this.#open.get(idOf(uri));
    return question === undefined ? [] : [...this.#lenses(question.facts, question.uri)];
  }

  dispose(): void {
    for (const { answer } of this.#open.values()) answer(undefined);
    this.#subscriptions.dispose();
  }

  /** Creates the texts and the editor that shows them. */
  #document(
    id: string,
    { name, text }: ShownQuestion,
  ): Pick<OpenQuestion<Facts, Answer>, 'uri' | 'show'> {
    const add = (when: string, content: string): vscode.Uri => {
      const uri = vscode.Uri.from({ scheme: this.#scheme, path: `/${id}/${when}/${name}` });
      this.#texts.set(uri.path, content);
      return uri;
    };
    if (typeof text === 'string') {
      const uri = add('now', text);
      return { uri, show: () => showReadable(uri) };
    }
    const before = add('before', text.before);
    const uri = add('now', text.now);
    return { uri, show: () => compareInAllowedEditor([before, uri], text.title) };
  }

  /** A progress notification stays while the user reads and closes with the answer. */
  async #wait<T>(
    { waiting, notes = [], isCancellable = false }: ShownQuestion,
    uri: vscode.Uri,
    answered: Promise<T>,
  ): Promise<T> {
    const location = vscode.ProgressLocation.Notification;
    const title = [...notes, waiting(uri)].join(' ');
    return vscode.window.withProgress(
      { location, title, cancellable: isCancellable },
      (_, token) => {
        token.onCancellationRequested(() => this.refuse(uri));
        return answered;
      },
    );
  }

  /** Code lenses, links and editor titles name a document; keys and the palette name nothing. */
  #nameOf(argument: unknown): string | undefined {
    const isOurs = argument instanceof vscode.Uri && argument.scheme === this.#scheme;
    return isOurs ? idOf(argument) : undefined;
  }

  #idInFront(): string | undefined {
    const active = vscode.window.tabGroups.activeTabGroup.activeTab;
    return active && this.#idOfTab(active);
  }

  #idOfTab({ input }: vscode.Tab): string | undefined {
    const uri =
      input instanceof vscode.TabInputText
        ? input.uri
        : input instanceof vscode.TabInputTextDiff
          ? input.modified
          : undefined;
    return uri?.scheme === this.#scheme ? idOf(uri) : undefined;
  }

  /** Returns the tabs of this question, or of all questions. */
  #tabsOf(id?: string): vscode.Tab[] {
    const all = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
    return all.filter((tab) => {
      const shown = this.#idOfTab(tab);
      return id === undefined ? shown !== undefined : shown === id;
    });
  }
}

/** The path is `/<id>/now/<name>`, or `/<id>/before/<name>` for the left side of a diff. */
function idOf({ path }: Pick<vscode.Uri, 'path'>): string {
  return path.split('/')[1] ?? '';
}

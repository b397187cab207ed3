import * as l10n from '@vscode/l10n';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { sentencesName } from '../../core/content/documentNames';
import { commands, internalCommands, runAllScheme } from '../../ids';
import type { CallOrigin } from '../../host/consent/facts/callOrigin';
import { closeTabs, onDidCloseLastTab, tabsOfScheme } from '../arguments/tabs';
import { codeLens } from '../editor/codeLens';
import { isInFront } from '../editor/inFront';
import { showReadable } from '../editor/readableDocument';
import { isSureYes, type FrontYes } from '../editor/sureYes';
import { quoted } from '../format/sentences';
import type { CallQuestion } from '../../host/calls/call';
import { callsOfAgents, type ForeseenCall } from './foreseenCalls';
import { canBeChecked, isDestructive, runAllText, type RunAllText } from './runAllText';

type CheckableCall = Parameters<typeof isDestructive>[0];

/** The calls that the person agreed to, by their numbers; `undefined`: to none, and not to the run. */
export type RunAllAnswer = ReadonlySet<number> | undefined;

interface OpenQuestion {
  readonly fileName: string;
  readonly origin: CallOrigin;
  readonly foreseen: readonly ForeseenCall[];
  readonly checked: Set<number>;
  readonly unfolded: Set<number>;
  readonly goesOn: boolean;
  readonly answer: (answer: RunAllAnswer) => void;
  shown: RunAllText;
}

/**
 * One question about all calls of a file: a read-only document that lists them, with a lens at each
 * to check it or not. Closing the document means no.
 */
export class RunAllQuestions
  implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable
{
  readonly #open = new Map<string, OpenQuestion>();
  readonly #subscriptions: vscode.Disposable;

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;
  readonly #onDidChangeCodeLenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#onDidChangeCodeLenses.event;

  constructor() {
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(runAllScheme, this),
      vscode.languages.registerCodeLensProvider({ scheme: runAllScheme }, this),
      onDidCloseLastTab(runAllScheme, (uri) => this.#answer(uri, undefined)),
    );
    // What a reload of the window brought back belongs to questions that nobody asks any more.
    void vscode.window.tabGroups.close(tabsOfScheme(runAllScheme));
  }

  register(): vscode.Disposable {
    const register = vscode.commands.registerCommand;
    return vscode.Disposable.from(
      register(commands.toggleFileCall, (uri: unknown, index: unknown) => this.#toggle(uri, index)),
      register(internalCommands.cancelRunAll, (uri: unknown) => this.#answer(uri, undefined)),
    );
  }

  /**
   * Resolves with what the person agreed to. Destructive calls are not checked to begin with.
   * `goesOn`: a call that does not pass ends nothing.
   */
  async ask(
    fileName: string,
    origin: CallOrigin,
    foreseen: readonly ForeseenCall[],
    goesOn = false,
  ): Promise<RunAllAnswer> {
    // Not to be guessed: links can name documents to commands.
    const path = `/${randomUUID()}/${sentencesName(l10n.t('Run All'), 'calls')}`;
    const uri = vscode.Uri.from({ scheme: runAllScheme, path });
    const checked = new Set(
      [...foreseen.entries()].flatMap(([index, each]) =>
        canBeChecked(each) && !isDestructive(each) ? [index] : [],
      ),
    );
    const unfolded = new Set<number>();
    const shown = runAllText(fileName, origin, foreseen, { checked, unfolded, goesOn });
    const answered = new Promise<RunAllAnswer>((answer) => {
      const question = { fileName, origin, foreseen, checked, unfolded, goesOn, answer, shown };
      this.#open.set(uri.toString(), question);
    });
    try {
      await showReadable(uri);
      return await this.#wait(uri, answered);
    } finally {
      this.#open.delete(uri.toString());
      await closeTabs(uri);
    }
  }

  /** The same about calls of agents that wait for the person. */
  askTogether(questions: readonly CallQuestion[]): Promise<RunAllAnswer> {
    return this.ask('', 'agent', callsOfAgents(questions), true);
  }

  /** Whether there is such a question; answers it when the person has it in front. */
  async agree(argument: unknown): Promise<boolean> {
    const uri = uriOf(argument);
    const question = uri && this.#open.get(uri.toString());
    if (uri === undefined || question === undefined) return false;
    const { fileName, origin, foreseen, checked, answer } = question;
    // What is checked while the dialog is open is not what it asks about.
    const agreed = new Set(checked);
    const yes: FrontYes = {
      isNamed: isNamed(argument),
      question:
        origin === 'agent'
          ? l10n.t('Run the checked calls, {0} of {1}?', agreed.size, foreseen.length)
          : l10n.t(
              'Run the checked calls of “{0}”, {1} of {2}?',
              quoted(fileName),
              agreed.size,
              foreseen.length,
            ),
      yes: l10n.t('Run'),
    };
    if (!isInFront(uri)) await showReadable(uri);
    else if (await isSureYes(yes)) answer(agreed);
    return true;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#open.get(uri.toString())?.shown.text ?? l10n.t('This question has been answered.');
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const question = this.#open.get(uri.toString());
    if (question === undefined) return [];
    const lens = (line: number, title: string, command: string, ...rest: unknown[]) =>
      codeLens(new vscode.Range(line, 0, line, 0), {
        title,
        command,
        arguments: [uri, ...rest],
      });
    const { foreseen, checked, unfolded, shown } = question;
    const run = l10n.t('$(run-all) Run, {0} Checked', checked.size);
    return [
      lens(0, run, commands.runCallFile),
      lens(0, l10n.t('$(close) Cancel'), internalCommands.cancelRunAll),
      ...shown.calls.flatMap(({ index, line }) => {
        const each = foreseen[index];
        if (each === undefined || !canBeChecked(each)) return [];
        const isFolded = isDestructive(each) && !unfolded.has(index);
        const isChecked = checked.has(index);
        const title = isFolded ? l10n.t('Unfold') : isChecked ? l10n.t('Uncheck') : l10n.t('Check');
        return [lens(line, title, commands.toggleFileCall, index)];
      }),
    ];
  }

  dispose(): void {
    for (const { answer } of this.#open.values()) answer(undefined);
    this.#subscriptions.dispose();
    this.#onDidChange.dispose();
    this.#onDidChangeCodeLenses.dispose();
  }

  #answer(argument: unknown, answer: RunAllAnswer): void {
    const uri = uriOf(argument);
    if (uri !== undefined) this.#open.get(uri.toString())?.answer(answer);
  }

  /** The call of a lens, or the one that the cursor is in; what is folded is unfolded first. */
  async #toggle(argument: unknown, index: unknown): Promise<void> {
    const uri = uriOf(argument);
    const question = uri && this.#open.get(uri.toString());
    if (uri === undefined || question === undefined || !isInFront(uri)) return;
    const { foreseen, checked, unfolded, shown, fileName, origin, goesOn } = question;
    const number = typeof index === 'number' ? index : callAtCursor(shown);
    const each = number === undefined ? undefined : foreseen[number];
    if (number === undefined || each === undefined || !canBeChecked(each)) return;
    if (isDestructive(each) && !unfolded.has(number)) unfolded.add(number);
    else if (!checked.delete(number) && (await isSureOf(each, isNamed(argument)))) {
      checked.add(number);
    }
    question.shown = runAllText(fileName, origin, foreseen, { checked, unfolded, goesOn });
    this.#onDidChange.fire(uri);
    this.#onDidChangeCodeLenses.fire();
  }

  /** The notification goes away with the answer, unlike one with buttons of its own. */
  async #wait(uri: vscode.Uri, answered: Promise<RunAllAnswer>): Promise<RunAllAnswer> {
    return vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: l10n.t('Waiting for you: Run or Cancel, above the first line.'),
        cancellable: true,
      },
      (_, token) => {
        token.onCancellationRequested(() => this.#answer(uri, undefined));
        return answered;
      },
    );
  }
}

/** That of a lens, or of what is looked at. */
function uriOf(argument: unknown): vscode.Uri | undefined {
  return argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
}

/** By a key nothing is named; names of such documents cannot be guessed. */
function isNamed(argument: unknown): boolean {
  return argument instanceof vscode.Uri;
}

/** Nobody else adds to the yes what may destroy something. */
async function isSureOf(each: CheckableCall, isNamedOne: boolean): Promise<boolean> {
  if (!isDestructive(each)) return true;
  const question = l10n.t('Check “{0}”?', quoted(each.call.name));
  return isSureYes({ isNamed: isNamedOne, question, yes: l10n.t('Check') });
}

function callAtCursor({ calls }: RunAllText): number | undefined {
  const line = vscode.window.activeTextEditor?.selection.active.line ?? 0;
  return calls.findLast((call) => call.line <= line)?.index;
}

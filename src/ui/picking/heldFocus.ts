import * as vscode from 'vscode';
import { holdsFocusKey, internalCommands } from '../../ids';
import { quoted } from '../format/sentences';

/** What is open while a server starts, and tells when the person calls the start off. */
export interface Hold extends vscode.Disposable {
  readonly token: vscode.CancellationToken;
}

/**
 * Keeps the focus for a picker that is still to come. Between two pickers the tree has it, and VS Code,
 * which draws the tree anew when a server starts, gives it to the tree once more when that is done: what is
 * typed goes there. So something is open all the time, until the next picker takes its place.
 */
export class HeldFocus {
  readonly #onDidAnswer: vscode.Event<void>;
  #open: vscode.Disposable[] = [];
  #start: StartHold | undefined;

  /** `onDidAnswer`: a question that took the place of ours is over. */
  constructor(onDidAnswer: vscode.Event<void>) {
    this.#onDidAnswer = onDidAnswer;
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand(internalCommands.cancelStart, () => this.#start?.cancel()),
      { dispose: () => this.release() },
    );
  }

  /** Stays open until all is released. */
  keep(picker: vscode.Disposable): void {
    this.#open.push(picker);
  }

  /** Says that this server starts. */
  start(label: string): Hold {
    const hold = new StartHold(label, this.#onDidAnswer);
    this.#start = hold;
    this.keep(hold);
    return hold;
  }

  /** What comes next is shown, or nothing comes. */
  release(): void {
    const open = this.#open;
    this.#open = [];
    this.#start = undefined;
    for (const each of open) each.dispose();
  }
}

/**
 * VS Code does not say why a picker was closed: another one may have taken its place. So Escape is a
 * key of ours as long as this one is open, and nothing else calls the start off but the button.
 */
class StartHold implements Hold {
  readonly #pick = vscode.window.createQuickPick();
  readonly #cancelling = new vscode.CancellationTokenSource();
  readonly #subscription: vscode.Disposable;

  constructor(label: string, onDidAnswer: vscode.Event<void>) {
    const pick = this.#pick;
    pick.title = vscode.l10n.t('Starting server “{0}”…', quoted(label));
    pick.placeholder = vscode.l10n.t('Press Escape to cancel the start');
    pick.ignoreFocusOut = true;
    pick.busy = true;
    const icon = new vscode.ThemeIcon('close');
    pick.buttons = [{ iconPath: icon, tooltip: vscode.l10n.t('Cancel') }];
    pick.onDidTriggerButton(() => this.cancel());
    pick.onDidHide(() => this.#setKey(false));
    this.#subscription = onDidAnswer(() => this.#show());
    this.#show();
  }

  get token(): vscode.CancellationToken {
    return this.#cancelling.token;
  }

  cancel(): void {
    this.#cancelling.cancel();
    this.#pick.hide();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#pick.dispose();
    this.#setKey(false);
  }

  #show(): void {
    if (this.token.isCancellationRequested) return;
    this.#setKey(true);
    this.#pick.show();
  }

  #setKey(isHeld: boolean): void {
    void vscode.commands.executeCommand('setContext', holdsFocusKey, isHeld);
  }
}

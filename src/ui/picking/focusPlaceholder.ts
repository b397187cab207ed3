import * as l10n from '@vscode/l10n';
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
export class FocusPlaceholder {
  readonly #onDidAnswer: vscode.Event<void>;
  /** The servers that start, whoever wants them: the newest has the place, and the key. */
  readonly #starts: StartHold[] = [];
  readonly #calls = new Set<HeldForCall>();

  /** `onDidAnswer`: a question that took the place of ours is over. */
  constructor(onDidAnswer: vscode.Event<void>) {
    this.#onDidAnswer = onDidAnswer;
  }

  register(): vscode.Disposable {
    const newest = (): StartHold | undefined => this.#starts.at(-1);
    return vscode.Disposable.from(
      vscode.commands.registerCommand(internalCommands.cancelStart, () => newest()?.cancel()),
      this.#onDidAnswer(() => newest()?.show()),
      { dispose: () => this.#calls.forEach((each) => each.release()) },
    );
  }

  /** For one call: several may go on at once, and none takes away what another one has open. */
  begin(): HeldForCall {
    const call = new HeldForCall((label) => this.#start(label));
    this.#calls.add(call);
    return call;
  }

  /** The call is over. */
  end(call: HeldForCall): void {
    this.#calls.delete(call);
    call.release();
  }

  #start(label: string): Hold {
    const hold = new StartHold(label, (isOpen) => {
      // One that is hidden by a newer one has the key no more.
      if (this.#starts.at(-1) === hold) setKey(isOpen);
    });
    this.#starts.push(hold);
    hold.show();
    return {
      token: hold.token,
      dispose: () => {
        const isNewest = this.#starts.at(-1) === hold;
        this.#starts.splice(this.#starts.indexOf(hold) >>> 0, 1);
        hold.dispose();
        if (isNewest) setKey(false);
      },
    };
  }
}

/** What is open on behalf of one call. */
export class HeldForCall {
  readonly #begin: (label: string) => Hold;
  #open: vscode.Disposable[] = [];

  constructor(begin: (label: string) => Hold) {
    this.#begin = begin;
  }

  /** Stays open until all is released. */
  keep(picker: vscode.Disposable): void {
    this.#open.push(picker);
  }

  /** Says that this server starts. */
  start(label: string): Hold {
    const hold = this.#begin(label);
    this.keep(hold);
    return hold;
  }

  /** What comes next is shown, or nothing comes. */
  release(): void {
    const open = this.#open;
    this.#open = [];
    for (const each of open) each.dispose();
  }
}

function setKey(isHeld: boolean): void {
  void vscode.commands.executeCommand('setContext', holdsFocusKey, isHeld);
}

/**
 * VS Code does not say why a picker was closed: another one may have taken its place. So Escape is a
 * key of ours as long as this one is open, and nothing else calls the start off but the button.
 */
class StartHold implements Hold {
  readonly #pick = vscode.window.createQuickPick();
  readonly #cancelling = new vscode.CancellationTokenSource();
  readonly #onDidTurn: (isOpen: boolean) => void;

  /** `onDidTurn`: it was shown or hidden. */
  constructor(label: string, onDidTurn: (isOpen: boolean) => void) {
    this.#onDidTurn = onDidTurn;
    const pick = this.#pick;
    pick.title = l10n.t('Starting server “{0}”…', quoted(label));
    pick.placeholder = l10n.t('Press Escape to cancel the start');
    pick.ignoreFocusOut = true;
    pick.busy = true;
    const icon = new vscode.ThemeIcon('close');
    pick.buttons = [{ iconPath: icon, tooltip: l10n.t('Cancel') }];
    pick.onDidTriggerButton(() => this.cancel());
    pick.onDidHide(() => onDidTurn(false));
  }

  get token(): vscode.CancellationToken {
    return this.#cancelling.token;
  }

  cancel(): void {
    this.#cancelling.cancel();
    this.#pick.hide();
  }

  dispose(): void {
    this.#pick.dispose();
  }

  show(): void {
    if (this.token.isCancellationRequested) return;
    this.#onDidTurn(true);
    this.#pick.show();
  }
}

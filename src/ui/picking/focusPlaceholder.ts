import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { holdsFocusKey, internalCommands } from '../../ids';
import { createPicker } from '../editor/picker';
import { quoted } from '../format/sentences';

/** Is open while a server starts. It reports if the user cancels the start. */
interface OpenHold extends vscode.Disposable {
  readonly token: vscode.CancellationToken;
}

/** A picker that is already open, and keeps the focus itself while a server starts. */
type OpenPicker = Pick<vscode.QuickInput, 'show' | 'hide' | 'dispose' | 'onDidHide'>;

/**
 * Keeps the focus between two pickers. Without it the tree would get the focus in between. When a
 * server starts, VS Code redraws the tree and gives it the focus once more at the end, so the keys
 * that the user types would go to the tree. So a placeholder is open until the next picker replaces
 * it.
 */
export class FocusPlaceholder {
  readonly #onDidAnswer: vscode.Event<void>;
  /** The servers that are starting. The newest one is visible and has the key. */
  readonly #starts: StartHold[] = [];
  readonly #calls = new Set<PickersOfCall>();

  /** `onDidAnswer` fires when a question that replaced our picker is over. */
  constructor(onDidAnswer: vscode.Event<void>) {
    this.#onDidAnswer = onDidAnswer;
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand(internalCommands.cancelStart, () => this.#escape()),
      this.#onDidAnswer(() => this.#starts.at(-1)?.show()),
      { dispose: () => this.#calls.forEach((each) => each.release()) },
    );
  }

  /** Begins a call. Several calls may run at once, and none closes what another one has open. */
  begin(): PickersOfCall {
    const call = new PickersOfCall((...start) => this.#start(...start));
    this.#calls.add(call);
    return call;
  }

  /** Ends the call. */
  end(call: PickersOfCall): void {
    this.#calls.delete(call);
    call.release();
  }

  /**
   * VS Code learns late that another picker has replaced ours, and until then still gives us the
   * Escape that should close that picker.
   */
  async #escape(): Promise<void> {
    const newest = this.#starts.at(-1);
    if (newest?.isOpen === true) newest.cancel();
    else await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
  }

  #start(label: string, open?: OpenPicker): OpenHold {
    const onDidTurn = (isOpen: boolean): void => {
      // A start that a newer one hides no longer has the key.
      if (this.#starts.at(-1) === hold) setKey(isOpen);
    };
    const hold = new StartHold(label, onDidTurn, open);
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

type BeginHold = (label: string, open?: OpenPicker) => OpenHold;

/** The pickers that are open for one call. */
export class PickersOfCall {
  readonly #begin: BeginHold;
  #open: vscode.Disposable[] = [];

  constructor(begin: BeginHold) {
    this.#begin = begin;
  }

  /** Keeps the picker open until release(). */
  keep(picker: vscode.Disposable): void {
    this.#open.push(picker);
  }

  /** Shows that this server starts, in a picker of its own unless one is given. */
  start(label: string, open?: OpenPicker): OpenHold {
    const hold = this.#begin(label, open);
    this.keep(hold);
    return hold;
  }

  /** Closes everything, because the next picker is shown or none follows. */
  release(): void {
    const open = this.#open;
    this.#open = [];
    for (const each of open) each.dispose();
  }
}

export function cancelHint(): string {
  return l10n.t('Press Escape to cancel the start');
}

function setKey(isHeld: boolean): void {
  void vscode.commands.executeCommand('setContext', holdsFocusKey, isHeld);
}

/**
 * VS Code does not say why a picker was closed: another one may have replaced it. So Escape is
 * bound to our own command while this picker is open. Only that command and the button cancel the
 * start.
 */
class StartHold implements OpenHold {
  readonly #pick: OpenPicker;
  readonly #disposable: vscode.Disposable;
  readonly #cancelling = new vscode.CancellationTokenSource();
  readonly #onDidTurn: (isOpen: boolean) => void;
  #isOpen = false;

  /** `onDidTurn` is called when it is shown or hidden. The owner of `open` disposes of it. */
  constructor(label: string, onDidTurn: (isOpen: boolean) => void, open?: OpenPicker) {
    this.#onDidTurn = (isOpen) => {
      this.#isOpen = isOpen;
      onDidTurn(isOpen);
    };
    this.#pick = open ?? this.#createPicker(label);
    const hiding = this.#pick.onDidHide(() => this.#onDidTurn(false));
    this.#disposable = open === undefined ? this.#pick : hiding;
  }

  get token(): vscode.CancellationToken {
    return this.#cancelling.token;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  cancel(): void {
    this.#cancelling.cancel();
    this.#pick.hide();
  }

  dispose(): void {
    this.#disposable.dispose();
  }

  #createPicker(label: string): OpenPicker {
    const pick = createPicker({
      title: l10n.t('Starting server “{0}”…', quoted(label)),
      placeholder: cancelHint(),
      ignoreFocusOut: true,
      busy: true,
      buttons: [{ iconPath: new vscode.ThemeIcon('close'), tooltip: l10n.t('Cancel') }],
    });
    pick.onDidTriggerButton(() => this.cancel());
    return pick;
  }

  show(): void {
    if (this.token.isCancellationRequested) return;
    this.#onDidTurn(true);
    this.#pick.show();
  }
}

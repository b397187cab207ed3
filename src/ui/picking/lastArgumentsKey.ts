import * as vscode from 'vscode';
import { internalCommands, picksToolKey } from '../../ids';
import type { OtherKey } from './chosenItem';

/** Ctrl+Enter in a picker of tools. VS Code reports only Enter to a quick pick. */
export class LastArgumentsKey implements OtherKey {
  #press: (() => unknown) | undefined;

  register(): vscode.Disposable {
    return vscode.commands.registerCommand(internalCommands.runWithLast, () => this.#press?.());
  }

  /** Runs `press` on the key until the result is disposed of. */
  listen(press: () => unknown): vscode.Disposable {
    this.#press = press;
    setKey(true);
    return new vscode.Disposable(() => {
      if (this.#press !== press) return;
      this.#press = undefined;
      setKey(false);
    });
  }
}

function setKey(isPicking: boolean): void {
  void vscode.commands.executeCommand('setContext', picksToolKey, isPicking);
}

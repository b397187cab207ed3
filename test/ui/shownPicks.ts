import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../waiting';
import { accept, close, pressingKey, untilTaken } from './pressingKeys';

type Pick = vscode.QuickPick<vscode.QuickPickItem>;

/** The lists that the real extension shows, which the test chooses from. Disposing ends it. */
export class ShownPicks implements vscode.Disposable {
  readonly #shown: Pick[] = [];
  readonly #original = vscode.window.createQuickPick;

  constructor() {
    const create = () => {
      const pick = this.#original();
      const show = pick.show.bind(pick);
      pick.show = () => {
        this.#shown.push(pick);
        show();
      };
      return pick;
    };
    Object.assign(vscode.window, { createQuickPick: create });
  }

  /** How many were shown so far. */
  get count(): number {
    return this.#shown.length;
  }

  /** Resolves with the list that is shown after `count` others. */
  async shownAfter(count: number): Promise<Pick> {
    await eventually(
      () => this.#shown.map(({ title }) => title),
      ({ length }) => length > count,
    );
    return this.#shown[count] ?? assert.fail();
  }

  dispose(): void {
    Object.assign(vscode.window, { createQuickPick: this.#original });
  }
}

/** Presses Enter on the row until the list takes it, and waits until that has closed the list. */
export function chooseRow(pick: Pick, label: string): Promise<void> {
  return untilTaken(pick, () => pressRow(pick, label));
}

export async function pressRow(pick: Pick, label: string): Promise<void> {
  const row = pick.items.find((item) => item.label.replace(/^\$\(\S+\) /, '') === label);
  assert.ok(row, `no row ${label} in ${pick.items.map((item) => item.label).join('; ')}`);
  pick.activeItems = [row];
  // VS Code sends what was set by a timer of its own, which this one is behind.
  await new Promise((resolve) => setTimeout(resolve, 1));
  await vscode.commands.executeCommand(accept);
}

export function escape(pick: Pick): Promise<void> {
  return pressingKey(close, new Promise<void>((resolve) => pick.onDidHide(resolve)));
}

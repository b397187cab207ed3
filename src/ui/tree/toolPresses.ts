import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { commands, internalCommands } from '../../ids';
import { commandTarget, keepsFocus } from '../editor/ownArguments';
import type { SettingsReader } from '../settings/settings';
import type { Row } from './treeRows';

interface ToolPressesOptions {
  /** Returns the selected rows. */
  readonly selection: () => readonly Row[];
  readonly settings: { readonly current: Pick<SettingsReader['current'], 'callsOnClick'> };
}

/** A second click within this time is a double click, as on most systems. */
const doubleClickMs = 500;
/**
 * Most double clicks are faster, so the editor with the selection that they are about stays in
 * front.
 */
const shownAfterMs = 250;
/** A key press that led to no command is forgotten after this time. */
const keyMs = 5_000;
/**
 * The limit while the row is still unknown, because a link or a task may run the first command
 * alone.
 */
const unendedKeyMs = 1_000;

interface Press {
  readonly row: string;
  readonly at: number;
  /** The definition that is about to be shown. Absent after a call. */
  readonly showing?: DelayedShow;
}

/**
 * Handles clicks on a tool row: a click shows the definition; a double click or Enter calls the
 * tool. VS Code runs one command for all three and does not say which one it was. So Enter is bound
 * to three commands: the first records that Enter was pressed, the second is VS Code's own and
 * selects the row and runs its command, and the third records the end.
 */
export class ToolPresses {
  readonly #options: ToolPressesOptions;
  /**
   * Enter was pressed and the command of its row has not arrived yet. A command of another row does
   * not count.
   */
  #enter: { readonly at: number; readonly row?: string } | undefined;
  #last: Press | undefined;

  constructor(options: ToolPressesOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    const { registerCommand } = vscode.commands;
    return vscode.Disposable.from(
      registerCommand(internalCommands.pressTool, (row: unknown) => this.#press(row)),
      registerCommand(internalCommands.enterBegins, () => {
        this.#enter = { at: Date.now() };
      }),
      registerCommand(internalCommands.enterEnds, () => {
        this.#endEnter();
      }),
    );
  }

  /** The command of the row may arrive after the end of the key press, so the row is compared. */
  #endEnter(): void {
    const [row, ...others] = this.#options.selection();
    const isTool = row?.kind === 'tool' && others.length === 0;
    this.#enter = this.#enter && isTool ? { ...this.#enter, row: keyOf(row) } : undefined;
  }

  async #press(argument: unknown): Promise<void> {
    const row = keyOf(argument);
    const last = this.#last;
    const isSoon = last?.row === row && Date.now() - last.at < doubleClickMs;
    const isSecond = isSoon && last.showing !== undefined;
    if (this.#isEnter(row) || isSecond || this.#callsAtOnce()) {
      this.#last = { row, at: Date.now() };
      // Otherwise the definition would cover the document that the call opens.
      await last?.showing?.stop();
      await vscode.commands.executeCommand(commands.callTool, argument);
      return;
    }
    // This is the third of three clicks, or the command of an Enter that arrived after a click and
    // was mistaken for it.
    if (isSoon) return;
    void last?.showing?.stop();
    const showing = new DelayedShow(argument);
    this.#last = { row, at: Date.now(), showing };
    await showing.done;
  }

  #isEnter(row: string): boolean {
    const enter = this.#enter;
    this.#enter = undefined;
    if (enter === undefined) return false;
    const { at, row: of } = enter;
    const isRecent = Date.now() - at <= (of === undefined ? unendedKeyMs : keyMs);
    return isRecent && (of === undefined || of === row);
  }

  /** If lists open on a double click, only double clicks and keys arrive here. */
  #callsAtOnce(): boolean {
    if (this.#options.settings.current.callsOnClick) return true;
    return vscode.workspace.getConfiguration('workbench.list').get('openMode') === 'doubleClick';
  }
}

function keyOf(argument: unknown): string {
  const { serverId, toolName } = commandTarget(argument);
  return JSON.stringify([serverId, toolName]);
}

/** Shows the definition of a tool after a short delay, unless it is stopped before. */
class DelayedShow {
  readonly done: Promise<void>;
  readonly #stop = new AbortController();

  constructor(row: unknown) {
    this.done = setTimeout(shownAfterMs, true, { signal: this.#stop.signal }).then(
      () => vscode.commands.executeCommand(commands.showDefinition, row, keepsFocus),
      () => undefined,
    );
  }

  /** Resolves when no definition is about to be shown. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.done.catch(() => undefined);
  }
}

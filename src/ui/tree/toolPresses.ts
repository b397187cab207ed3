import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { commands, internalCommands } from '../../ids';
import { commandTarget, keepsFocus } from '../editor/commandTarget';
import type { SettingsReader } from '../settings/settings';
import type { Row } from './treeRows';

export interface ToolPressesOptions {
  /** The rows that are selected now. */
  readonly selection: () => readonly Row[];
  readonly settings: { readonly current: Pick<SettingsReader['current'], 'callsOnClick'> };
}

/** A second press within this is a double click, as with most systems. */
const doubleClickMs = 500;
/** Most double clicks are faster, and leave in front the editor whose text or selection they are for. */
const shownAfterMs = 250;
/** What a key has begun and nothing came of is forgotten. */
const keyMs = 5_000;
/** As long as nobody knows for which row: a link or a task may run the first command alone. */
const unendedKeyMs = 1_000;

interface Press {
  readonly row: string;
  readonly at: number;
  /** What it is about to show; absent where it called. */
  readonly showing?: DelayedShow;
}

/**
 * What a press on the row of a tool does: it shows the tool's definition, and calls the tool on a double
 * click or on Enter. VS Code runs one command for all three and does not say which it was. So
 * Enter is bound to three commands: one that says it was pressed, the editor's own, which selects the row
 * and runs its command, and one that says that this is over.
 */
export class ToolPresses {
  readonly #options: ToolPressesOptions;
  /** Enter was pressed, and the command of its row has not come yet; that of another row is none. */
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

  /** The command of the row may come later than the end of the key: the first one asks what it is. */
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
      // Else the definition would cover what the call opens.
      await last?.showing?.stop();
      await vscode.commands.executeCommand(commands.callTool, argument);
      return;
    }
    // The third of three clicks; or Enter's own, where it overtook a click and that was taken for it.
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

  /** Where lists open on a double click, only that, and keys, come here. */
  #callsAtOnce(): boolean {
    if (this.#options.settings.current.callsOnClick) return true;
    return vscode.workspace.getConfiguration('workbench.list').get('openMode') === 'doubleClick';
  }
}

function keyOf(argument: unknown): string {
  const { serverId, toolName } = commandTarget(argument);
  return JSON.stringify([serverId, toolName]);
}

/** Shows the definition of the tool of a row in a moment, unless it is stopped before. */
class DelayedShow {
  readonly done: Promise<void>;
  readonly #stop = new AbortController();

  constructor(row: unknown) {
    this.done = setTimeout(shownAfterMs, true, { signal: this.#stop.signal }).then(
      () => vscode.commands.executeCommand(commands.showDefinition, row, keepsFocus),
      () => undefined,
    );
  }

  /** Resolves when nothing is about to be shown any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.done.catch(() => undefined);
  }
}

import * as l10n from '@vscode/l10n';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';

/**
 * Commands carry no caller: links, tasks, keys and other extensions run them too, with whatever
 * arguments they like. What stands here tells a press on something that we have drawn from those.
 */
const handedOut = new WeakSet<object>();

/** Marks an argument of a row, lens, fix or button of ours; commands get the same object back. */
export function markOwnArgument<T extends object>(argument: T): T {
  handedOut.add(argument);
  return argument;
}

/** Whether it is such an object, not one that looks alike. */
export function isOwnArgument(argument: unknown): boolean {
  return typeof argument === 'object' && argument !== null && handedOut.has(argument);
}

/** Whether nobody but the person has chosen it: a press on what we drew, or the pickers to come. */
export function isOwnWish(argument: unknown): boolean {
  return argument === undefined || argument === null || isOwnArgument(argument);
}

/** In no file, and another one in each window. */
const windowSecret = randomUUID();

/**
 * The id of a row for VS Code. A link can name a row by its id and has it handed to a command, so
 * ids must not be known before.
 */
export function rowId(key: string): string {
  return `${windowSecret} ${key}`;
}

/**
 * Asks where a command was run with something that the person did not press on; for what the person
 * chose it asks nothing. Closing the dialog means no.
 */
export async function agreesTo(argument: unknown, wish: string, yes: string): Promise<boolean> {
  if (isOwnWish(argument)) return true;
  const detail = l10n.t('A link, key, task or other extension asked for this.');
  const options = { modal: true, detail };
  const pressed = await vscode.window.showWarningMessage(wish, options, { title: yes });
  return pressed?.title === yes;
}

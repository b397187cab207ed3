import { byFocus, callIdOf } from './callCommands';
import { isOwnArgument } from '../editor/ownArguments';
import type { ActivityRow } from './callRows';

/** Argument that a keybinding passes for the answer in the active editor. */
export const inAnswer = 'answer';

/**
 * Returns the calls that a command applies to: the clicked row first, then the other selected rows.
 * Returns `[]` when the command was run from the palette, so that the user chooses, and `undefined`
 * when a key was pressed and no call has the focus.
 */
export async function callsOf(
  argument: unknown,
  all: unknown,
  focused: () => Promise<readonly ActivityRow[]>,
): Promise<readonly string[] | undefined> {
  if (argument === byFocus) {
    const ids = (await focused()).flatMap((row) => callIdOf(row) ?? []);
    return ids.length === 0 ? undefined : ids;
  }
  const pressed = callIdOf(argument);
  if (pressed === undefined) return [];
  // If the first argument is a row of this view, VS Code passes only rows of this view.
  const rows: readonly unknown[] = Array.isArray(all) ? all : [];
  const own = isOwnArgument(argument) ? rows.filter(isOwnArgument) : rows;
  const others = own.flatMap((row) => callIdOf(row) ?? []);
  return [...new Set([pressed, ...others])];
}

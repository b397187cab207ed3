import { callIdOf } from './callCommands';
import { isOwnArgument } from '../editor/ownArguments';
import type { ActivityRow } from './callRows';

/** What a key of the manifest hands over in place of a row. */
export const byFocus = 'focus';
/** The same for the answer in front. */
export const inAnswer = 'answer';

/**
 * The calls that a command is meant for: the row that it was pressed on first, then all others that
 * are selected with it. `[]` when it was run from the palette, so that the person picks; `undefined`
 * when a key was pressed and no call has the focus.
 */
export function callsOf(
  argument: unknown,
  all: unknown,
  focused: () => readonly ActivityRow[],
): readonly string[] | undefined {
  if (argument === byFocus) {
    const ids = focused().flatMap((row) => callIdOf(row) ?? []);
    return ids.length === 0 ? undefined : ids;
  }
  const pressed = callIdOf(argument);
  if (pressed === undefined) return [];
  // Beside a row of ours VS Code hands over rows of ours.
  const rows: readonly unknown[] = Array.isArray(all) ? all : [];
  const own = isOwnArgument(argument) ? rows.filter(isOwnArgument) : rows;
  const others = own.flatMap((row) => callIdOf(row) ?? []);
  return [...new Set([pressed, ...others])];
}

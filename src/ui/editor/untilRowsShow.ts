import { commands } from 'vscode';
import { extensionId } from '../../ids';

/** No `when` clause reads this key; it only makes the window answer. */
const rowsShowKey = `${extensionId}.drawn`;

/**
 * Resolves when the window shows the rows that were just set on a quick pick, so that `activeItems`
 * is one of them. VS Code reports the active row only by its index. While rows that follow the
 * typed text are on their way, it is the index in the previous rows.
 *
 * An Enter that waits for this takes the row that it would take a moment later.
 */
export async function untilRowsShow(): Promise<void> {
  // VS Code sends the changes of a quick pick after the current event loop turn.
  await new Promise((resolve) => setTimeout(resolve, 0));
  // A window answers in order, so everything sent before this has been drawn.
  await commands.executeCommand('setContext', rowsShowKey, true);
}

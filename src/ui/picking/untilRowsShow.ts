import { commands } from 'vscode';
import { extensionId } from '../../ids';

/** No `when` clause reads it: what counts is that the window answers. */
const rowsShowKey = `${extensionId}.drawn`;

/**
 * Resolves when the rows that a quick pick was just given are on the screen, and `activeItems` is
 * one of them. VS Code tells which row is active by its number alone: while rows that follow what is
 * typed are on their way, it is the number of an earlier row.
 *
 * An Enter that waits for this takes what it would have taken a blink later.
 */
export async function untilRowsShow(): Promise<void> {
  // VS Code sends the changes of a quick pick after the turn in which they were made.
  await new Promise((resolve) => setTimeout(resolve, 0));
  // A window answers in order: what was sent before this has been drawn then.
  await commands.executeCommand('setContext', rowsShowKey, true);
}

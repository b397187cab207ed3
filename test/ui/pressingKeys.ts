import * as vscode from 'vscode';

/** Presses Enter in the input or the list that is open. */
export const accept = 'workbench.action.acceptSelectedQuickOpenItem';
/** Presses Escape there. */
export const close = 'workbench.action.closeQuickOpen';

/** Runs the command until the questions end: nothing tells when one of them is on the screen. */
export async function pressingKey<T>(command: string, entry: Promise<T>): Promise<T> {
  const state = { isDone: false };
  const end = entry.finally(() => {
    state.isDone = true;
  });
  while (!state.isDone) await vscode.commands.executeCommand(command);
  return end;
}

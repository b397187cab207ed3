import * as vscode from 'vscode';
import { until } from '../waiting';

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
  await until(async () => {
    await vscode.commands.executeCommand(command);
    return state.isDone;
  });
  return end;
}

type Input = vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox;

/** The lists and boxes that `act` makes, in order, as they were left. */
export async function inputsDuring(act: () => PromiseLike<unknown>): Promise<readonly Input[]> {
  const { createQuickPick, createInputBox } = vscode.window;
  const made: Input[] = [];
  const noting =
    <Made extends Input>(make: () => Made) =>
    (): Made => {
      const input = make();
      made.push(input);
      return input;
    };
  Object.assign(vscode.window, {
    createQuickPick: noting(() => createQuickPick()),
    createInputBox: noting(createInputBox),
  });
  try {
    await act();
  } finally {
    Object.assign(vscode.window, { createQuickPick, createInputBox });
  }
  return made;
}

/** What the rows of a list say, without headings. */
export function labelsOf(input: Input | undefined): string[] {
  const items = input !== undefined && 'items' in input ? input.items : [];
  return items
    .filter(({ kind }) => kind !== vscode.QuickPickItemKind.Separator)
    .map(({ label }) => label);
}

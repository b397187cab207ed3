import * as vscode from 'vscode';
import { until } from '../waiting';
import { replace } from './replacing';

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

type Pick = vscode.QuickPick<vscode.QuickPickItem>;
type Input = Pick | vscode.InputBox;

/**
 * Runs `press`, which presses Enter, until the input takes that, and resolves when it has closed. One
 * more press might answer the next input.
 */
export async function untilTaken(input: Input, press: () => PromiseLike<unknown>): Promise<void> {
  const hidden = new Promise<void>((resolve) => input.onDidHide(resolve));
  const state = { isTaken: false };
  input.onDidAccept(() => (state.isTaken = true));
  await until(async () => {
    await press();
    return state.isTaken;
  });
  await hidden;
}

interface Watch {
  readonly pick?: (pick: Pick) => void;
  readonly box?: (box: vscode.InputBox) => void;
}

/** Calls these with each list and box that is made until the test has ended, or the result is called. */
export function watchMade({ pick, box }: Watch): () => void {
  const { createQuickPick, createInputBox } = vscode.window;
  const making =
    <Made extends Input>(make: () => Made, seen: (made: Made) => void) =>
    (): Made => {
      const input = make();
      seen(input);
      return input;
    };
  return replace(vscode.window, {
    ...(pick && { createQuickPick: making(() => createQuickPick(), pick) }),
    ...(box && { createInputBox: making(createInputBox, box) }),
  });
}

/** The same with those that are shown, right after that. */
export function watchShown({ pick, box }: Watch): () => void {
  const onShow =
    <Made extends Input>(seen: (made: Made) => void) =>
    (made: Made): void => {
      const show = made.show.bind(made);
      made.show = () => {
        show();
        seen(made);
      };
    };
  return watchMade({ ...(pick && { pick: onShow(pick) }), ...(box && { box: onShow(box) }) });
}

/** The lists and boxes that `act` makes, in order, as they were left. */
export async function inputsDuring(act: () => PromiseLike<unknown>): Promise<readonly Input[]> {
  const made: Input[] = [];
  const note = (input: Input) => void made.push(input);
  const end = watchMade({ pick: note, box: note });
  await act();
  end();
  return made;
}

/** What the rows of a list say, without headings. */
export function labelsOf(input: Input | undefined): string[] {
  const items = input !== undefined && 'items' in input ? input.items : [];
  return items
    .filter(({ kind }) => kind !== vscode.QuickPickItemKind.Separator)
    .map(({ label }) => label);
}

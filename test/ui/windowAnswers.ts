import * as vscode from 'vscode';
import { accept, untilTaken } from './pressingKeys';
import { atEnd } from './replacing';

/** A box that asked for a line of text. */
export interface SeenBox {
  readonly title: string;
  readonly isPassword: boolean;
}

/**
 * Answers what the real extension asks beside its modal dialogs, and notes what it says: nobody
 * presses in the window of the tests. From `begin` to `dispose`.
 */
export class WindowAnswers implements vscode.Disposable {
  /** Sentences of notifications, oldest first. */
  readonly told: string[] = [];
  readonly boxes: SeenBox[] = [];
  /** Labels of the last list. */
  listed: readonly string[] = [];
  /** Which button of a notification is pressed. */
  press: (sentence: string, buttons: readonly string[]) => string | undefined = () => undefined;
  /** What is typed into a box; `undefined` closes it. */
  type: (box: SeenBox) => string | undefined = () => undefined;
  /** Which row of a list is picked, by the beginning of its label; of several the first that is there. */
  pick: string | readonly string[] | undefined;
  /** What the dialog for files and folders gives. */
  opened: readonly vscode.Uri[] | undefined;
  /** What the dialog for a file to write gives. */
  saved: vscode.Uri | undefined;
  #original = { ...vscode.window };

  begin(): this {
    this.#original = { ...vscode.window };
    const show = (sentence: string, ...rest: readonly unknown[]): Promise<unknown> => {
      this.told.push(sentence);
      const buttons = rest.filter((button) => typeof button === 'string');
      return Promise.resolve(this.press(sentence, buttons));
    };
    Object.assign(vscode.window, {
      showInformationMessage: show,
      showWarningMessage: show,
      showErrorMessage: show,
      showInputBox: ({ title = '', password = false }: vscode.InputBoxOptions) => {
        const box = { title, isPassword: password };
        this.boxes.push(box);
        return Promise.resolve(this.type(box));
      },
      createInputBox: () => this.#answered(this.#original.createInputBox()),
      showQuickPick: async (items: unknown) => {
        const rows = await Promise.resolve(items);
        const all = Array.isArray(rows) ? rows : [];
        this.listed = all.map(labelOf);
        return [this.pick ?? []]
          .flat()
          .map((start) => all.find((row) => labelOf(row).startsWith(start)))
          .find((row) => row !== undefined);
      },
      showOpenDialog: () => Promise.resolve(this.opened),
      showSaveDialog: () => Promise.resolve(this.saved),
    });
    return this;
  }

  /** A box with a way back: the answer stands in it as soon as it shows, and Enter is pressed. */
  #answered(input: vscode.InputBox): vscode.InputBox {
    const show = input.show.bind(input);
    input.show = () => {
      const box = { title: input.title ?? '', isPassword: input.password };
      this.boxes.push(box);
      const text = this.type(box);
      show();
      if (text === undefined) return;
      input.value = text;
      void untilTaken(input, () => vscode.commands.executeCommand(accept));
    };
    return input;
  }

  dispose(): void {
    const { showInformationMessage, showWarningMessage, showErrorMessage } = this.#original;
    const { showInputBox, createInputBox, showQuickPick, showOpenDialog, showSaveDialog } =
      this.#original;
    Object.assign(vscode.window, {
      showInformationMessage,
      showWarningMessage,
      showErrorMessage,
      showInputBox,
      createInputBox,
      showQuickPick,
      showOpenDialog,
      showSaveDialog,
    });
  }
}

/** Answers until the test has ended. */
export function answersOfTest(): WindowAnswers {
  const answers = new WindowAnswers().begin();
  atEnd(() => answers.dispose());
  return answers;
}

function labelOf(row: unknown): string {
  return typeof row === 'object' && row !== null && 'label' in row ? String(row.label) : '';
}

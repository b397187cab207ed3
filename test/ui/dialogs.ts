import * as vscode from 'vscode';

/** How long a person reads a question before a call; sooner than half a second no press counts. */
const readingMs = 600;
/** Each file of tests has a copy of this, made before any of them set the clock. */
const clock = performance.now.bind(performance);

/** Sets the clock of the extension host forward, instead of waiting until so much time is over. */
function letTimePass(): void {
  const aheadMs = performance.now() - clock() + readingMs;
  performance.now = () => clock() + aheadMs;
}

/** A modal dialog of the extension, as a person would see it. */
export interface SeenDialog {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

/** The title of the button to press; `undefined` closes the dialog. */
export type Press = (dialog: SeenDialog) => string | undefined;

/**
 * Answers the modal warnings and the questions before calls of the real extension, which runs beside the tests and whose dialogs
 * VS Code refuses to show there, from `begin` to `dispose`. Other messages go their way.
 */
export class AnsweredDialogs implements vscode.Disposable {
  readonly seen: SeenDialog[] = [];
  /** Those that ask once more whether a risky call is meant; they are answered with Run. */
  readonly second: SeenDialog[] = [];
  press: Press;
  #original = { ...vscode.window };

  constructor(press: Press) {
    this.press = press;
  }

  begin(): this {
    const { showWarningMessage, showInformationMessage } = (this.#original = { ...vscode.window });
    Object.assign(vscode.window, {
      showWarningMessage: this.#answering(showWarningMessage, () => true),
      showInformationMessage: this.#answering(showInformationMessage, isQuestion),
    });
    return this;
  }

  dispose(): void {
    const { showWarningMessage, showInformationMessage } = this.#original;
    Object.assign(vscode.window, { showWarningMessage, showInformationMessage });
  }

  #answering(
    original: (message: string) => Thenable<unknown>,
    isMeant: (message: string) => boolean,
  ) {
    return async (message: string, ...rest: readonly unknown[]): Promise<unknown> => {
      const [options, ...items] = rest;
      if (!isModal(options) || !isMeant(message))
        return Reflect.apply(original, vscode.window, [message, ...rest]);
      const buttons = items.map(titleOf);
      const dialog = { message, detail: plainSpaces(options.detail ?? ''), buttons };
      const isSecond = message.startsWith('Really run ');
      (isSecond ? this.second : this.seen).push(dialog);
      const pressed = isSecond ? 'Run' : this.press(dialog);
      // The question before a call takes no answer that comes sooner than anybody can read.
      if (pressed !== undefined && isQuestion(message)) letTimePass();
      return items.find((item) => titleOf(item) === pressed);
    };
  }
}

function isQuestion(message: string): boolean {
  return /^(?:(?:Really run|Run|Agent) “|(?:Really run|Run) the calls of “)/.test(message);
}

/** Presses whichever button starts servers. */
export function pressStart({ buttons }: SeenDialog): string | undefined {
  return buttons.find((button) => /^(?:Connect|Start (?:Server|\d+ Servers))$/.test(button));
}

/** Spaces that no version of VS Code draws as one, as any others. */
function plainSpaces(text: string): string {
  return text.replaceAll('\u00A0', ' ');
}

function isModal(options: unknown): options is vscode.MessageOptions {
  return (
    typeof options === 'object' && options !== null && 'modal' in options && options.modal === true
  );
}

function titleOf(item: unknown): string {
  return typeof item === 'object' && item !== null && 'title' in item ? String(item.title) : '';
}

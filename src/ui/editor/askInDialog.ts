import * as vscode from 'vscode';
import { dialogText } from '../format/dialogLines';

/**
 * Asks in a modal dialog, which no command can answer. Resolves to `true` only if the user selects
 * the button; closing the dialog means no.
 */
export async function askInDialog(
  message: string,
  detail: string,
  button: string,
): Promise<boolean> {
  const options = { modal: true, detail: dialogText(detail) };
  const pressed = await vscode.window.showWarningMessage(message, options, { title: button });
  return pressed?.title === button;
}

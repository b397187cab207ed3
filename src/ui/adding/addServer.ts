import * as vscode from 'vscode';
import { addDrafts, type AddFlowOptions } from './addFlow';
import { askForServer } from './pasteBox';

/** The configuration files of a person are smaller by far, and it is looked at while they type. */
const maxClipboardChars = 1024 * 1024;

/** Asks what is to be added, beginning with the clipboard, and goes through its steps. */
export async function addServer(options: AddFlowOptions): Promise<void> {
  const copied = await vscode.env.clipboard.readText();
  const clipboard = copied.length > maxClipboardChars ? '' : copied;
  let typed = '';
  for (;;) {
    const pasted = await askForServer(clipboard, typed);
    if (pasted?.kind === 'command') await vscode.commands.executeCommand(pasted.command);
    if (pasted?.kind !== 'drafts') return;
    ({ typed } = pasted);
    if ((await addDrafts(pasted.drafts, options, { hasBefore: true })) !== 'back') return;
  }
}

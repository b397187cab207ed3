import * as vscode from 'vscode';
import { addDrafts, type AddFlowOptions } from './addFlow';
import { askForServer } from './pasteBox';

/** Users' configuration files are much smaller, and the text is parsed while they type. */
const maxClipboardChars = 1024 * 1024;

/** Asks for the server to add, starting with the clipboard, and runs the steps. */
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

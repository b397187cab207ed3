import * as vscode from 'vscode';
import { commands } from '../ids';
import { addDrafts, type AddFlowParts } from '../ui/adding/addFlow';
import { AddLinks } from '../ui/adding/addLinks';
import { importServers, type ImportParts } from '../ui/adding/importServers';
import { askForServer } from '../ui/adding/pasteBox';
import { WritePreviews } from '../ui/adding/writePreviews';

export type AddingPartsOptions = Omit<ImportParts, 'previews'>;

/** Everything by which servers get into a configuration: pasted, imported or linked to. */
export class AddingParts implements vscode.Disposable {
  readonly #disposables: vscode.Disposable;

  constructor(options: AddingPartsOptions) {
    const previews = new WritePreviews();
    const parts = { ...options, previews };
    const register = vscode.commands.registerCommand;
    this.#disposables = vscode.Disposable.from(
      previews,
      register(commands.addServer, () => addServer(parts)),
      register(commands.importServers, () => importServers(parts)),
      vscode.window.registerUriHandler(new AddLinks(parts)),
    );
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

/** The configuration files of a person are smaller by far, and it is looked at while they type. */
const maxClipboardChars = 1024 * 1024;

async function addServer(parts: AddFlowParts): Promise<void> {
  const copied = await vscode.env.clipboard.readText();
  const pasted = await askForServer(copied.length > maxClipboardChars ? '' : copied);
  if (pasted?.kind === 'command') await vscode.commands.executeCommand(pasted.command);
  else if (pasted !== undefined) await addDrafts(pasted.drafts, parts);
}

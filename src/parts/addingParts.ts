import * as vscode from 'vscode';
import { commands } from '../ids';
import { addServer } from '../ui/adding/addServer';
import { AddLinks } from '../ui/adding/addLinks';
import { importServers, type ImportParts } from '../ui/adding/importServers';
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

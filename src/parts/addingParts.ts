import * as vscode from 'vscode';
import { commands } from '../ids';
import { addServer } from '../ui/adding/addServer';
import { AddLinks } from '../ui/adding/addLinks';
import { importServers, type ImportServersOptions } from '../ui/adding/importServers';
import type { WritePreviews } from '../ui/adding/writePreviews';
import { tell } from '../ui/editor/messages';

export interface AddingPartsOptions extends ImportServersOptions {
  readonly previews: WritePreviews;
  /** `vscode://` addresses of the extension. */
  readonly onDidOpenLink: vscode.Event<vscode.Uri>;
}

/** Everything by which servers get into a configuration: pasted, imported or linked to. */
export class AddingParts {
  readonly #options: AddingPartsOptions;

  constructor(options: AddingPartsOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    const options = this.#options;
    const { previews } = options;
    const links = new AddLinks(options);
    const register = vscode.commands.registerCommand;
    return vscode.Disposable.from(
      previews,
      previews.register(),
      register(commands.addServer, () => addServer(options)),
      register(commands.importServers, () => importServers(options)),
      options.onDidOpenLink((uri) => {
        links.handleUri(uri).catch((error: unknown) => tell('error', String(error)));
      }),
    );
  }
}

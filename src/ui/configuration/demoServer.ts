import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ServerConfig } from '../../host/configuration/serverConfig';

/** Its name in the list; a configured server of the same name wins. */
export const demoServerId = 'demo';

/** The server that comes with the extension, run by the program that runs the extension. */
export function demoServerConfig(extensionUri: vscode.Uri): ServerConfig {
  return {
    id: demoServerId,
    label: l10n.t('Demo'),
    source: { kind: 'demo' },
    transport: {
      kind: 'stdio',
      command: process.execPath,
      args: [vscode.Uri.joinPath(extensionUri, 'dist', 'demoServer.js').fsPath],
      // On the desktop the program is Electron; this makes it behave as plain Node.
      env: { ELECTRON_RUN_AS_NODE: '1' },
    },
  };
}

import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ServerConfig } from '../../host/configuration/serverConfig';

/** Id of the demo server. A configured server of the same name wins. */
export const demoServerId = 'demo';

/**
 * Returns the configuration of the bundled demo server. It runs with the program that runs the
 * extension.
 */
export function demoServerConfig(extensionUri: vscode.Uri): ServerConfig {
  return {
    id: demoServerId,
    label: l10n.t('Demo'),
    source: { kind: 'demo' },
    transport: {
      kind: 'stdio',
      command: process.execPath,
      args: [vscode.Uri.joinPath(extensionUri, 'dist', 'demoServer.js').fsPath],
      // On the desktop the program is Electron; this variable makes it behave like Node.
      env: { ELECTRON_RUN_AS_NODE: '1' },
    },
  };
}

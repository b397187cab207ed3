import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { visibleText, escapeIcons } from '../../core/visibleText';
import type { Server } from '../../host/connections/snapshot';
import { formatSource } from '../format/sentencesOfProblems';
import { formatServerState } from '../format/formatServerState';

interface ServerItem extends vscode.QuickPickItem {
  readonly server: Server;
}

const maxLabelChars = 200;

/**
 * Lets the user choose one of `servers`, of which there must be at least one. Resolves with
 * `undefined` if the picker is closed.
 */
export async function pickServer(
  servers: readonly Server[],
  title: string,
): Promise<Server | undefined> {
  const items = servers.map(serverItem);
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: l10n.t('Choose a server'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.server;
}

function serverItem(server: Server): ServerItem {
  const { config } = server;
  return {
    server,
    label: escapeIcons(visibleText(config.label, maxLabelChars)),
    description: formatServerState(server),
    detail: escapeIcons(formatSource(config.source)),
  };
}

import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import { visibleText, withoutIcons } from '../../core/visibleText';
import type { Server } from '../../host/connections/snapshot';
import { sourceWords } from '../words/sentencesOfProblems';

interface ServerItem extends vscode.QuickPickItem {
  readonly server: Server;
}

const maxLabelChars = 200;

/** Lets the person choose one of `servers`, which are not none. Closing it is `undefined`. */
export async function pickServer(
  servers: readonly Server[],
  title: string,
): Promise<Server | undefined> {
  const items = servers.map(serverItem);
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('Choose a server'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.server;
}

function serverItem(server: Server): ServerItem {
  const { config } = server;
  return {
    server,
    label: withoutIcons(visibleText(config.label, maxLabelChars)),
    description: stateWords(server),
    detail: withoutIcons(sourceWords(config.source)),
  };
}

function stateWords({ state, tools }: Server): string {
  switch (state.kind) {
    case 'stopped':
      return vscode.l10n.t('stopped');
    case 'starting':
      return vscode.l10n.t('starting');
    case 'running':
      return tools.length === 1
        ? vscode.l10n.t('running, 1 tool')
        : vscode.l10n.t('running, {0} tools', tools.length);
    case 'failed':
      return vscode.l10n.t('failed');
    default:
      return assertNever(state);
  }
}

import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { withoutIcons } from '../../core/visibleText';
import type { ServerRegistry } from '../../host/connections/registry';
import { commands } from '../../ids';
import { commandTarget } from '../editor/commandTarget';
import { startServerAction, tell } from '../editor/messages';
import { quoted } from '../format/sentences';
import { toolNameText } from '../format/toolTitle';

const noticeMs = 3_000;

interface NameItem extends vscode.QuickPickItem {
  readonly name: string;
}

/** Copies the name of a tool exactly as the server lists it. */
export function registerCopyToolName(registry: ServerRegistry): vscode.Disposable {
  return vscode.commands.registerCommand(commands.copyToolName, async (argument: unknown) => {
    const name = commandTarget(argument).toolName ?? (await pickName(registry));
    if (name === undefined || name === '') return;
    await vscode.env.clipboard.writeText(name);
    vscode.window.setStatusBarMessage(withoutIcons(l10n.t('Copied “{0}”', quoted(name))), noticeMs);
  });
}

async function pickName(registry: ServerRegistry): Promise<string | undefined> {
  const items = registry.servers.flatMap(({ config, tools }) =>
    tools.map(({ tool }): NameItem => ({
      name: tool.name,
      label: withoutIcons(toolNameText(tool)),
      description: withoutIcons(quoted(config.label)),
    })),
  );
  if (items.length === 0) {
    tell('information', l10n.t('No tools are listed. Start a server first.'), startServerAction());
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(items, {
    title: l10n.t('Copy Tool Name'),
    placeHolder: l10n.t('Choose a tool'),
    matchOnDescription: true,
  });
  return picked?.name;
}

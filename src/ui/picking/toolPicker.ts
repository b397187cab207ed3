import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ToolEntry } from '../../host/connections/snapshot';
import { commands } from '../../ids';
import { chosenItem } from './chosenItem';
import { addServerActions, tell } from '../editor/messages';
import type { ServerActions } from '../servers/serverActions';
import {
  callableTools,
  foundToolItems,
  idleServers,
  startItems,
  toolItems,
  type PickerChoice,
  type PickerItem,
} from './toolPickerItems';
import { manageTrustCommand } from '../format/startCommand';

export interface ToolPickerOptions {
  readonly registry: Pick<ServerRegistry, 'servers'>;
  readonly actions: Pick<ServerActions, 'start' | 'startAll'>;
  /** What the tool is wanted for. Default: to call it. */
  readonly title?: string;
}

/** VS Code takes so many rows at once without a pause; more are searched here. */
const maxRows = 2_000;
/** Of a longer list, as many rows as a person might scroll through. */
const maxFoundRows = 500;

/**
 * Lets the person choose a tool of a running server, or start a server first and go on from there.
 * `undefined` when there is nothing to choose, which is said, and when the picker was closed.
 */
export async function pickTool(options: ToolPickerOptions): Promise<ToolEntry | undefined> {
  for (;;) {
    const { servers } = options.registry;
    if (servers.length === 0) {
      tellNoServers();
      return undefined;
    }
    if (!vscode.workspace.isTrusted) {
      tellRestricted();
      return undefined;
    }
    if (callableTools(servers).length === 0 && idleServers(servers).length === 0) {
      tellNoTools();
      return undefined;
    }
    const choice = await askForTool(options);
    if (choice === undefined) return undefined;
    if (choice.kind === 'tool') return choice.entry;
    if (!(await startChosen(options, choice))) return undefined;
  }
}

/** Whether it is worth showing the tools again: when nothing started, that has been said. */
async function startChosen(
  { registry, actions }: ToolPickerOptions,
  choice: Exclude<PickerChoice, { kind: 'tool' }>,
): Promise<boolean> {
  switch (choice.kind) {
    case 'start':
      return actions.start(choice.serverId);
    case 'startAll':
      await actions.startAll(idleServers(registry.servers));
      return callableTools(registry.servers).length > 0;
    default:
      return assertNever(choice);
  }
}

async function askForTool({
  registry,
  title,
}: ToolPickerOptions): Promise<PickerChoice | undefined> {
  const tools = callableTools(registry.servers);
  const start = startItems(idleServers(registry.servers));
  const count = tools.reduce((sum, [, entries]) => sum + entries.length, 0);
  const pick = vscode.window.createQuickPick<PickerItem>();
  pick.title = title ?? vscode.l10n.t('Call Tool');
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  if (count === 0) {
    pick.placeholder = vscode.l10n.t('No server is running. Choose one to start.');
    pick.items = start;
  } else {
    pick.placeholder = vscode.l10n.t('Choose one of {0} tools', count);
    const find = () => [...foundToolItems(tools, pick.value, maxFoundRows), ...start];
    if (count > maxRows) pick.onDidChangeValue(() => (pick.items = find()));
    pick.items = count > maxRows ? find() : [...toolItems(tools), ...start];
  }
  return chosenItem(pick);
}

function tellNoServers(): void {
  tell(
    'information',
    vscode.l10n.t('No MCP server is configured, so there is no tool to call. Add one first.'),
    ...addServerActions(),
    {
      title: vscode.l10n.t('Open Server Configuration'),
      command: commands.openServerConfiguration,
    },
  );
}

function tellRestricted(): void {
  tell(
    'information',
    vscode.l10n.t('Restricted Mode: no server starts until you trust this workspace.'),
    manageTrustCommand(),
  );
}

function tellNoTools(): void {
  tell('information', vscode.l10n.t('The running servers offer no tools that can be called.'), {
    title: vscode.l10n.t('Refresh Tools'),
    command: commands.refreshTools,
  });
}

import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import type { LastTools } from '../../host/lastTools/lastTools';
import type { History } from '../../host/history/history';
import { commands } from '../../ids';
import { chosenItem } from './chosenItem';
import { addServerActions, tell } from '../editor/messages';
import type { ServerActions } from '../servers/serverActions';
import { pickableTools, type PickableTool } from './pickableTools';
import {
  foundToolItems,
  idleServers,
  startItems,
  type PickerChoice,
  type PickerItem,
} from './toolPickerItems';
import { manageTrustCommand } from '../format/startCommand';
import { ToolSearch } from './toolSearch';

export interface ToolPickerOptions {
  readonly registry: Pick<ServerRegistry, 'servers'>;
  readonly actions: Pick<ServerActions, 'start' | 'startAll'>;
  /** What the tool is wanted for. Default: to call it. */
  readonly title?: string;
  /** Of the calls that were made. Default: nothing is known of any. */
  readonly history?: Pick<History, 'lastOfEachTool'>;
  /** What servers listed that do not run. Default: nothing is known of them. */
  readonly lastTools?: Pick<LastTools, 'read' | 'of'>;
  /** Starts the server of a tool that was listed last, and finds the tool it has now. */
  readonly findTool?: (serverId: string, toolName: string) => Promise<ToolEntry | undefined>;
}

/**
 * Lets the person choose a tool of a running server, or start a server first and go on from there.
 * `undefined` when there is nothing to choose, which is said, and when the picker was closed.
 */
export async function pickTool(options: ToolPickerOptions): Promise<ToolEntry | undefined> {
  for (let hasStarted = false; ; hasStarted = true) {
    const { servers } = options.registry;
    if (servers.length === 0) {
      tellNoServers();
      return undefined;
    }
    if (!vscode.workspace.isTrusted) {
      tellRestricted();
      return undefined;
    }
    if (pickableTools(servers).length === 0 && idleServers(servers).length === 0) {
      tellNoTools();
      return undefined;
    }
    const choice = await askForTool(options, hasStarted);
    if (choice === undefined) return undefined;
    if (choice.kind === 'tool') return choice.entry;
    if (choice.kind === 'lastKnown') return options.findTool?.(choice.serverId, choice.toolName);
    if (!(await startChosen(options, choice))) return undefined;
  }
}

/** Whether it is worth showing the tools again: when nothing started, that has been said. */
async function startChosen(
  { registry, actions }: ToolPickerOptions,
  choice: Exclude<PickerChoice, { kind: 'tool' | 'lastKnown' }>,
): Promise<boolean> {
  switch (choice.kind) {
    case 'start':
      return actions.start(choice.serverId);
    case 'startAll':
      await actions.startAll(idleServers(registry.servers));
      return pickableTools(registry.servers).length > 0;
    default:
      return assertNever(choice);
  }
}

async function askForTool(
  options: ToolPickerOptions,
  hasStarted: boolean,
): Promise<PickerChoice | undefined> {
  const { registry, title } = options;
  const pick = vscode.window.createQuickPick<PickerItem>();
  pick.title = title ?? vscode.l10n.t('Call Tool');
  // What is searched is said by our rules; this only marks it.
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  keepOrder(pick);
  // The tree opens the row of what has started, and takes the focus for a moment.
  const isStarting = registry.servers.some(({ state }) => state.kind === 'starting');
  pick.ignoreFocusOut = hasStarted || isStarting;
  return chosenItem(pick, fill(pick, options));
}

/** Shows the rows, and from then on those that fit what is typed. */
async function fill(
  pick: vscode.QuickPick<PickerItem>,
  { registry, history, lastTools }: ToolPickerOptions,
): Promise<void> {
  pick.busy = true;
  const calls = (await history?.lastOfEachTool()) ?? [];
  await lastTools?.read(registry.servers);
  const lastKnown = (server: Server): readonly ToolEntry[] => lastTools?.of(server) ?? [];
  const tools = pickableTools(registry.servers, { calls, lastKnown });
  const start = startItems(idleServers(registry.servers));
  const search = new ToolSearch();
  const show = (): void => {
    pick.items = [...foundToolItems(tools, pick.value, search), ...start];
  };
  pick.placeholder = placeholderFor(tools);
  pick.onDidChangeValue(show);
  show();
  pick.busy = false;
}

function placeholderFor(tools: readonly PickableTool[]): string {
  return tools.length === 0
    ? vscode.l10n.t('No server is running. Choose one to start.')
    : vscode.l10n.t('Choose one of {0} tools', tools.length);
}

/**
 * VS Code sorts what is found by label, the best of ours or not. It lets extensions say otherwise,
 * though not by its typings; one that does not goes on sorting, and nothing is lost but the order.
 */
function keepOrder(pick: vscode.QuickPick<PickerItem>): void {
  Reflect.set(pick, 'sortByLabel', false);
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

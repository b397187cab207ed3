import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import type { ToolSets } from '../../host/agents/toolSets';
import type { LastTools } from '../../host/lastTools/lastTools';
import type { History } from '../../host/history/history';
import { commands } from '../../ids';
import type { JsonObject } from '../../core/json/jsonValue';
import { nextChoice, type OtherKey } from './chosenItem';
import type { HeldForCall } from './focusPlaceholder';
import { addServerActions, tell } from '../editor/messages';
import type { ServerActions } from '../servers/serverActions';
import { pickableTools } from './pickableTools';
import {
  foundToolItems,
  idleServers,
  leftOutItems,
  startItems,
  MadeItems,
  type PickerChoice,
  type PickerItem,
} from './toolPickerItems';
import { manageTrustCommand } from '../format/startCommand';
import { ToolSearch } from './toolSearch';
import { untilRowsShow } from './untilRowsShow';

export interface ToolPickerOptions {
  readonly registry: Pick<ServerRegistry, 'servers'>;
  readonly actions: Pick<ServerActions, 'start' | 'startAll'>;
  /** What the tool is wanted for. Default: to call it. */
  readonly title?: string;
  /** Of the calls that were made. Default: nothing is known of any. */
  readonly history?: Pick<History, 'lastOfEachTool'>;
  /** What servers listed that do not run. Default: nothing is known of them. */
  readonly lastTools?: Pick<LastTools, 'read' | 'of'>;
  /** What of the tools the person wants to see. Default: all of them. */
  readonly toolSets?: Pick<ToolSets, 'holds' | 'chosen'>;
  /** Starts the server of a tool that was listed last, and finds the tool it has now. */
  readonly findTool?: (serverId: string, toolName: string) => Promise<ToolEntry | undefined>;
  /** What keeps the picker open until the next one shows. Default: it closes. */
  readonly held?: Pick<HeldForCall, 'keep'>;
  /** Takes a tool with what it was called with the last time. Default: rows offer no such thing. */
  readonly lastKey?: OtherKey;
}

export interface PickedTool {
  readonly entry: ToolEntry;
  /** What the person wants to call it with, as the last time; absent: they did not say. */
  readonly last: JsonObject | undefined;
}

/**
 * Lets the person choose a tool of a running server, or start a server first and go on from there.
 * `undefined` when there is nothing to choose, which is said, and when the picker was closed.
 */
export async function pickTool(options: ToolPickerOptions): Promise<ToolEntry | undefined> {
  return (await pickToolToCall(options))?.entry;
}

/** The same, with what the tool is to be called with where the person chose that, too. */
export async function pickToolToCall(options: ToolPickerOptions): Promise<PickedTool | undefined> {
  const pick = vscode.window.createQuickPick<PickerItem>();
  try {
    return await pickIn(pick, options);
  } finally {
    // Who goes on in another picker shows that one first.
    if (options.held === undefined) pick.dispose();
    else options.held.keep(pick);
  }
}

async function pickIn(
  pick: vscode.QuickPick<PickerItem>,
  given: ToolPickerOptions,
): Promise<PickedTool | undefined> {
  let options = given;
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
    if (pickableTools(servers).length === 0 && idleServers(servers).length === 0) {
      tellNoTools();
      return undefined;
    }
    const choice = await askForTool(pick, options);
    if (choice === undefined) return undefined;
    if (choice.kind === 'tool') return { entry: choice.entry, last: choice.last };
    if (choice.kind === 'showAll') {
      const { toolSets: _, ...all } = options;
      options = all;
      continue;
    }
    if (choice.kind === 'lastKnown') {
      if (options.held === undefined) pick.dispose();
      const entry = await options.findTool?.(choice.serverId, choice.toolName);
      return entry && { entry, last: choice.last };
    }
    await keepOpen(pick);
    if (!(await startChosen(options, choice))) return undefined;
  }
}

/**
 * The picker stays in sight while a server starts, and has the focus. Closed and shown again it would
 * give the focus to the tree in between, and VS Code, which draws the tree anew just then, gives it to the
 * tree once more when the picker has it already: what is typed goes there.
 */
async function keepOpen(pick: vscode.QuickPick<PickerItem>): Promise<void> {
  pick.ignoreFocusOut = true;
  pick.busy = true;
  pick.value = '';
  pick.items = [];
  pick.placeholder = l10n.t('Starting…');
  // The question before the start would close it as long as the window does not know.
  await untilRowsShow();
}

/** Whether it is worth showing the tools again: when nothing started, that has been said. */
async function startChosen(
  { registry, actions }: ToolPickerOptions,
  choice: Exclude<PickerChoice, { kind: 'tool' | 'lastKnown' | 'showAll' }>,
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
  pick: vscode.QuickPick<PickerItem>,
  options: ToolPickerOptions,
): Promise<PickerChoice | undefined> {
  const { registry, title, lastKey } = options;
  pick.title = title ?? l10n.t('Call Tool');
  // What is searched is said by our rules; this only marks it.
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  keepOrder(pick);
  // The tree opens the row of what has started, and takes the focus for a moment.
  if (registry.servers.some(({ state }) => state.kind === 'starting')) pick.ignoreFocusOut = true;
  const rows = new ToolRowsOfPick(pick, options);
  try {
    return await nextChoice(pick, rows.fill(), lastKey);
  } finally {
    rows.dispose();
  }
}

/** Shows the rows, and from then on those that fit what is typed, until it is disposed of. */
class ToolRowsOfPick {
  readonly #pick: vscode.QuickPick<PickerItem>;
  readonly #options: ToolPickerOptions;
  #isOver = false;
  #subscription: vscode.Disposable | undefined;

  constructor(pick: vscode.QuickPick<PickerItem>, options: ToolPickerOptions) {
    this.#pick = pick;
    this.#options = options;
  }

  async fill(): Promise<void> {
    const pick = this.#pick;
    const { registry, history, lastTools, toolSets, lastKey } = this.#options;
    pick.busy = true;
    const calls = (await history?.lastOfEachTool()) ?? [];
    await lastTools?.read(registry.servers);
    if (this.#isOver) return;
    const lastKnown = (server: Server): readonly ToolEntry[] => lastTools?.of(server) ?? [];
    const all = pickableTools(registry.servers, { calls, lastKnown });
    const tools = all.filter(
      ({ entry }) => toolSets?.holds(entry.serverId, entry.tool.name) !== false,
    );
    const leftOut = leftOutItems(all.length - tools.length, toolSets?.chosen);
    const start = startItems(idleServers(registry.servers));
    const search = new ToolSearch();
    const made = new MadeItems(lastKey !== undefined);
    const show = (): void => {
      pick.items = [...foundToolItems(tools, pick.value, search, made), ...leftOut, ...start];
    };
    pick.placeholder = placeholderFor(tools.length, all.length);
    this.#subscription = pick.onDidChangeValue(show);
    show();
    pick.busy = false;
    // Enter does not wait for it.
    void search.prepare(tools, () => !this.#isOver);
  }

  dispose(): void {
    this.#isOver = true;
    this.#subscription?.dispose();
  }
}

function placeholderFor(shown: number, all: number): string {
  return all === 0
    ? l10n.t('No server is running. Choose one to start.')
    : l10n.t('Choose one of {0} tools', shown);
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
    l10n.t('There is no tool to call because no MCP server is configured. Add one first.'),
    ...addServerActions(),
    {
      title: l10n.t('Open Server Configuration'),
      command: commands.openServerConfiguration,
    },
  );
}

function tellRestricted(): void {
  tell(
    'information',
    l10n.t('Restricted Mode: servers cannot start until you trust this workspace.'),
    manageTrustCommand(),
  );
}

function tellNoTools(): void {
  tell('information', l10n.t('The running servers have no tools that can be called.'), {
    title: l10n.t('Refresh Tools'),
    command: commands.refreshTools,
  });
}

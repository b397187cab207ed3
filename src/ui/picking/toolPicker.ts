import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { CancellationToken } from 'vscode-jsonrpc/node';
import { assertNever } from '../../core/errors';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import type { ToolSets } from '../../host/agents/toolSets';
import type { LastTools } from '../../host/lastTools/lastTools';
import type { History } from '../../host/history/history';
import { commands } from '../../ids';
import type { JsonObject } from '../../core/json/jsonValue';
import {
  chosenItem,
  createPicker,
  noMatchItem,
  untilRowsShow,
  type OtherKey,
} from '../editor/picker';
import { cancelHint, type PickersOfCall } from './focusPlaceholder';
import { addServerActions, notify } from '../editor/messages';
import { pickableTools } from './pickableTools';
import {
  foundToolItems,
  idleServers,
  leftOutItems,
  matchingStartItems,
  startItems,
  MadeItems,
  type PickerChoice,
  type PickerItem,
} from './toolPickerItems';
import { manageTrustCommand } from '../format/startCommand';
import { splitTypedCall, ToolSearch } from './toolSearch';
import { commandTarget } from '../editor/ownArguments';
import { quoted } from '../format/sentences';

export interface ToolPickerOptions {
  readonly registry: Pick<ServerRegistry, 'servers'>;
  readonly actions: {
    start(
      serverId: string,
      isByHand?: boolean,
      begun?: (label: string) => vscode.CancellationToken,
    ): Promise<boolean>;
    startAll(servers: readonly Server[]): Promise<void>;
  };
  /** The purpose of the choice. Defaults to calling the tool. */
  readonly title?: string;
  /** Past calls. By default none are known. */
  readonly history?: Pick<History, 'lastOfEachTool'>;
  /** Tools that stopped servers listed last. By default none are known. */
  readonly lastTools?: Pick<LastTools, 'read' | 'of'>;
  /** Tool sets that restrict the list. Defaults to all tools. */
  readonly toolSets?: Pick<ToolSets, 'holds' | 'chosen'>;
  /** Starts the server of a last known tool, and returns its current definition. */
  readonly findTool?: (serverId: string, toolName: string) => Promise<ToolEntry | undefined>;
  /**
   * Keeps the picker open until the next one is shown, and lets Escape cancel the start of a
   * server. By default the picker closes, and Escape does not cancel a start.
   */
  readonly held?: Pick<PickersOfCall, 'keep' | 'start'>;
  /** The key that takes a tool with its last arguments. By default rows do not offer it. */
  readonly lastKey?: OtherKey;
}

export interface PickedTool {
  readonly entry: ToolEntry;
  /** The last arguments, if the user chose to call the tool with them. */
  readonly last: JsonObject | undefined;
  /** Arguments that the user typed behind the name, as texts. */
  readonly typed: ReadonlyMap<string, string>;
}

/**
 * Lets the user choose a tool of a running server, or start a server first and continue from there.
 * Resolves with `undefined` after a message if there is nothing to choose, and if the picker is
 * closed.
 */
export async function pickTool(options: ToolPickerOptions): Promise<ToolEntry | undefined> {
  return (await pickToolToCall(options))?.entry;
}

/** Like pickTool(), with the arguments if the user chose them, too. */
export async function pickToolToCall(options: ToolPickerOptions): Promise<PickedTool | undefined> {
  const pick = createPicker<PickerItem>({
    title: options.title ?? l10n.t('Call Tool'),
    // Our own search decides what matches; this only highlights it.
    matchOnDescription: true,
    matchOnDetail: true,
  });
  try {
    return await pickIn(pick, options);
  } finally {
    // A caller that continues in another picker shows that one first.
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
      notifyNoServers();
      return undefined;
    }
    if (!vscode.workspace.isTrusted) {
      notifyRestricted();
      return undefined;
    }
    if (pickableTools(servers).length === 0 && idleServers(servers).length === 0) {
      notifyNoTools();
      return undefined;
    }
    const choice = await askForTool(pick, options);
    if (choice === undefined) return undefined;
    const typed = splitTypedCall(pick.value).values;
    if (choice.kind === 'tool') return { entry: choice.entry, last: choice.last, typed };
    if (choice.kind === 'showAll') {
      const { toolSets: _, ...all } = options;
      options = all;
      continue;
    }
    if (choice.kind === 'lastKnown') {
      if (options.held === undefined) pick.dispose();
      const entry = await options.findTool?.(choice.serverId, choice.toolName);
      return entry && { entry, last: choice.last, typed };
    }
    await keepOpen(pick);
    if (!(await startChosen(options, choice, pick))) return undefined;
  }
}

/**
 * The picker stays visible and keeps the focus while a server starts. If it were closed and shown
 * again, the tree would get the focus in between. VS Code redraws the tree just then and gives it
 * the focus once more after the picker has it, so the keys that the user types would go to the
 * tree.
 */
async function keepOpen(pick: vscode.QuickPick<PickerItem>): Promise<void> {
  pick.ignoreFocusOut = true;
  pick.busy = true;
  pick.value = '';
  pick.items = [];
  pick.placeholder = l10n.t('Starting…');
  // Until the window has the change, the question before the start would close the picker.
  await untilRowsShow();
}

/** Returns true if the tools should be shown again. If nothing started, a message has said so. */
async function startChosen(
  { registry, actions, held }: ToolPickerOptions,
  choice: Exclude<PickerChoice, { kind: 'tool' | 'lastKnown' | 'showAll' }>,
  pick: vscode.QuickPick<PickerItem>,
): Promise<boolean> {
  switch (choice.kind) {
    case 'start': {
      let hold: ReturnType<PickersOfCall['start']> | undefined;
      const isStarted = await actions.start(choice.serverId, true, (label) => {
        if (held !== undefined) pick.placeholder = cancelHint();
        hold = held?.start(label, pick);
        // A question in a document has closed it.
        if (hold === undefined) pick.show();
        return hold?.token ?? CancellationToken.None;
      });
      hold?.dispose();
      return isStarted && hold?.token.isCancellationRequested !== true;
    }
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
  const { registry, lastKey } = options;
  keepOrder(pick);
  // The tree opens the row of a started server, which takes the focus for a moment.
  if (registry.servers.some(({ state }) => state.kind === 'starting')) pick.ignoreFocusOut = true;
  const rows = new ToolRowsOfPick(pick, options);
  try {
    return await chosenItem(pick, { filled: rows.fill(), staysOpen: true }, lastKey);
  } finally {
    rows.dispose();
  }
}

/** Shows the rows of the picker, filtered by the typed text, until it is disposed of. */
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
      const { query } = splitTypedCall(pick.value);
      const found = foundToolItems(tools, query, search, made);
      const starts = matchingStartItems(start, query);
      const isNothing = found.length + starts.length === 0 && query.trim() !== '';
      const none = isNothing ? [noMatchItem(query)] : [];
      pick.items = [...found, ...leftOut, ...starts, ...none];
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
  if (all === 0) return l10n.t('No server is running. Choose one to start.');
  return shown === 1 ? l10n.t('Choose the tool') : l10n.t('Choose one of {0} tools', shown);
}

/**
 * VS Code sorts matches by label, whatever order they have. It lets extensions turn that off, but
 * not in its typings. If a version ignores it, only the order is lost.
 */
function keepOrder(pick: vscode.QuickPick<PickerItem>): void {
  Reflect.set(pick, 'sortByLabel', false);
}

function notifyNoServers(): void {
  notify(
    'information',
    l10n.t('There is no tool to call because no MCP server is configured. Add one first.'),
    ...addServerActions(),
    {
      title: l10n.t('Open Server Configuration'),
      command: commands.openServerConfiguration,
    },
  );
}

function notifyRestricted(): void {
  notify(
    'information',
    l10n.t('Restricted Mode: servers cannot start until you trust this workspace.'),
    manageTrustCommand(),
  );
}

function notifyNoTools(): void {
  notify('information', l10n.t('The running servers have no tools that can be called.'), {
    title: l10n.t('Refresh Tools'),
    command: commands.refreshTools,
  });
}

interface RowOrPickedToolOptions extends ToolPickerOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'servers'>;
}

/**
 * Returns the tool on whose row a command was run, or the tool that the user picks. Returns
 * `undefined` if the user picks none, or after a message if the tool no longer exists.
 */
export async function rowOrPickedTool(
  argument: unknown,
  options: RowOrPickedToolOptions,
): Promise<{ readonly entry: ToolEntry; readonly isFromTree: boolean } | undefined> {
  const { serverId, toolName } = commandTarget(argument);
  if (serverId === undefined || toolName === undefined) {
    const entry = await pickTool(options);
    return entry && { entry, isFromTree: false };
  }
  const tools = options.registry.find(serverId)?.tools ?? [];
  const entry = tools.find(({ tool }) => tool.callable && tool.name === toolName);
  if (entry !== undefined) return { entry, isFromTree: true };
  const sentence = l10n.t(
    '“{0}” no longer exists. Refresh the tools of its server.',
    quoted(toolName),
  );
  notify('warning', sentence);
  return undefined;
}

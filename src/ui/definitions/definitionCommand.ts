import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import type { Pins } from '../../host/consent/pins/pins';
import type { History } from '../../host/history/history';
import type { LastTools } from '../../host/lastTools/lastTools';
import { commands, definitionScheme } from '../../ids';
import { notifyNotCallable } from '../calls/missingTool';
import { codeLens } from '../editor/codeLens';
import { commandTarget, keepsFocus } from '../editor/commandTarget';
import { notify } from '../editor/messages';
import { isUserChoice, markOwnArgument } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import { pickTool } from '../picking/toolPicker';
import type { ServerActions } from '../servers/serverActions';
import { toolDefinitionText } from './definitionText';
import { toFileName } from '../editor/fileName';

export interface DefinitionCommandOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'find'>;
  readonly actions: Pick<ServerActions, 'start' | 'startAll'>;
  readonly pins: Pick<Pins, 'stateOf'>;
  readonly lastTools: Pick<LastTools, 'read' | 'of' | 'listedAt'>;
  readonly history: Pick<History, 'read' | 'calls' | 'lastOfEachTool'>;
  readonly documents: Pick<DefinitionDocuments, 'show'>;
}

/**
 * Show Tool Definition, and Open App Page: for a tree row, a lens or a picked tool. The former
 * starts no server.
 */
export function registerDefinitionCommand(options: DefinitionCommandOptions): vscode.Disposable {
  const on = (
    command: string,
    pick: () => Promise<ToolEntry | undefined>,
    act: (entry: ToolEntry, argument: unknown, how: unknown) => Promise<void>,
  ) =>
    vscode.commands.registerCommand(command, async (argument: unknown, how: unknown) => {
      const { serverId, toolName } = commandTarget(argument);
      const isOfRow = serverId !== undefined && toolName !== undefined;
      const entry = isOfRow ? await find(options, serverId, toolName) : await pick();
      if (entry !== undefined) await act(entry, argument, how);
      else if (isOfRow) notifyNotCallable(toolName, false);
    });
  return vscode.Disposable.from(
    on(
      commands.showDefinition,
      () => pickDefinition(options),
      (entry, _argument, how) => show(options, entry, how === keepsFocus),
    ),
    on(commands.openApp, () => pickApp(options), openApp),
  );
}

function pickDefinition(options: DefinitionCommandOptions): Promise<ToolEntry | undefined> {
  const findTool = (serverId: string, toolName: string) => find(options, serverId, toolName);
  return pickTool({ ...options, findTool, title: l10n.t('Show Tool Definition') });
}

/** Offers the tools of running servers that have a page. */
async function pickApp({ registry, actions }: DefinitionCommandOptions) {
  const withApps = () =>
    registry.servers.map((server) => ({
      ...server,
      tools: server.tools.filter(({ tool }) => tool.app?.resourceUri !== undefined),
    }));
  if (withApps().some(({ tools }) => tools.length > 0)) {
    const found = {
      get servers() {
        return withApps();
      },
    };
    return pickTool({ registry: found, actions, title: l10n.t('Open App Page') });
  }
  notify('information', l10n.t('No running server has a tool with an app.'));
  return undefined;
}

/** Reads the page as any other resource, so it asks as that does. */
async function openApp({ serverId, tool }: ToolEntry, argument: unknown): Promise<void> {
  const uri = tool.app?.resourceUri;
  if (uri === undefined) {
    notify('information', l10n.t('Tool “{0}” has no app.', quoted(tool.name)));
    return;
  }
  const target = { serverId, uri };
  const isChosen = isUserChoice(argument);
  await vscode.commands.executeCommand(
    commands.openResource,
    isChosen ? markOwnArgument(target) : target,
  );
}

/** Finds the tool as it is listed now, or as its server listed it last. */
async function find(
  { registry, lastTools }: DefinitionCommandOptions,
  serverId: string,
  toolName: string,
): Promise<ToolEntry | undefined> {
  const server = registry.find(serverId);
  if (server === undefined) return undefined;
  await lastTools.read([server]);
  const entries = server.tools.length > 0 ? server.tools : lastTools.of(server);
  const named = entries.filter(({ tool }) => tool.name === toolName);
  return named.find(({ tool }) => tool.callable) ?? named[0];
}

async function show(
  options: DefinitionCommandOptions,
  entry: ToolEntry,
  preserveFocus: boolean,
): Promise<void> {
  const { registry, pins, history, documents } = options;
  const { serverId, tool } = entry;
  const server = registry.find(serverId);
  if (server === undefined) return;
  await history.read();
  const calls = history.calls.filter(
    (call) => call.server === serverId && call.tool === tool.name && call.isPrompt !== true,
  );
  const text = toolDefinitionText({
    entry,
    serverLabel: server.config.label,
    pin: await pins.stateOf(server.config, tool),
    calls,
    ...listedAtOf(options, server),
  });
  const hasApp = tool.app?.resourceUri !== undefined;
  await documents.show(serverId, tool.name, text, preserveFocus, hasApp);
}

function listedAtOf(
  { lastTools }: DefinitionCommandOptions,
  server: Server,
): { readonly listedAt?: number } {
  const listedAt = server.state.kind === 'running' ? undefined : lastTools.listedAt(server);
  return listedAt === undefined ? {} : { listedAt };
}

interface ToolTarget {
  readonly serverId: string;
  readonly toolName: string;
}

const authority = 'tool';

/**
 * Tool definitions as read-only documents, one for each tool. A document is rewritten when it is
 * shown again, and removed when its tab is closed.
 */
export class DefinitionDocuments
  implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable
{
  readonly #texts = new Map<string, string>();
  readonly #places = new Map<string, number>();
  /** Tools by document. Kept after closing, because VS Code also reports a new language that way. */
  readonly #tools = new Map<string, { readonly target: ToolTarget; readonly hasApp: boolean }>();
  readonly #subscriptions: vscode.Disposable;

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;

  constructor() {
    this.#subscriptions = vscode.Disposable.from(
      this.#onDidChange,
      vscode.workspace.registerTextDocumentContentProvider(definitionScheme, this),
      vscode.languages.registerCodeLensProvider({ scheme: definitionScheme }, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
    );
  }

  async show(
    serverId: string,
    toolName: string,
    text: string,
    preserveFocus: boolean,
    hasApp = false,
  ): Promise<void> {
    const key = JSON.stringify([serverId, toolName]);
    const place = this.#places.get(key) ?? this.#places.size + 1;
    this.#places.set(key, place);
    const path = `/${place}/${toFileName(toolName)}.definition.txt`;
    const uri = vscode.Uri.from({ scheme: definitionScheme, authority, path });
    this.#texts.set(uri.toString(), text);
    this.#tools.set(uri.toString(), { target: { serverId, toolName }, hasApp });
    this.#onDidChange.fire(uri);
    await vscode.window.showTextDocument(uri, { preview: true, preserveFocus });
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.#texts.get(uri.toString());
  }

  /** The first line calls the tool, which asks as from its row, or opens the page of its app. */
  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const tool = this.#tools.get(uri.toString());
    if (tool === undefined) return [];
    const actions = [
      [l10n.t('$(play) Call Tool'), commands.callTool] as const,
      ...(tool.hasApp ? [[l10n.t('Open App Page'), commands.openApp] as const] : []),
    ];
    return actions.map(([title, command]) => {
      const target = markOwnArgument({ ...tool.target });
      return codeLens(new vscode.Range(0, 0, 0, 0), { title, command, arguments: [target] });
    });
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#texts.clear();
  }
}

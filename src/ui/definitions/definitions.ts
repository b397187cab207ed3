import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ToolEntry } from '../../host/connections/snapshot';
import type { Pins } from '../../host/consent/pins/pins';
import type { History } from '../../host/history/history';
import type { LastTools } from '../../host/lastTools/lastTools';
import { commands, definitionScheme, toolAuthority } from '../../ids';
import type { AnswerPages, PagePanel } from '../answerPage/answerPages';
import { notifyNotCallable } from '../calls/callableTool';
import { registerCodeLenses } from '../editor/codeLenses';
import { openInAllowedEditor } from '../editor/allowedEditors';
import { toFileName } from '../editor/fileName';
import { notify } from '../editor/messages';
import { markOwnArgument, isUserChoice, commandTarget, keepsFocus } from '../editor/ownArguments';
import { lensAtLine } from '../editor/textPlaces';
import { quoted } from '../format/sentences';
import { pickTool } from '../picking/toolPicker';
import type { ServerActions } from '../servers/serverActions';
import { DefinitionPanel } from './definitionPanel';
import { goneSentence, toolDefinitionText, type DefinitionFacts } from './definitionText';

interface DefinitionsOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'onDidChange'>;
  readonly pins: Pick<Pins, 'stateOf' | 'onDidChange'>;
  readonly lastTools: Pick<LastTools, 'read' | 'of' | 'listedAt'>;
  readonly history: Pick<History, 'read' | 'knownCalls'>;
  readonly pages: Pick<AnswerPages, 'serve'>;
  /** Returns true if a definition opens as a page. */
  readonly opensPages: () => boolean;
}

/** Longer names and ids are cut in a URI. */
const maxUriChars = 1_000;

/**
 * Tool definitions as read-only documents: a page, and a text. The URI names the tool, so that both
 * are restored after a reload. Each shows the tool as it is listed now, or was listed last.
 */
export class Definitions implements vscode.TextDocumentContentProvider {
  readonly #options: DefinitionsOptions;
  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: DefinitionsOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    const { pages, registry, pins } = this.#options;
    return vscode.Disposable.from(
      this.#onDidChange,
      vscode.workspace.registerTextDocumentContentProvider(definitionScheme, this),
      registerCodeLenses({ scheme: definitionScheme }, this),
      pages.serve(definitionScheme, {
        panelFor: (uri, send): PagePanel =>
          new DefinitionPanel({ read: () => this.#read(uri), uri, send }),
        follow: (uri, refresh) => {
          const [serverId] = targetOf(uri) ?? [];
          return vscode.Disposable.from(
            registry.onDidChange((change) => {
              if (change.kind === 'servers' || change.id === serverId) refresh();
            }),
            pins.onDidChange((id) => id === serverId && refresh()),
          );
        },
      }),
    );
  }

  /** Finds the tool as it is listed now, or as its server listed it last. */
  async find(serverId: string, toolName: string): Promise<ToolEntry | undefined> {
    const { registry, lastTools } = this.#options;
    const server = registry.find(serverId);
    if (server === undefined) return undefined;
    await lastTools.read([server]);
    const entries = server.tools.length > 0 ? server.tools : lastTools.of(server);
    const named = entries.filter(({ tool }) => inUri(tool.name) === inUri(toolName));
    return named.find(({ tool }) => tool.callable) ?? named[0];
  }

  async show({ serverId, tool }: ToolEntry, preserveFocus: boolean): Promise<void> {
    const uri = vscode.Uri.from({
      scheme: definitionScheme,
      authority: toolAuthority,
      path: `/${toFileName(tool.name)}.definition.txt`,
      query: JSON.stringify([serverId, inUri(tool.name)]),
    });
    this.#onDidChange.fire(uri);
    const editor = this.#options.opensPages() ? 'page' : undefined;
    await openInAllowedEditor(uri, editor, { preview: true, preserveFocus });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string | undefined> {
    const facts = await this.#read(uri);
    if (facts !== undefined) return toolDefinitionText(facts);
    // Other documents of the scheme have other providers.
    return uri.authority === toolAuthority ? goneSentence() : undefined;
  }

  /** The first line calls the tool, which asks as from its row, or opens the page of its app. */
  async provideCodeLenses({ uri }: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const [serverId, name] = targetOf(uri) ?? [];
    if (serverId === undefined || name === undefined) return [];
    const tool = (await this.find(serverId, name))?.tool;
    if (tool === undefined) return [];
    const actions = [
      [l10n.t('$(play) Call Tool'), commands.callTool] as const,
      ...(tool.app?.resourceUri === undefined
        ? []
        : [[l10n.t('Open App Page'), commands.openApp] as const]),
    ];
    return actions.map(([title, command]) =>
      lensAtLine(0, title, command, markOwnArgument({ serverId, toolName: tool.name })),
    );
  }

  async #read(uri: vscode.Uri): Promise<DefinitionFacts | undefined> {
    const { registry, pins, lastTools, history } = this.#options;
    const [serverId, name] = targetOf(uri) ?? [];
    if (serverId === undefined || name === undefined) return undefined;
    const entry = await this.find(serverId, name);
    const server = registry.find(serverId);
    if (entry === undefined || server === undefined) return undefined;
    await history.read();
    const listedAt = server.state.kind === 'running' ? undefined : lastTools.listedAt(server);
    const calls = history.knownCalls.filter(
      (call) => call.server === serverId && call.tool === entry.tool.name && call.isPrompt !== true,
    );
    return {
      entry,
      serverLabel: server.config.label,
      pin: await pins.stateOf(server.config, entry.tool),
      calls,
      ...(listedAt === undefined ? {} : { listedAt }),
    };
  }
}

function inUri(text: string): string {
  return text.slice(0, maxUriChars);
}

/** Returns the server's id and the tool's name. Any code can make such a URI. */
function targetOf({ authority, query }: vscode.Uri): readonly [string, string] | undefined {
  if (authority !== toolAuthority) return undefined;
  try {
    const [serverId, name]: readonly unknown[] = JSON.parse(query);
    return typeof serverId === 'string' && typeof name === 'string' ? [serverId, name] : undefined;
  } catch {
    return undefined;
  }
}

interface DefinitionCommandOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'find'>;
  readonly actions: Pick<ServerActions, 'start' | 'startAll'>;
  readonly lastTools: Pick<LastTools, 'read' | 'of' | 'listedAt'>;
  readonly history: Pick<History, 'read' | 'lastOfEachTool'>;
  readonly definitions: Pick<Definitions, 'find' | 'show'>;
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
      const entry = isOfRow ? await options.definitions.find(serverId, toolName) : await pick();
      if (entry !== undefined) await act(entry, argument, how);
      else if (isOfRow) notifyNotCallable(toolName, false);
    });
  return vscode.Disposable.from(
    on(
      commands.showDefinition,
      () => pickDefinition(options),
      (entry, _argument, how) => options.definitions.show(entry, how === keepsFocus),
    ),
    on(commands.openApp, () => pickApp(options), openApp),
  );
}

function pickDefinition(options: DefinitionCommandOptions): Promise<ToolEntry | undefined> {
  const { definitions } = options;
  const findTool = (serverId: string, name: string) => definitions.find(serverId, name);
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

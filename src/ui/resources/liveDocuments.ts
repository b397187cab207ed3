import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Command } from 'vscode';
import { assertNever } from '../../core/errors';
import { escapeIcons } from '../../core/visibleText';
import type { ServerRegistry } from '../../host/connections/registry';
import {
  LiveResources,
  type ResourceFreshness,
  type OpenResource,
} from '../../host/resources/liveResources';
import { scheme, commands } from '../../ids';
import { registerCodeLenses } from '../editor/codeLenses';
import { activeUri } from '../editor/resultTabs';
import { codeLens } from '../editor/textPlaces';
import { formatTime } from '../format/formatTime';
import { quoted, errorSentence } from '../format/sentences';
import { startCommand } from '../format/startCommand';
import type { ResourceDocument, ResourceDocuments } from '../results/resourceDocuments';

interface LiveDocumentsOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'client' | 'find' | 'onDidChange'>;
  readonly resources: Pick<
    ResourceDocuments,
    'opened' | 'of' | 'keep' | 'onWillRead' | 'onDidRead' | 'onDidRestore'
  >;
}

/** How long a resource that is being read counts as open until its tab exists. */
const openingMs = 60_000;

/**
 * Updates the documents of resources when the server reports changes, and shows in tab and status
 * bar whether it does. Without this a document of a stopped server would look current.
 */
export class LiveDocuments implements vscode.FileDecorationProvider, vscode.Disposable {
  readonly #options: LiveDocumentsOptions;
  readonly #live: LiveResources;
  readonly #status: vscode.StatusBarItem;
  readonly #subscriptions: readonly { dispose(): unknown }[];
  readonly #lenses = registerCodeLenses(
    { scheme, pattern: '**/resources/**' },
    {
      provideCodeLenses: ({ uri }) =>
        resourceLenses(uri, {
          resources: this.#options.resources,
          stateOf: (resource) => this.#live.stateOf(resource),
          labelOf: (id) => this.#labelOf(id),
        }),
    },
  );
  /** Keys of server and URI of the documents that were open or opening at the last update. */
  #followed: ReadonlySet<string> = new Set();
  /** Documents that are opening, by server and URI, with the time when it began. */
  readonly #opening = new Map<string, OpenResource & { readonly since: number }>();

  readonly #onDidChangeFileDecorations = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.#onDidChangeFileDecorations.event;

  constructor(options: LiveDocumentsOptions) {
    this.#options = options;
    const { registry, resources } = options;
    this.#live = new LiveResources({
      servers: registry,
      onRead: (read) => {
        resources.keep(read);
        this.#show();
      },
    });
    this.#status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right, 100);
    this.#status.name = l10n.t('Toolgate: Resource');
    this.#subscriptions = [
      this.#live,
      this.#lenses,
      this.#live.onDidChange(() => this.#show()),
      // Labels of servers are known only after the configuration was read.
      registry.onDidChange(({ kind }) => {
        if (kind === 'servers') this.#show();
      }),
      resources.onWillRead((resource) => {
        this.#opening.set(keyOf(resource), { ...resource, since: Date.now() });
        this.#follow();
      }),
      resources.onDidRead((resource) => this.#live.wasRead(resource)),
      resources.onDidRestore(() => this.#follow()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.#follow()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.#show()),
      vscode.window.registerFileDecorationProvider(this),
      this.#onDidChangeFileDecorations,
      this.#status,
    ];
    this.#follow();
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const document = this.#options.resources.of(uri);
    if (document === undefined) return undefined;
    const liveness = this.#live.stateOf(document);
    const tooltip = this.#sentence(document, liveness);
    switch (liveness.kind) {
      case 'live':
      case 'still':
        return new vscode.FileDecoration(undefined, tooltip);
      case 'gone':
        return new vscode.FileDecoration('⌀', tooltip, new vscode.ThemeColor('disabledForeground'));
      case 'failed':
        return new vscode.FileDecoration(
          '!',
          tooltip,
          new vscode.ThemeColor('list.warningForeground'),
        );
      default:
        return assertNever(liveness);
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #follow(): void {
    const opened = this.#options.resources.opened.map((document) => {
      const key = keyOf(document);
      // Changes were not reported while no tab of this session showed it.
      return { ...document, isOld: !this.#opening.delete(key) && !this.#followed.has(key) };
    });
    const now = Date.now();
    for (const [key, { since }] of this.#opening) {
      if (now - since > openingMs) this.#opening.delete(key);
    }
    const shown = [...opened, ...this.#opening.values()];
    this.#followed = new Set(shown.map(keyOf));
    this.#live.setOpen(shown);
    this.#show();
  }

  #show(): void {
    const { resources } = this.#options;
    this.#onDidChangeFileDecorations.fire(resources.opened.flatMap(({ files }) => files));
    this.#lenses.refresh();
    const uri = activeUri();
    const document = uri && resources.of(uri);
    if (document === undefined) this.#status.hide();
    else this.#showStatus(document, this.#live.stateOf(document));
  }

  #showStatus(document: ResourceDocument, liveness: ResourceFreshness): void {
    const status = this.#status;
    const { text, says, command } = formatStatus(document, liveness);
    const sentence = this.#sentence(document, liveness);
    status.text = text;
    status.tooltip = sentence;
    status.command = command;
    status.accessibilityInformation = { label: `${says}. ${sentence}` };
    status.show();
  }

  #sentence(document: ResourceDocument, liveness: ResourceFreshness): string {
    return livenessSentence(document, liveness, this.#labelOf(document.serverId));
  }

  #labelOf(serverId: string): string {
    return this.#options.registry.find(serverId)?.config.label ?? serverId;
  }
}

function keyOf({ serverId, uri }: OpenResource): string {
  return JSON.stringify([serverId, uri]);
}

interface ResourceLensesOptions {
  readonly resources: Pick<ResourceDocuments, 'of'>;
  readonly stateOf: (resource: OpenResource) => ResourceFreshness;
  readonly labelOf: (serverId: string) => string;
}

/**
 * The lens of a document says what to do if it was restored with the window and not read since. The
 * lens of a file of a skill says whether it is the listed one.
 */
export function resourceLenses(
  uri: vscode.Uri,
  { resources, stateOf, labelOf }: ResourceLensesOptions,
): vscode.CodeLens[] {
  const document = resources.of(uri);
  if (document === undefined) return [];
  const { skill, readAt } = document;
  const at = new vscode.Range(0, 0, 0, 0);
  if (skill !== undefined) {
    const title = `$(${skill.isProblem ? 'warning' : 'check'}) ${escapeIcons(skill.sentence)}`;
    return [codeLens(at, { title, command: '' })];
  }
  if (readAt !== undefined) return [];
  const { kind } = stateOf(document);
  const start = l10n.t('Start Server “{0}”', quoted(labelOf(document.serverId)));
  const command = kind === 'gone' ? startCommand(document.serverId, start) : readAgainCommand(uri);
  return [codeLens(at, command)];
}

/** Says how old a document is, and how it is updated. */
function livenessSentence(
  { readAt }: ResourceDocument,
  liveness: ResourceFreshness,
  serverLabel: string,
): string {
  return readAt === undefined
    ? waitingSentence(liveness, serverLabel)
    : readSentence(formatTime(readAt), liveness, serverLabel);
}

function waitingSentence(liveness: ResourceFreshness, serverLabel: string): string {
  const server = quoted(serverLabel);
  switch (liveness.kind) {
    case 'live':
    case 'still':
      return l10n.t('Reading the resource from server “{0}”.', server);
    case 'gone':
      return l10n.t(
        'Server “{0}” is not running. The resource is read again when the server runs.',
        server,
      );
    case 'failed':
      return l10n.t(
        'The resource could not be read again. {0}',
        errorSentence(serverLabel, liveness.error),
      );
    default:
      return assertNever(liveness);
  }
}

function readSentence(at: string, liveness: ResourceFreshness, serverLabel: string): string {
  const server = quoted(serverLabel);
  switch (liveness.kind) {
    case 'live':
      return l10n.t(
        'Read from server “{0}” at {1}. The server reports changes, and the resource is read again.',
        server,
        at,
      );
    case 'still':
      return l10n.t(
        'Read from server “{0}” at {1}. The server does not report changes.',
        server,
        at,
      );
    case 'gone':
      return l10n.t(
        'Server “{0}” is not running. This content is from {1} and may be out of date.',
        server,
        at,
      );
    case 'failed':
      return l10n.t(
        'The resource has changed since {0}, but could not be read again. {1}',
        at,
        errorSentence(serverLabel, liveness.error),
      );
    default:
      return assertNever(liveness);
  }
}

interface StatusTexts {
  readonly text: string;
  /** The text without its icon. */
  readonly says: string;
  readonly command: Command;
}

function formatStatus(
  { serverId, readAt }: ResourceDocument,
  { kind }: ResourceFreshness,
): StatusTexts {
  switch (kind) {
    case 'live':
      return readAt === undefined
        ? statusTexts('sync', reading())
        : statusTexts('broadcast', l10n.t('Live'));
    case 'still':
      return readAt === undefined
        ? statusTexts('sync', reading())
        : statusTexts('refresh', l10n.t('Read Again'));
    case 'failed':
      return statusTexts(
        'warning',
        readAt === undefined ? l10n.t('Not Read') : l10n.t('Out of Date'),
      );
    case 'gone':
      return statusTexts('debug-disconnect', l10n.t('Server Not Running'), startCommand(serverId));
    default:
      return assertNever(kind);
  }
}

function statusTexts(icon: string, says: string, command = readAgainCommand()): StatusTexts {
  return { text: `$(${icon}) ${says}`, says, command };
}

function reading(): string {
  return l10n.t('Reading…');
}

/** Returns the command for the active document, or for the given one. */
function readAgainCommand(...document: unknown[]): Command {
  return { title: l10n.t('Read Again'), command: commands.readAgain, arguments: document };
}

import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import { escapeIcons } from '../../core/visibleText';
import {
  LiveResources,
  type ResourceFreshness,
  type OpenResource,
} from '../../host/resources/liveResources';
import type { ServerRegistry } from '../../host/connections/registry';
import type { ResourceDocument, ResourceDocuments } from '../results/resourceDocuments';
import { activeUri } from '../editor/resultTabs';
import { livenessSentence, formatStatus, readAgainCommand } from './formatLiveness';
import { scheme } from '../../ids';
import { codeLens } from '../editor/codeLens';
import { quoted } from '../format/sentences';
import { startCommand } from '../format/startCommand';

export interface LiveDocumentsOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'client' | 'find' | 'onDidChange'>;
  readonly resources: Pick<
    ResourceDocuments,
    'opened' | 'of' | 'keep' | 'onWillRead' | 'onDidRestore'
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
  readonly #lenses: ResourceLenses;
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
    this.#lenses = new ResourceLenses({
      resources,
      stateOf: (resource) => this.#live.stateOf(resource),
      labelOf: (id) => this.#labelOf(id),
    });
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
 * Shows what to do above a document that was restored with the window and not read since, and above
 * a file of a skill whether it is the listed one.
 */
export class ResourceLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #options: ResourceLensesOptions;
  readonly #registration: vscode.Disposable;

  readonly #onDidChangeCodeLenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#onDidChangeCodeLenses.event;

  constructor(options: ResourceLensesOptions) {
    this.#options = options;
    const documents = { scheme, pattern: '**/resources/**' };
    this.#registration = vscode.languages.registerCodeLensProvider(documents, this);
  }

  /** Call it when something about the documents has changed. */
  refresh(): void {
    this.#onDidChangeCodeLenses.fire();
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const { resources, stateOf, labelOf } = this.#options;
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
    const command =
      kind === 'gone' ? startCommand(document.serverId, start) : readAgainCommand(uri);
    return [codeLens(at, command)];
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChangeCodeLenses.dispose();
  }
}

import * as vscode from 'vscode';
import { toParts, toResourceParts } from '../../core/content/content';
import type { FilePart, Part } from '../../core/content/contentParts';
import type { CallOutcome } from '../../host/call';
import { ResultStore } from '../../host/resultStore';
import { internalCommands, scheme as resultScheme } from '../../ids';
import { askInDialog, openInBrowser, type AskToOpen } from './resultBrowser';
import { ResultDecorations } from './resultDecorations';
import { ResultDiagnostics } from './resultDiagnostics';
import { ResultFileSystem } from './resultFileSystem';
import { ResultKeeper, overviewExtension, type KeptResult } from './resultKeeper';
import { ResultLinks } from './resultLinks';
import { ResourceReader, type ResourceReaderParts } from './resultResources';
import { isFolderOpen } from './resultTabs';
import { toolTitle } from '../words/toolTitle';

export interface ResultsOptions extends ResourceReaderParts {
  readonly budgetBytes: number;
  /** Absent: a modal dialog. */
  readonly askToOpen?: AskToOpen;
  /** Absent: the scheme of result documents. */
  readonly scheme?: string;
}

/** Results of calls as documents: keeps them in memory, opens them, and follows their links. */
export class Results implements vscode.Disposable {
  readonly #options: ResultsOptions;
  readonly #store: ResultStore;
  readonly #keeper: ResultKeeper;
  readonly #reader: ResourceReader;
  readonly #disposables: vscode.Disposable[];

  constructor(options: ResultsOptions) {
    const { budgetBytes, scheme = resultScheme } = options;
    const isOpen = (path: string): boolean => isFolderOpen(scheme, path);
    this.#options = options;
    this.#store = new ResultStore({ budgetBytes, isOpen });
    this.#keeper = new ResultKeeper(this.#store, scheme);
    this.#reader = new ResourceReader(options);
    const files = new ResultFileSystem(this.#store, scheme);
    const links = new ResultLinks(this.#keeper);
    const decorations = new ResultDecorations(this.#keeper);
    const overviews = { scheme, pattern: `**/*.${overviewExtension}` };
    this.#disposables = [
      files.register(),
      files,
      vscode.languages.registerDocumentLinkProvider(overviews, links),
      vscode.languages.registerCodeLensProvider(overviews, links),
      links,
      vscode.window.registerFileDecorationProvider(decorations),
      decorations,
      new ResultDiagnostics(this.#keeper, isOpen),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        if (closed.length > 0) this.#store.trim();
      }),
      this.#keeper,
      this.#store,
    ];
  }

  /** The commands behind links and lenses; not for the palette. */
  registerCommands(): vscode.Disposable {
    const on = (command: string, run: (kept: KeptResult, part: Part) => Promise<void>) =>
      vscode.commands.registerCommand(command, async (reference: unknown) => {
        const found = this.#resolve(reference);
        if (found !== undefined) await run(...found);
      });
    return vscode.Disposable.from(
      on(internalCommands.openPart, async (kept, part) => {
        if (part.kind !== 'link') await open(this.#keeper.partUri(kept, part), part);
      }),
      on(internalCommands.readLink, async (kept, part) => {
        if (part.kind === 'link') await this.#readLink(kept, part.uri);
      }),
      on(internalCommands.openLinkInBrowser, async (_, part) => {
        if (part.kind !== 'link') return;
        await openInBrowser(part.uri, this.#options.askToOpen ?? askInDialog);
      }),
    );
  }

  setBudget(bytes: number): void {
    this.#store.setBudget(bytes);
  }

  /** Keeps what a call brought as documents, without showing any; `undefined` if it brought none. */
  keep(outcome: CallOutcome): vscode.Uri | undefined {
    return this.#keep(outcome)?.primary.uri;
  }

  /** Keeps and opens it. */
  async show(outcome: CallOutcome): Promise<vscode.Uri | undefined> {
    const kept = this.#keep(outcome);
    if (kept === undefined) return undefined;
    await openPrimary(kept);
    return kept.primary.uri;
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #keep(outcome: CallOutcome): KeptResult | undefined {
    if (outcome.kind !== 'result' && outcome.kind !== 'toolError') return undefined;
    const { result, entry, durationMs, violations, missingStructuredContent } = outcome;
    const { serverId, tool } = entry;
    const facts = {
      origin: { kind: 'call', toolTitle: toolTitle(tool), toolName: tool.name },
      serverLabel: this.#labelOf(serverId),
      createdAt: Date.now() - durationMs,
      durationMs,
      isError: result.isError,
      violations,
      missingStructuredContent,
      ...(outcome.schemaError === undefined ? {} : { schemaError: outcome.schemaError }),
    } as const;
    const parts = toParts(result, { title: tool.name });
    return this.#keeper.keep({ serverId, facts, parts });
  }

  async #readLink({ entry: { serverId } }: KeptResult, uri: string): Promise<void> {
    const createdAt = Date.now();
    const contents = await this.#reader.read(serverId, uri);
    if (contents === undefined) return;
    const facts = {
      origin: { kind: 'resource', uri },
      serverLabel: this.#labelOf(serverId),
      createdAt,
      durationMs: Date.now() - createdAt,
      isError: false,
      violations: [],
      missingStructuredContent: false,
    } as const;
    const parts = toResourceParts(contents, { title: 'resource' });
    await openPrimary(this.#keeper.keep({ serverId, facts, parts }));
  }

  #labelOf(serverId: string): string {
    return this.#options.registry.find(serverId)?.config.label ?? serverId;
  }

  /** Anybody may run a command: only what names a part that is kept counts. */
  #resolve(reference: unknown): [KeptResult, Part] | undefined {
    if (typeof reference !== 'object' || reference === null) return undefined;
    if (!('overview' in reference) || !('number' in reference)) return undefined;
    if (typeof reference.overview !== 'string') return undefined;
    const kept = this.#keeper.find(vscode.Uri.parse(reference.overview));
    const part = kept?.parts.find(({ number }) => number === reference.number);
    return kept === undefined || part === undefined ? undefined : [kept, part];
  }
}

async function openPrimary({ primary }: KeptResult): Promise<void> {
  await open(primary.uri, primary.part);
}

/**
 * Text opens as its source whatever the person has associated with it, because a preview would
 * render what a server sent; the rest in the picture viewer, player or editor that fits its name.
 */
async function open(uri: vscode.Uri, part: FilePart | undefined): Promise<void> {
  const options: vscode.TextDocumentShowOptions = { preview: true };
  const isText = part === undefined || part.excerpt !== undefined;
  await (isText
    ? vscode.commands.executeCommand('vscode.openWith', uri, 'default', options)
    : vscode.commands.executeCommand('vscode.open', uri, options));
}

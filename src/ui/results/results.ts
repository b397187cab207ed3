import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FilePart, LinkPart, Part } from '../../core/content/contentParts';
import { overviewExtension } from '../../core/content/documentNames';
import { isSmallResult } from '../../core/content/content';
import { classifyLink } from '../../core/content/linkTarget';
import type { CallOutcome } from '../../host/calls/call';
import type { RestorableCall } from '../../host/history/pastCall';
import type { RememberedResources } from '../../host/resources/serverLists';
import { ResultStore } from '../../host/results/resultStore';
import { commands, internalCommands, scheme as resultScheme } from '../../ids';
import { notify } from '../editor/messages';
import { FilteredResults } from './filteredResults';
import { registerForeignDocuments } from './foreignDocuments';
import { HiddenCharacters } from './hiddenCharacters';
import type { ResultSpool } from '../../host/results/resultSpool';
import { askInDialog } from '../editor/askInDialog';
import { openOutside, type AskToOpen } from './linkOpening';
import { ResultDiagnostics, ResultDecorations } from './resultDiagnostics';
import { resultFileCommands, type ResultFileCommands } from './resultFileCommands';
import type { ResultArguments } from './resultOverview';
import { partsOfCall, partsOfSmallCall, type PartsOfCall } from './partsOfCall';
import { ResultFiles, type ResultFilesOptions } from './resultFiles';
import { ResultFileSystem } from './resultFileSystem';
import { ResultDocuments, type StoredResult } from './resultDocuments';
import { isPartReference, type ResultCommands, ResultLinks } from './resultLinks';
import type { SaveQuestions } from './resultSaving';
import { ResourceDocuments, type SkillChecks } from './resourceDocuments';
import type { ResourceReaderOptions } from './resultResources';
import { ResultsByCall, toRestorableCall, type CallToKeep } from './resultsByCall';
import {
  activeUri,
  isFolderOpen,
  isPageInFront,
  keepTab,
  openInTab,
  openUris,
} from '../editor/resultTabs';
import { followTextLink, RelativeTargets } from './textLinkProvider';

export interface ResultsOptions extends ResourceReaderOptions {
  readonly budgetBytes: number;
  /**
   * Returns the arguments of a call with secrets replaced. Absent, or `undefined`: they are
   * unknown.
   */
  readonly argumentsOf?: (callId: string) => ResultArguments | undefined;
  /** Returns the call that an earlier session kept at a path. Defaults to none. */
  readonly restore?: (entryPath: string) => Promise<RestorableCall | undefined>;
  /**
   * Called when the documents of an answer were made some time after it arrived. They are at this
   * path.
   */
  readonly onMade?: (callId: string, entryPath: string) => void;
  /** See {@link ResourceDocumentsOptions}. */
  readonly skills?: SkillChecks;
  /** Resources that were open in an earlier session. Defaults to none. */
  readonly remembered?: RememberedResources;
  /** Returns true if a list of rows opens as a table first. Defaults to true. */
  readonly opensTables?: () => boolean;
  /**
   * Returns true if an answer with several kinds of parts opens as a page. Defaults to its
   * overview, a document.
   */
  readonly opensPages?: () => boolean;
  /** Defaults to a modal dialog. */
  readonly askToOpen?: AskToOpen;
  /** Defaults to the scheme of result documents. */
  readonly scheme?: string;
  /** Defaults to the commands of the extension, which two sets of results cannot share. */
  readonly commands?: ResultCommands;
  readonly fileCommands?: ResultFileCommands;
  /** Keeps large parts on disk. Absent: all parts stay in memory. */
  readonly spool?: Pick<ResultSpool, 'spool'>;
  /** Filters of JSON: the program, the memory of the last ones, and what removes secrets. */
  readonly filters: ResultFilesOptions['filters'] & { readonly program: string };
  /** Defaults to VS Code's dialogs. */
  readonly saveQuestions?: SaveQuestions;
}

/** Documents of results: stores them in memory, opens them and follows their links. */
export class Results implements vscode.Disposable {
  readonly #options: ResultsOptions;
  readonly #commands: ResultCommands;
  readonly #store: ResultStore;
  readonly #documents: ResultDocuments;
  readonly #files: ResultFiles;
  readonly #askToOpen: AskToOpen;
  readonly #relative: RelativeTargets;
  /** Documents of resources that were read. */
  readonly resources: ResourceDocuments;
  readonly #disposables: vscode.Disposable[];
  readonly #byCall = new ResultsByCall((path) => this.#documents.at(path));
  readonly #labelOf = (serverId: string): string =>
    this.#options.registry.find(serverId)?.config.label ?? serverId;
  /** Running restores, by path. */
  readonly #restoring = new Map<string, Promise<void>>();

  constructor(options: ResultsOptions) {
    const { budgetBytes, scheme = resultScheme } = options;
    const isOpen = (path: string): boolean => isFolderOpen(scheme, path);
    this.#options = options;
    this.#commands = options.commands ?? {
      ...internalCommands,
      showOverview: commands.showOverview,
      showPreview: commands.showPreview,
      showJson: commands.showJson,
      showTable: commands.showTable,
    };
    this.#store = new ResultStore({ budgetBytes, isOpen });
    this.#documents = new ResultDocuments(this.#store, scheme, options.spool);
    const filtered = new FilteredResults(this.#documents, options.filters.program);
    this.#files = new ResultFiles({
      documents: this.#documents,
      filtered,
      filters: options.filters,
      scheme,
      commands: options.fileCommands ?? resultFileCommands,
      questions: options.saveQuestions,
      openFile: openInTab,
      linkCommands: this.#commands,
      opensTables: options.opensTables,
      opensPages: options.opensPages,
    });
    this.resources = new ResourceDocuments({
      ...options,
      scheme,
      documents: this.#documents,
      store: this.#store,
      isOpen,
      show: (kept) => this.#files.openFirst(kept),
    });
    const restore = (path: string) => this.#restore(path);
    const files = new ResultFileSystem(this.#store, scheme, filtered, restore);
    const links = new ResultLinks(this.#documents, this.#commands);
    const decorations = new ResultDecorations(this.#documents);
    const overviews = { scheme, pattern: `**/*.${overviewExtension}` };
    this.#askToOpen = options.askToOpen ?? askInDialog;
    this.#relative = new RelativeTargets(this.#documents, options.registry, this.resources);
    this.#disposables = [
      registerForeignDocuments(options.scheme, this.#commands, this.#askToOpen, this.#relative),
      files.register(),
      files,
      vscode.languages.registerDocumentLinkProvider(overviews, links),
      this.#files,
      vscode.window.registerFileDecorationProvider(decorations),
      decorations,
      new HiddenCharacters(this.#documents),
      new ResultDiagnostics(this.#documents, openUris),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        if (closed.length > 0) this.#store.trim();
      }),
      this.resources,
      this.#documents,
      this.#store,
    ];
  }

  /** Registers the commands behind links and lenses, which are not in the palette. */
  register(): vscode.Disposable {
    const on = (command: string, run: (kept: StoredResult, part: Part) => Promise<void>) =>
      vscode.commands.registerCommand(command, async (reference: unknown) => {
        const found = this.#resolve(reference);
        if (found !== undefined) await run(...found);
      });
    const open = (command: string, column?: vscode.ViewColumn) =>
      on(command, async (kept, part) => {
        if (part.kind !== 'link') await this.openPart(kept, part, column);
      });
    return vscode.Disposable.from(
      this.#files.register(),
      open(this.#commands.openPart),
      open(this.#commands.openPartBeside, vscode.ViewColumn.Beside),
      vscode.commands.registerCommand(this.#commands.showOverview, (uri: unknown) =>
        this.#showOverview(uri instanceof vscode.Uri ? uri : activeUri()),
      ),
      on(this.#commands.readLink, async (kept, part) => {
        if (part.kind === 'link') await this.readLink(kept, part);
      }),
      on(this.#commands.openLinkOutside, async (_, part) => {
        if (part.kind === 'link') await this.openLinkOutside(part);
      }),
    );
  }

  /** Opens the overview of a document's result, because the open document may be one of several. */
  async #showOverview(uri: vscode.Uri | undefined): Promise<void> {
    const kept = uri && this.#documents.find(uri);
    if (kept === undefined) {
      notify('information', l10n.t('Open the result of a call first, then its overview.'));
    } else if (isPageInFront(kept.overviewUri)) await this.openAsText(kept.overviewUri);
    else await this.#files.openOverview(kept);
  }

  /** Opens the overview as text beside its page. */
  async openAsText(overview: vscode.Uri): Promise<void> {
    await keepTab(overview);
    await openInTab(overview, undefined);
  }

  /** Fires when documents of results were added, changed or removed. */
  get onDidChange(): ResultDocuments['onDidChange'] {
    return this.#documents.onDidChange;
  }

  /** Returns the result of this overview, restored if an earlier session kept it. */
  async bring(overview: vscode.Uri): Promise<StoredResult | undefined> {
    const path = overview.path.split('/').slice(0, 4).join('/');
    if (this.#documents.find(overview) === undefined) await this.#restore(path);
    return this.#documents.ofOverview(overview);
  }

  partUri(kept: StoredResult, part: FilePart): vscode.Uri {
    return this.#documents.partUri(kept, part);
  }

  /** Opens a part from the overview, which stays open. */
  async openPart(
    kept: StoredResult,
    part: FilePart,
    viewColumn?: vscode.ViewColumn,
  ): Promise<void> {
    await keepTab(kept.overviewUri);
    await this.#files.open(kept, part, viewColumn);
  }

  /** Reads the target of a link part from its server, and opens it. */
  async readLink({ entry, overviewUri }: StoredResult, { uri }: LinkPart): Promise<void> {
    await keepTab(overviewUri);
    await this.resources.open(entry.serverId, uri);
  }

  /** Opens the target of a link outside of its server, after asking. */
  async openLinkOutside({ uri }: LinkPart): Promise<void> {
    await openOutside(uri, this.#askToOpen);
  }

  /** Follows a link within the text of a part, as its document does. */
  async followLink(kept: StoredResult, part: FilePart, link: string): Promise<void> {
    if (classifyLink(link).kind !== 'web') await keepTab(kept.overviewUri);
    const document = this.#documents.readableUri(kept, part);
    await followTextLink(document, link, this.#askToOpen, this.#relative);
  }

  setBudget(bytes: number): void {
    this.#store.setBudget(bytes);
  }

  /**
   * Keeps the result of a call as documents without showing them. Returns `undefined` if there is
   * none.
   */
  async keep(outcome: CallOutcome): Promise<vscode.Uri | undefined> {
    return (await this.#keep(outcome))?.primary.uri;
  }

  /**
   * Like {@link keep}, for results that are rarely opened. The documents are made on demand, by the
   * id of the call or by calling the returned function, which returns the first document. Returns
   * `undefined` if they are better made at once, because the answer is not small or the call has no
   * id.
   */
  keepLater(outcome: CallOutcome): (() => vscode.Uri) | undefined {
    const call = toRestorableCall(outcome, this.#labelOf);
    const callId = call?.callId;
    if (call === undefined || callId === undefined || !isSmallResult(call.result)) return undefined;
    const make = this.#byCall.addLater(callId, () => {
      const kept = this.#keepParts(call, partsOfSmallCall(call.result, call.toolName));
      this.#options.onMade?.(callId, kept.entry.path);
      return kept;
    });
    let uri: vscode.Uri | undefined;
    return () => (uri ??= make().primary.uri);
  }

  /** Returns true if the result of this call is still kept. */
  has(callId: string): boolean {
    return this.#byCall.has(callId);
  }

  /** The folder of the documents of a call's result. `undefined` if there are none. */
  pathOf(callId: string): string | undefined {
    return this.#byCall.made(callId)?.entry.path;
  }

  /** The document to show first for a call. `undefined` if its result is no longer kept. */
  uriOf(callId: string): vscode.Uri | undefined {
    return this.#byCall.find(callId)?.primary.uri;
  }

  /** Makes the documents of a kept call again, at their earlier path, without showing them. */
  async restoreCall(call: RestorableCall): Promise<void> {
    await this.#keepCall(call);
  }

  /** Opens the result of a call. Resolves to false if it is no longer kept. */
  async open(callId: string): Promise<boolean> {
    const kept = this.#byCall.find(callId);
    if (kept !== undefined) await this.#files.openFirst(kept);
    return kept !== undefined;
  }

  /** Keeps the result and opens it. */
  async show(outcome: CallOutcome): Promise<vscode.Uri | undefined> {
    // Receiving a large answer took one round of the event loop, so other tasks get a turn first.
    await new Promise((resolve) => setImmediate(resolve));
    const kept = await this.#keep(outcome);
    if (kept === undefined) return undefined;
    return this.#files.openFirst(kept);
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #keep(outcome: CallOutcome): Promise<StoredResult | undefined> {
    const call = toRestorableCall(outcome, this.#labelOf);
    return call && this.#keepCall(call);
  }

  async #keepCall(call: CallToKeep): Promise<StoredResult> {
    return this.#keepParts(call, await partsOfCall(call.result, call.toolName));
  }

  #keepParts(call: CallToKeep, parts: PartsOfCall): StoredResult {
    const { callId, path, serverId, toolName, toolTitle: title, isPrompt, result, ...facts } = call;
    const made = callId === undefined ? undefined : this.#options.argumentsOf?.(callId);
    const kept = this.#documents.keep({
      ...(callId === undefined ? {} : { callId }),
      serverId,
      facts: {
        ...facts,
        origin: { kind: 'call', toolTitle: title, toolName, ...(isPrompt && { isPrompt }) },
        isError: result.isError,
        ...(result.isOldForm === true ? { isOldForm: true as const } : {}),
        ...(result.hasBareStructure === true ? { hasBareStructure: true as const } : {}),
        ...(made === undefined ? {} : { arguments: made }),
      },
      ...parts,
      ...(path === undefined ? {} : { path }),
    });
    if (callId !== undefined) this.#byCall.add(callId, kept);
    return kept;
  }

  /** VS Code asks for a file several times at once. It is restored only once. */
  #restore(path: string): Promise<void> {
    if (this.resources.restore(path)) return Promise.resolve();
    const ongoing = this.#restoring.get(path);
    if (ongoing !== undefined) return ongoing;
    const restored = this.#options.restore?.(path).then(async (call) => {
      if (call?.path === path) await this.restoreCall(call);
    });
    if (restored === undefined) return Promise.resolve();
    const done = restored.finally(() => this.#restoring.delete(path));
    this.#restoring.set(path, done);
    return done;
  }

  /**
   * Any extension can run a command, so only references that this window issued for a kept part
   * count.
   */
  #resolve(reference: unknown): [StoredResult, Part] | undefined {
    if (!isPartReference(reference)) return undefined;
    const kept = this.#documents.find(vscode.Uri.parse(reference.overview));
    const part = kept?.parts.find(({ number }) => number === reference.number);
    return kept === undefined || part === undefined ? undefined : [kept, part];
  }
}

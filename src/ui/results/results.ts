import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FilePart, LinkPart, Part } from '../../core/content/contentParts';
import { overviewExtension } from '../../core/content/documentNames';
import { isSmallResult } from '../../core/content/content';
import type { CallOutcome } from '../../host/calls/call';
import type { RestorableCall } from '../../host/history/restorableCall';
import type { RememberedResources } from '../../host/resources/rememberedResources';
import { ResultStore } from '../../host/results/resultStore';
import { commands, internalCommands, scheme as resultScheme } from '../../ids';
import { tell } from '../editor/messages';
import { callOfOutcome, type CallToKeep } from './callOfOutcome';
import { registerForeignDocuments } from './foreignDocuments';
import { HiddenCharacters } from './hiddenCharacters';
import type { ResultSpool } from '../../host/results/resultSpool';
import { askInDialog, openOutside, type AskToOpen } from './linkOpening';
import { OverviewLenses } from './overviewLenses';
import { RelativeTargets } from './relativeTargets';
import { ResultDecorations } from './resultDecorations';
import { ResultDiagnostics } from './resultDiagnostics';
import { resultFileCommands, type ResultFileCommands } from './resultFileCommands';
import type { GivenArguments } from './resultOverview';
import { partsOfCall, partsOfSmallCall, type PartsOfCall } from './partsOfCall';
import { ResultFiles } from './resultFiles';
import { ResultFileSystem } from './resultFileSystem';
import { ResultDocuments, type KeptResult } from './resultDocuments';
import { isPartReference, type ResultCommands, resultLenses, ResultLinks } from './resultLinks';
import type { SaveQuestions } from './resultSaving';
import { ResourceDocuments } from './resourceDocuments';
import type { ResourceReaderOptions } from './resultResources';
import { ResultsByCall } from './resultsByCall';
import { activeUri, isFolderOpen, isPageInFront, openInTab, openUris } from './resultTabs';
import { followTextLink } from './textLinkProvider';

export interface ResultsOptions extends ResourceReaderOptions {
  readonly budgetBytes: number;
  /** What a call was made with, secrets replaced; absent: nobody knows. */
  readonly argumentsOf?: (callId: string) => GivenArguments | undefined;
  /** What was kept at a path of an earlier session; absent: nothing was. */
  readonly restore?: (entryPath: string) => Promise<RestorableCall | undefined>;
  /** Documents of an answer were made a while after it came; they are at this path. */
  readonly onMade?: (callId: string, entryPath: string) => void;
  /** The resources that were open in an earlier session; absent: none were. */
  readonly remembered?: RememberedResources;
  /** Whether a list of rows opens as a table first; absent: it does. */
  readonly opensTables?: () => boolean;
  /** Whether an answer of several kinds opens as a page; absent: as its overview, a document. */
  readonly opensPages?: () => boolean;
  /** Absent: a modal dialog. */
  readonly askToOpen?: AskToOpen;
  /** Absent: the scheme of result documents. */
  readonly scheme?: string;
  /** Absent: those of the extension; two sets of results cannot share them. */
  readonly commands?: ResultCommands;
  readonly fileCommands?: ResultFileCommands;
  /** Keeps large parts on disk; absent: everything stays in memory. */
  readonly spool?: Pick<ResultSpool, 'spool'>;
  /** Absent: dialogs of VS Code. */
  readonly saveQuestions?: SaveQuestions;
}

/** Results of calls as documents: keeps them in memory, opens them, and follows their links. */
export class Results implements vscode.Disposable {
  readonly #options: ResultsOptions;
  readonly #commands: ResultCommands;
  readonly #store: ResultStore;
  readonly #documents: ResultDocuments;
  readonly #files: ResultFiles;
  readonly #askToOpen: AskToOpen;
  readonly #relative: RelativeTargets;
  /** What was read of resources. */
  readonly resources: ResourceDocuments;
  readonly #disposables: vscode.Disposable[];
  readonly #byCall = new ResultsByCall((path) => this.#documents.at(path));
  readonly #labelOf = (serverId: string): string =>
    this.#options.registry.find(serverId)?.config.label ?? serverId;
  /** By path, while they are brought back. */
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
    this.#files = new ResultFiles({
      documents: this.#documents,
      scheme,
      commands: options.fileCommands ?? resultFileCommands,
      questions: options.saveQuestions,
      openFile: openInTab,
      tableCommands: this.#commands,
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
    const files = new ResultFileSystem(this.#store, scheme, restore);
    const links = new ResultLinks(this.#documents, this.#commands);
    const lenses = new OverviewLenses(this.#documents, (kept) =>
      resultLenses(kept, this.#commands),
    );
    const decorations = new ResultDecorations(this.#documents);
    const overviews = { scheme, pattern: `**/*.${overviewExtension}` };
    this.#askToOpen = options.askToOpen ?? askInDialog;
    this.#relative = new RelativeTargets(this.#documents, options.registry, this.resources);
    this.#disposables = [
      registerForeignDocuments(options.scheme, this.#commands, this.#askToOpen, this.#relative),
      files.register(),
      files,
      vscode.languages.registerDocumentLinkProvider(overviews, links),
      vscode.languages.registerCodeLensProvider(overviews, lenses),
      lenses,
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

  /** The commands behind links and lenses; not for the palette. */
  register(): vscode.Disposable {
    const on = (command: string, run: (kept: KeptResult, part: Part) => Promise<void>) =>
      vscode.commands.registerCommand(command, async (reference: unknown) => {
        const found = this.#resolve(reference);
        if (found !== undefined) await run(...found);
      });
    const open = (command: string, column?: vscode.ViewColumn) =>
      on(command, async (kept, part) => {
        if (part.kind !== 'link') await this.#files.open(kept, part, column);
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

  /** Of the result that a document belongs to; the one that is open alone may be one of several. */
  async #showOverview(uri: vscode.Uri | undefined): Promise<void> {
    const kept = uri && this.#documents.find(uri);
    if (kept === undefined) {
      tell('information', l10n.t('Open the result of a call first, then its overview.'));
    } else if (isPageInFront(kept.overviewUri)) await openInTab(kept.overviewUri, undefined);
    else await this.#files.openOverview(kept);
  }

  /** Documents of results came, changed or went. */
  get onDidChange(): ResultDocuments['onDidChange'] {
    return this.#documents.onDidChange;
  }

  /** The result whose overview this is, brought back where an earlier session kept it. */
  async bring(overview: vscode.Uri): Promise<KeptResult | undefined> {
    const path = overview.path.split('/').slice(0, 4).join('/');
    if (this.#documents.find(overview) === undefined) await this.#restore(path);
    return this.#documents.ofOverview(overview);
  }

  partUri(kept: KeptResult, part: FilePart): vscode.Uri {
    return this.#documents.partUri(kept, part);
  }

  openPart(kept: KeptResult, part: FilePart, viewColumn?: vscode.ViewColumn): Promise<void> {
    return this.#files.open(kept, part, viewColumn);
  }

  /** Reads what a part links to from its server, and opens it. */
  async readLink({ entry }: KeptResult, { uri }: LinkPart): Promise<void> {
    await this.resources.open(entry.serverId, uri);
  }

  /** Opens what a link names outside of its server, after a question. */
  async openLinkOutside({ uri }: LinkPart): Promise<void> {
    await openOutside(uri, this.#askToOpen);
  }

  /** Follows a link within the text of a part, as in its document. */
  followLink(kept: KeptResult, part: FilePart, link: string): Promise<void> {
    const document = this.#documents.readableUri(kept, part);
    return followTextLink(document, link, this.#askToOpen, this.#relative);
  }

  setBudget(bytes: number): void {
    this.#store.setBudget(bytes);
  }

  /** Keeps what a call brought as documents, without showing any; `undefined` if it brought none. */
  async keep(outcome: CallOutcome): Promise<vscode.Uri | undefined> {
    return (await this.#keep(outcome))?.primary.uri;
  }

  /**
   * The same for what hardly anybody looks at: its documents are made when they are asked for, by the
   * id of the call or by what is given, which gives the first. `undefined` where they are better made
   * at once, because the answer is not small or the call has no id.
   */
  keepLater(outcome: CallOutcome): (() => vscode.Uri) | undefined {
    const call = callOfOutcome(outcome, this.#labelOf);
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

  /** Whether what this call brought is still kept. */
  has(callId: string): boolean {
    return this.#byCall.has(callId);
  }

  /** The folder of the documents of what this call brought; `undefined` when there are none. */
  pathOf(callId: string): string | undefined {
    return this.#byCall.made(callId)?.entry.path;
  }

  /** What of it a person wants to see first; `undefined` when it is kept no more. */
  uriOf(callId: string): vscode.Uri | undefined {
    return this.#byCall.find(callId)?.primary.uri;
  }

  /** Makes the documents of a kept call anew, at the path that they had; shows none. */
  async restoreCall(call: RestorableCall): Promise<void> {
    await this.#keepCall(call);
  }

  /** Opens what a call brought; false when it is kept no more. */
  async open(callId: string): Promise<boolean> {
    const kept = this.#byCall.find(callId);
    if (kept !== undefined) await this.#files.openFirst(kept);
    return kept !== undefined;
  }

  /** Keeps and opens it. */
  async show(outcome: CallOutcome): Promise<vscode.Uri | undefined> {
    // To take in a large answer was enough for one round of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const kept = await this.#keep(outcome);
    if (kept === undefined) return undefined;
    return this.#files.openFirst(kept);
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async #keep(outcome: CallOutcome): Promise<KeptResult | undefined> {
    const call = callOfOutcome(outcome, this.#labelOf);
    return call && this.#keepCall(call);
  }

  async #keepCall(call: CallToKeep): Promise<KeptResult> {
    return this.#keepParts(call, await partsOfCall(call.result, call.toolName));
  }

  #keepParts(call: CallToKeep, parts: PartsOfCall): KeptResult {
    const { callId, path, serverId, toolName, toolTitle: title, result, ...facts } = call;
    const given = callId === undefined ? undefined : this.#options.argumentsOf?.(callId);
    const kept = this.#documents.keep({
      ...(callId === undefined ? {} : { callId }),
      serverId,
      facts: {
        ...facts,
        origin: { kind: 'call', toolTitle: title, toolName },
        isError: result.isError,
        ...(result.isOldForm === true ? { isOldForm: true as const } : {}),
        ...(result.hasBareStructure === true ? { hasBareStructure: true as const } : {}),
        ...(given === undefined ? {} : { given }),
      },
      ...parts,
      ...(path === undefined ? {} : { path }),
    });
    if (callId !== undefined) this.#byCall.add(callId, kept);
    return kept;
  }

  /** VS Code asks for a file several times at once; it is brought back once. */
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

  /** Anybody may run a command: only what we have handed out for a part that is kept counts. */
  #resolve(reference: unknown): [KeptResult, Part] | undefined {
    if (!isPartReference(reference)) return undefined;
    const kept = this.#documents.find(vscode.Uri.parse(reference.overview));
    const part = kept?.parts.find(({ number }) => number === reference.number);
    return kept === undefined || part === undefined ? undefined : [kept, part];
  }
}

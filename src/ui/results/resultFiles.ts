import * as vscode from 'vscode';
import { isAppPage, isViewable, type FilePart } from '../../core/content/contentParts';
import { overviewExtension, tableExtension } from '../../core/content/documentNames';
import { FilterCommand, type FilterCommandOptions } from './filterCommand';
import type { FilteredResults } from './filteredResults';
import { LargeResults, registerTableCommands, tableLenses } from './largeResults';
import { lensesAt } from './overviewLenses';
import {
  registerResultFileCommands,
  type ResultFileCommands,
  maxSyncedBytes,
} from './resultFileCommands';
import type { StoredResult, ResultDocuments } from './resultDocuments';
import { hasRows, isRenderedMarkdown } from './partsOfCall';
import { registerCodeLenses } from '../editor/codeLenses';
import { resultColumn, type openInTab } from '../editor/resultTabs';
import { type ResultCommands, resultLenses } from './resultLinks';
import { ResultSaving, type SaveQuestions } from './resultSaving';
import { ResultTargets } from './resultTargets';
import * as l10n from '@vscode/l10n';

export interface ResultFilesOptions {
  readonly documents: ResultDocuments;
  readonly filtered: FilteredResults;
  /** Memory of the last filters, and what removes secrets from them. */
  readonly filters: Pick<FilterCommandOptions, 'memory' | 'redact'>;
  readonly scheme: string;
  readonly commands: ResultFileCommands;
  readonly linkCommands: ResultCommands;
  /** Returns true if a list of rows opens as a table first. Defaults to true. */
  readonly opensTables: (() => boolean) | undefined;
  /**
   * Returns true if an answer with several kinds of parts opens as a page. Defaults to its
   * overview, a document.
   */
  readonly opensPages: (() => boolean) | undefined;
  readonly openFile: typeof openInTab;
  /** Defaults to VS Code's dialogs. */
  readonly questions: SaveQuestions | undefined;
}

/** Actions on one file of a result: open it at any size, save, compare, copy. */
export class ResultFiles implements vscode.Disposable {
  readonly #options: ResultFilesOptions;
  readonly #targets: ResultTargets;
  readonly #large: LargeResults;
  readonly #lenses: vscode.Disposable;

  constructor(options: ResultFilesOptions) {
    const { documents, commands, filtered, scheme } = options;
    this.#options = options;
    this.#targets = new ResultTargets(documents, filtered);
    this.#large = new LargeResults(documents, this.#targets, commands, scheme);
    this.#lenses = registerResultLenses(options);
  }

  register(): vscode.Disposable {
    const { documents, commands, linkCommands, questions, openFile, filtered, filters, scheme } =
      this.#options;
    const files = registerResultFileCommands({
      targets: this.#targets,
      saving: new ResultSaving(questions),
      commands,
      openFull: (target) => this.#large.openFull(target, openFile),
    });
    const filterCommand = new FilterCommand({
      filtered,
      ...filters,
      targets: this.#targets,
      command: commands.filter,
      scheme,
      openPart: ({ kept, part }) => this.open(kept, part),
    });
    const tables = registerTableCommands(documents, linkCommands, (kept, part) =>
      this.open(kept, part),
    );
    return vscode.Disposable.from(files, filterCommand.register(), tables);
  }

  /** Opens the primary document, beside the editor of its call. */
  async openFirst(kept: StoredResult): Promise<vscode.Uri> {
    const { openFile, opensTables, opensPages } = this.#options;
    const { uri, part } = kept.primary;
    const at = resultColumn();
    const isTable = part !== undefined && opensTables?.() !== false;
    const isGrid = isTable && (kept.tableUri !== undefined || (await hasRows(part)));
    if (opensPages?.() === true && (isGrid || isPage(kept))) return this.openOverview(kept, at);
    const first = (isTable ? kept.tableUri : undefined) ?? uri;
    if (part === undefined || first !== uri) await openFile(first, undefined, at);
    else await this.open(kept, part, at);
    return first;
  }

  /** Opens the overview as a page, or as a document if the user prefers that. */
  async openOverview(kept: StoredResult, at?: vscode.ViewColumn): Promise<vscode.Uri> {
    const { openFile, opensPages } = this.#options;
    await openFile(kept.overviewUri, opensPages?.() === true ? 'page' : undefined, at);
    return kept.overviewUri;
  }

  open(kept: StoredResult, part: FilePart, viewColumn?: vscode.ViewColumn): Promise<void> {
    return this.#large.open(kept, part, (uri, shown) =>
      this.#options.openFile(uri, shown, viewColumn),
    );
  }

  dispose(): void {
    this.#large.dispose();
    this.#lenses.dispose();
  }
}

/**
 * Returns true if no single document shows the whole answer: several kinds of parts, a file that VS
 * Code cannot show, or Markdown to read.
 */
function isPage({ facts, parts, primary: { part } }: StoredResult): boolean {
  // The text of an app's page belongs in an editor.
  if (parts.some(isAppPage)) return false;
  if (part === undefined) return true;
  const isBesideOthers = part.kind === 'image' && parts.length > 1;
  // A resource that was read opens as a document, because open documents are updated.
  const isRead = facts.origin.kind === 'call' && isRenderedMarkdown(part);
  return (
    isBesideOthers ||
    isRead ||
    !isViewable(part) ||
    (part.excerpt === undefined && part.size > maxSyncedBytes)
  );
}

/**
 * Registers the lenses of overviews and of tables. They are refreshed whenever results are added or
 * removed.
 */
function registerResultLenses(options: ResultFilesOptions): vscode.Disposable {
  const { documents, scheme, commands, linkCommands } = options;
  const register = (extension: string, lensesOf: (uri: vscode.Uri) => vscode.CodeLens[]) => {
    const pattern = `**/*.${extension}`;
    const lenses = registerCodeLenses(
      { scheme, pattern },
      { provideCodeLenses: ({ uri }) => lensesOf(uri) },
    );
    return vscode.Disposable.from(lenses, documents.onDidChange(lenses.refresh));
  };
  return vscode.Disposable.from(
    register(overviewExtension, (uri) => {
      const kept = documents.ofOverview(uri);
      if (kept === undefined) return [];
      return [...resultLenses(kept, linkCommands), ...resultFileLenses(kept, documents, commands)];
    }),
    register(tableExtension, (uri) => {
      const kept = documents.find(uri);
      return kept === undefined ? [] : tableLenses(kept, uri, linkCommands);
    }),
  );
}

/** Lenses to save and compare, on the overview of a result and on each of its parts. */
function resultFileLenses(
  kept: StoredResult,
  documents: ResultDocuments,
  commands: ResultFileCommands,
): vscode.CodeLens[] {
  const { overview, overviewUri, parts } = kept;
  const saveAs = { title: l10n.t('Save As…'), command: commands.saveAs };
  const saveAll = { title: l10n.t('Save All…'), command: commands.saveAll };
  const compare = { title: l10n.t('Compare…'), command: commands.compare };
  const at = (line: number, uri: vscode.Uri, save: vscode.Command): vscode.CodeLens[] =>
    lensesAt(
      line,
      [save, compare].map((command) => ({ ...command, arguments: [uri] })),
    );
  const ofParts = overview.places.flatMap(({ part, line, isHeading }) =>
    isHeading && part.kind !== 'link' ? at(line, documents.partUri(kept, part), saveAs) : [],
  );
  const hasFiles = parts.some(({ kind }) => kind !== 'link');
  return hasFiles ? [...at(0, overviewUri, saveAll), ...ofParts] : ofParts;
}

import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { documentName, tableName } from '../../core/content/documentNames';
import { parseJson } from '../../core/json/parseJson';
import { isObject } from '../../core/json/shapes';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { visibleText } from '../../core/visibleText';
import type { EntryPlace } from '../../host/journal/entry';
import { rowOfTexts } from '../../host/journal/journalRows';
import type { Journal } from '../../host/journal/journal';
import { commands } from '../../ids';
import { isShownInTab } from '../arguments/tabs';
import { type CodeLenses, registerCodeLenses } from '../editor/codeLenses';
import { lensAtLine } from '../editor/textPlaces';
import { showReadable } from '../editor/readableDocument';
import { quoted } from '../format/sentences';
import { formatJournalRow } from './formatJournalRow';
import {
  isFilteringJournal,
  noJournalFilter,
  type JournalFilter,
  readJournal,
  type JournalView,
} from './journalFilter';
import { journalText, type JournalText, type RowPlace } from './journalColumns';

interface JournalDocumentsOptions {
  readonly journal: Pick<Journal, 'rows' | 'textAt' | 'onDidChange'>;
  readonly scheme: string;
}

/** An editor shows this many rows without a stall. The user can request more. */
const rowsAtOnce = 1_000;
/** Entries within this time cause one refresh. */
const gatheringMs = 300;
const maxEntryChars = 2_000_000;

/**
 * The journal as a read-only document that is updated while it is open, a document for each entry,
 * which the time of its line links to, and the result of Verify.
 */
export class JournalDocuments
  implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable
{
  readonly uri: vscode.Uri;
  readonly #reportUri: vscode.Uri;
  readonly #options: JournalDocumentsOptions;
  readonly #lenses: CodeLenses;
  readonly #disposables: vscode.Disposable;
  #filter = noJournalFilter;
  #limit = rowsAtOnce;
  #report = '';
  #view: JournalView | undefined;
  #shown: JournalText | undefined;
  #timer: NodeJS.Timeout | undefined;

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: JournalDocumentsOptions) {
    const { journal, scheme } = options;
    this.#options = options;
    this.uri = vscode.Uri.from({
      scheme,
      path: `/${tableName(l10n.t('Audit Journal'), 'journal')}`,
    });
    this.#reportUri = this.uri.with({ path: `/${l10n.t('Verification')}.txt` });
    this.#lenses = registerCodeLenses({ scheme }, this);
    this.#disposables = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.languages.registerDocumentLinkProvider({ scheme }, this),
      this.#lenses,
      journal.onDidChange(() => this.#refreshSoon()),
      // Entries of other windows are read when this window gets the focus.
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.#refreshSoon();
      }),
    );
  }

  get filter(): JournalFilter {
    return this.#filter;
  }

  /**
   * Returns what the document shows, and reads it if necessary. @throws the error of the file
   * system
   */
  async view(): Promise<JournalView> {
    return this.#view ?? this.#read();
  }

  /** Opens the journal, or refreshes it if it is open. */
  async open(): Promise<void> {
    this.#refresh();
    await vscode.window.showTextDocument(this.uri, { preview: false });
  }

  async setFilter(filter: JournalFilter): Promise<void> {
    this.#filter = filter;
    this.#limit = rowsAtOnce;
    await this.open();
  }

  /** Doubles the number of rows. */
  showMore(): void {
    this.#limit *= 2;
    this.#refresh();
  }

  async openReport(text: string): Promise<void> {
    this.#report = text;
    this.#onDidChange.fire(this.#reportUri);
    await showReadable(this.#reportUri);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    if (uri.path === this.#reportUri.path) return this.#report;
    try {
      if (uri.path !== this.uri.path) return await this.#entryText(uri);
      this.#shown = journalText(await this.#read(), this.#filter);
      this.#lenses.refresh();
      return this.#shown.text;
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      return l10n.t('The audit journal cannot be read: “{0}”', quoted(detail));
    }
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    return this.#shownIn(document)?.rows.map((row) => this.#link(row)) ?? [];
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const shown = this.#shownIn(document);
    if (shown === undefined) return [];
    const clear = { clearFilter: true };
    return [
      lensAtLine(0, l10n.t('$(verified) Verify'), commands.verifyJournal),
      lensAtLine(0, l10n.t('$(filter) Filter…'), commands.filterJournal),
      ...(isFilteringJournal(this.#filter)
        ? [lensAtLine(0, l10n.t('$(clear-all) Clear Filter'), commands.filterJournal, clear)]
        : []),
      ...(shown.moreLine === undefined
        ? []
        : [lensAtLine(shown.moreLine, l10n.t('Show More'), commands.showJournal, { more: true })]),
    ];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#disposables.dispose();
    this.#onDidChange.dispose();
  }

  async #read(): Promise<JournalView> {
    this.#view = await readJournal(this.#options.journal, this.#filter, this.#limit, Date.now());
    return this.#view;
  }

  #refresh(): void {
    this.#view = undefined;
    this.#onDidChange.fire(this.uri);
  }

  #refreshSoon(): void {
    this.#view = undefined;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // The check is made only here, because it takes as long as writing an entry.
      if (isShownInTab(this.uri)) this.#refresh();
    }, gatheringMs);
  }

  /**
   * Returns the text of the document as it is shown, or `undefined` while another text is being
   * loaded.
   */
  #shownIn(document: vscode.TextDocument): JournalText | undefined {
    if (document.uri.toString() !== this.uri.toString()) return undefined;
    return this.#shown?.text === document.getText() ? this.#shown : undefined;
  }

  #link({ line, end, places }: RowPlace): vscode.DocumentLink {
    const query = JSON.stringify(places);
    const name = documentName(l10n.t('Entry'), 'entry', { kind: 'text', extension: 'json' });
    const target = this.uri.with({ path: `/${name}`, query });
    const link = new vscode.DocumentLink(new vscode.Range(line, 0, line, end), target);
    link.tooltip = l10n.t('Open the full entry');
    return link;
  }

  async #entryText({ query }: vscode.Uri): Promise<string> {
    const entries: unknown[] = [];
    const texts: string[] = [];
    for (const place of parsePlaces(query)) {
      const text = await this.#options.journal.textAt(place);
      if (text === undefined) continue;
      texts.push(text);
      entries.push({ file: place.segment, entry: parsed(text) });
    }
    if (entries.length === 0) return l10n.t('This entry is no longer in the journal.');
    const row = rowOfTexts(texts);
    const inWords = row === undefined ? {} : { inWords: formatJournalRow(row) };
    const shown = stringifyExactly({ ...inWords, entries }, 2);
    return visibleText(shown, maxEntryChars, { newlines: 'keep' });
  }
}

/** The URI may come from anywhere, so it is parsed. */
function parsePlaces(query: string): readonly EntryPlace[] {
  const places: unknown = parsed(query);
  if (!Array.isArray(places)) return [];
  return places.slice(0, 2).flatMap((place: unknown) => {
    if (!isObject(place)) return [];
    const { segment, offset } = place;
    return typeof segment === 'string' && Number.isSafeInteger(offset) && Number(offset) >= 0
      ? [{ segment, offset: Number(offset) }]
      : [];
  });
}

/** Returns numbers as they were written, and the text itself if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // A damaged entry is shown unchanged.
    return text;
  }
}

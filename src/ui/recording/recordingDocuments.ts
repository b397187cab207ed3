import * as l10n from '@vscode/l10n';
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { hasTooManyTokens } from '../../core/arguments/argumentsJson';
import { dropOldest } from '../../core/bounds/shortLivedMap';
import { documentName, tableName } from '../../core/content/documentNames';
import { RecordingError } from '../../core/recording/recordedLine';
import { readBeginning, readMessageLine } from '../../core/recording/readRecording';
import { visibleText } from '../../core/visibleText';
import { WorkTurns } from '../../core/bounds/workTurns';
import { commands, recordingScheme, recordingEditor } from '../../ids';
import { registerCodeLenses } from '../editor/codeLenses';
import { lensAtLine } from '../editor/textPlaces';
import { markOwnArgument } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import {
  formatRecording,
  recordingSentence,
  type RecordingText,
  type RowLine,
} from './formatRecording';
import { formatJson } from '../../core/json/layOutJson';

/** A recording that is shown in this window. */
interface Shown {
  readonly file: string;
  /** Identifies the version of the file. */
  readonly stamp: string;
  maxRows: number;
  servers: readonly string[];
  text?: RecordingText;
}

/** An editor shows this many rows without a stall. The user can request more. */
const rowsAtOnce = 1_000;
const maxRows = 16_000;
/** Maximum number of bytes of one message that are shown. */
const maxMessageBytes = 4 * 1024 * 1024;
const maxShownChars = 2_000_000;
/** A message with more values is shown unformatted, because formatting would take a second. */
const maxShownTokens = 50_000;
const maxShown = 200;
const pieceChars = 20_000;

/**
 * Recordings as read-only documents with a line for each message, and a document for each message,
 * which the time of its line links to. Only recordings that were opened here have a URI.
 */
export class RecordingDocuments
  implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable
{
  /** Keyed by the query of the URI, which cannot be guessed. */
  readonly #shown = new Map<string, Shown>();
  readonly #messages = new Map<string, { readonly file: string; readonly row: RowLine['row'] }>();
  readonly #lenses = registerCodeLenses({ scheme: recordingScheme }, this);
  readonly #disposables: vscode.Disposable;

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;

  constructor() {
    const scheme = recordingScheme;
    this.#disposables = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.languages.registerDocumentLinkProvider({ scheme }, this),
      this.#lenses,
    );
  }

  /** Opens the document of a recording with the current content of the file. */
  async open(file: string, viewColumn?: vscode.ViewColumn): Promise<void> {
    const stamp = await stampOf(file);
    const ofFile = [...this.#shown].filter(([, shown]) => shown.file === file);
    // VS Code may show the old text of a URI for a while, so each version has its own URI.
    const known = ofFile.find(([, shown]) => shown.stamp === stamp)?.[0];
    for (const [old] of ofFile) if (old !== known) this.#onDidChange.fire(this.#uriOf(old, file));
    const key = known ?? randomUUID();
    if (known === undefined) {
      this.#shown.set(key, { file, stamp, maxRows: rowsAtOnce, servers: [] });
    }
    dropOldest(this.#shown, maxShown);
    const uri = this.#uriOf(key, file);
    const where = viewColumn === undefined ? {} : { viewColumn };
    await vscode.window.showTextDocument(uri, { preview: false, ...where });
  }

  /** Doubles the number of messages. Ignores unknown keys. */
  showMore(key: unknown): void {
    const shown = typeof key === 'string' ? this.#shown.get(key) : undefined;
    if (shown === undefined) return;
    shown.maxRows = Math.min(maxRows, shown.maxRows * 2);
    this.#onDidChange.fire(this.#uriOf(String(key), shown.file));
  }

  async provideTextDocumentContent({ query }: vscode.Uri): Promise<string> {
    const message = this.#messages.get(query);
    const shown = this.#shown.get(query);
    const file = message?.file ?? shown?.file ?? '';
    try {
      if (message !== undefined) return await messageText(message.file, message.row);
      if (shown === undefined) return l10n.t('Open the recording again to view it.');
      const beginning = await readBeginning(file, shown.maxRows);
      shown.servers = beginning.servers;
      shown.text = formatRecording(path.basename(file), beginning);
      this.#lenses.refresh();
      return shown.text.text;
    } catch (error) {
      const known = error instanceof RecordingError ? error : new RecordingError('unreadable');
      return recordingSentence(path.basename(file), known);
    }
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const shown = this.#shownIn(document);
    const { file, text } = shown ?? {};
    if (file === undefined || text === undefined) return [];
    // Messages of closed documents are never requested again.
    for (const key of this.#messages.keys()) {
      if (key.startsWith(`${document.uri.query}-`)) this.#messages.delete(key);
    }
    const name = documentName(l10n.t('Message'), 'message', {
      kind: 'text',
      extension: 'json',
    });
    return text.rows.map(({ line, end, row }) => {
      const key = `${document.uri.query}-${row.offset}`;
      this.#messages.set(key, { file, row });
      const target = document.uri.with({ path: `/${name}`, query: key });
      const link = new vscode.DocumentLink(new vscode.Range(line, 0, line, end), target);
      link.tooltip = l10n.t('Open the full message');
      return link;
    });
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const shown = this.#shownIn(document);
    if (shown?.text === undefined) return [];
    const { file, text, servers } = shown;
    const replays = servers.slice(0, 10).map((server) => {
      const title =
        servers.length === 1
          ? l10n.t('$(debug-rerun) Replay')
          : l10n.t('$(debug-rerun) Replay “{0}”', quoted(server));
      return lensAtLine(0, title, commands.replayRecording, markOwnArgument({ file, server }));
    });
    const key = document.uri.query;
    const more =
      text.moreLine === undefined || shown.maxRows >= maxRows
        ? []
        : [
            lensAtLine(
              text.moreLine,
              l10n.t('Show More'),
              commands.openRecording,
              markOwnArgument({ key }),
            ),
          ];
    return [...replays, ...more];
  }

  dispose(): void {
    this.#disposables.dispose();
    this.#onDidChange.dispose();
  }

  /**
   * Returns the recording of the document as it is shown, or `undefined` while another text is
   * being loaded.
   */
  #shownIn(document: vscode.TextDocument): Shown | undefined {
    const shown = this.#shown.get(document.uri.query);
    return shown?.text?.text === document.getText() ? shown : undefined;
  }

  #uriOf(key: string, file: string): vscode.Uri {
    const name = tableName(path.basename(file, path.extname(file)), 'recording');
    return vscode.Uri.from({ scheme: recordingScheme, path: `/${name}`, query: key });
  }
}

/** Returns a text that differs after every change of the file. */
async function stampOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    // The document says that the file cannot be read.
    return '';
  }
}

async function messageText(file: string, row: RowLine['row']): Promise<string> {
  const isCut = row.bytes > maxMessageBytes;
  const read = await readMessageLine(file, row.offset, isCut ? maxMessageBytes : row.bytes);
  // Half a character at the end is read as U+FFFD.
  const text = isCut ? `${read.replace(/\uFFFD$/, '')}…` : read;
  let shown = text;
  try {
    if (!hasTooManyTokens(text, maxShownTokens) && indentedChars(text) <= maxShownChars) {
      JSON.parse(text);
      shown = formatJson(text).trimEnd();
    }
  } catch {
    // The message is cut or the file has changed, so the text is shown unchanged.
  }
  return shownInTurns(shown);
}

/** Yields between slices, because hidden characters are searched one by one. */
async function shownInTurns(text: string): Promise<string> {
  const turns = new WorkTurns();
  let shown = '';
  for (let from = 0; from < text.length && shown.length < maxShownChars;) {
    const end = endOfPiece(text, from);
    const room = maxShownChars - shown.length;
    shown += visibleText(text.slice(from, end), room, { newlines: 'keep' });
    from = end;
    if (turns.isOver) await turns.giveWay();
  }
  return shown;
}

/** Ends after a JSON delimiter if there is one, so that no sequence of characters is split. */
function endOfPiece(text: string, from: number): number {
  const end = Math.min(from + pieceChars, text.length);
  for (let at = end; at > from + pieceChars / 2; at -= 1) {
    if (',:{}[]\n'.includes(text[at - 1] ?? '')) return at;
  }
  return end;
}

/**
 * Returns an upper bound for the length of indented JSON, because deeply nested values could need
 * gigabytes.
 */
function indentedChars(json: string): number {
  let [depth, chars, isText] = [0, json.length, false];
  for (let index = 0; index < json.length; index += 1) {
    const sign = json[index] ?? '';
    if (sign === '"') isText = !isText;
    else if (isText) index += sign === '\\' ? 1 : 0;
    else if ('[]{},'.includes(sign)) {
      if (sign === '[' || sign === '{') depth += 1;
      if (sign === ']' || sign === '}') depth -= 1;
      chars += 2 * depth + 2;
    }
  }
  return chars;
}

/**
 * Opens a recording from the explorer as the document of its messages. In a diff, or for a file
 * that is not on disk, it only says how to open it.
 */
export function registerRecordingEditor(
  documents: Pick<RecordingDocuments, 'open'>,
): vscode.Disposable {
  return vscode.window.registerCustomEditorProvider(recordingEditor, {
    openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
    resolveCustomEditor: ({ uri }, panel) => {
      panel.webview.html = pageOf(
        l10n.t('A recording. Select “Reopen Editor With…” to view it as text.'),
      );
      if (uri.scheme !== 'file' || tabsOf(uri).length === 0) return;
      // While VS Code opens this editor, the second press of a double click would fail if another
      // editor took its place.
      setTimeout(() => void replaceTabs(documents, uri, panel.viewColumn));
    },
  });
}

async function replaceTabs(
  documents: Pick<RecordingDocuments, 'open'>,
  uri: vscode.Uri,
  viewColumn: vscode.ViewColumn | undefined,
): Promise<void> {
  try {
    await documents.open(uri.fsPath, viewColumn);
  } catch {
    // A second press brought the recording back in front of its document.
  }
  await vscode.window.tabGroups.close(tabsOf(uri), true);
}

function tabsOf(uri: vscode.Uri): readonly vscode.Tab[] {
  const key = uri.toString();
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter(
    ({ input }) => input instanceof vscode.TabInputCustom && input.uri.toString() === key,
  );
}

/** The page has no script, no style and fetches nothing. `text` is our own. */
function pageOf(text: string): string {
  const shown = text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">`;
  return `<!DOCTYPE html><html><head>${policy}</head><body><p>${shown}</p></body></html>`;
}

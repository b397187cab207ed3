import * as l10n from '@vscode/l10n';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { isViewable, type FilePart } from '../../core/content/contentParts';
import { isSpooled, type SpooledPart } from '../../host/results/resultSpool';
import { type CodeLenses, registerCodeLenses } from '../editor/codeLenses';
import { openingCommand, viewerOfPart } from '../editor/allowedEditors';
import { notify } from '../editor/messages';
import { activeUri, openInTab } from '../editor/resultTabs';
import { formatSize } from '../format/formatFile';
import { quoted } from '../format/sentences';
import { lensesAt, callActions } from './overviewLenses';
import { mainPart } from './partsOfCall';
import type { StoredResult, ResultDocuments } from './resultDocuments';
import { type ResultFileCommands, maxSyncedBytes } from './resultFileCommands';
import type { ResultCommands } from './resultLinks';
import type { ResultTarget, ResultTargets } from './resultTargets';

/** Opens a file in the text editor or viewer of VS Code that fits it. */
type OpenFile = (
  uri: vscode.Uri,
  part: FilePart | undefined,
  viewColumn?: vscode.ViewColumn,
) => Promise<void>;

/** Shows large parts as far as possible, with lenses on the beginnings of texts. */
export class LargeResults implements vscode.Disposable {
  readonly #documents: ResultDocuments;
  readonly #targets: ResultTargets;
  readonly #commands: ResultFileCommands;
  readonly #lenses: CodeLenses;
  readonly #counting = new WeakSet<SpooledPart>();

  constructor(
    documents: ResultDocuments,
    targets: ResultTargets,
    commands: ResultFileCommands,
    scheme: string,
  ) {
    this.#documents = documents;
    this.#targets = targets;
    this.#commands = commands;
    this.#lenses = registerCodeLenses({ scheme, pattern: '**/*-beginning.*' }, this);
  }

  provideCodeLenses({ uri, lineCount }: vscode.TextDocument): vscode.CodeLens[] {
    const target = this.#targets.at(uri);
    const part = target?.part;
    if (part === undefined || !isSpooled(part) || part.beginning?.name !== posix.basename(uri.path))
      return [];
    this.#notifyWhenCounted(part);
    const commands = this.#lensCommands(part, target?.uri ?? uri);
    return [0, lineCount - 1].flatMap((line) => lensesAt(line, commands));
  }

  /**
   * Opens a part. A large text opens as its beginning. For a part that no editor can show, a
   * message offers Save As….
   */
  async open(kept: StoredResult, part: FilePart, openFile: OpenFile): Promise<void> {
    if (part.excerpt !== undefined || (isViewable(part) && part.size <= maxSyncedBytes)) {
      await openFile(this.#documents.readableUri(kept, part), part);
      return;
    }
    await openFile(kept.overviewUri, undefined);
    const uri = this.#documents.partUri(kept, part);
    if (part.size > maxSyncedBytes) this.#notifyTooLarge(part, uri);
    else this.#notifyNotShown(part, uri);
  }

  /** Opens a whole text of any size, and says which features VS Code turns off. */
  async openFull({ kept, file, part, uri }: ResultTarget, openFile: OpenFile): Promise<void> {
    if (part !== undefined && !isViewable(part)) return this.open(kept, part, openFile);
    await openFile(uri, part);
    if (file.size <= maxSyncedBytes) return;
    notify(
      'information',
      l10n.t(
        '“{0}” is {1}. VS Code shows text above 50 MB without colors, and may ask first.',
        quoted(file.name),
        formatSize(file.size),
      ),
      this.#saveAs(uri),
    );
  }

  dispose(): void {
    this.#lenses.dispose();
  }

  #lensCommands(part: SpooledPart, uri: vscode.Uri): vscode.Command[] {
    const { openFull, compare } = this.#commands;
    const on = [uri];
    return [
      { title: `$(arrow-down) ${formatBeginning(part)}`, command: '' },
      { title: l10n.t('Open Full'), command: openFull, arguments: on },
      this.#saveAs(uri),
      { title: l10n.t('Compare…'), command: compare, arguments: on },
    ];
  }

  #notifyNotShown({ name }: FilePart, uri: vscode.Uri): void {
    const sentence = l10n.t('VS Code cannot show the file type of “{0}”.', quoted(name));
    notify('information', sentence, this.#saveAs(uri));
  }

  #notifyTooLarge(part: FilePart, uri: vscode.Uri): void {
    const { name, size } = part;
    const sentence = l10n.t(
      '“{0}” is {1}, too large for most viewers of VS Code.',
      quoted(name),
      formatSize(size),
    );
    const opening = openingCommand(uri, viewerOfPart(part));
    const anyway = { ...opening, title: l10n.t('Open Anyway') };
    const actions = isViewable(part) ? [this.#saveAs(uri), anyway] : [this.#saveAs(uri)];
    notify('information', sentence, ...actions);
  }

  #saveAs(uri: vscode.Uri) {
    const { saveAs } = this.#commands;
    return { title: l10n.t('Save As…'), command: saveAs, arguments: [uri] };
  }

  /** Refreshes the lenses once the part is on disk, because its line count is known then. */
  #notifyWhenCounted(part: SpooledPart): void {
    if (part.spooled.lines !== undefined || this.#counting.has(part)) return;
    this.#counting.add(part);
    void part.spooled.settled.then(this.#lenses.refresh);
  }
}

function formatBeginning({ beginning, size, spooled }: SpooledPart): string {
  const shown = beginning?.size ?? 0;
  const { lines } = spooled;
  if (lines === undefined) {
    return l10n.t('Beginning: {0} of {1}', formatSize(shown), formatSize(size));
  }
  return l10n.t(
    'Beginning: {0} of {1}, {2} of {3} lines',
    formatSize(shown),
    formatSize(size),
    (beginning?.lines ?? 0).toLocaleString(vscode.env.language),
    lines.toLocaleString(vscode.env.language),
  );
}

/**
 * Registers the commands that switch between a list of rows as a table and its original JSON. Both
 * work on the result they are invoked on, or else on the active one, and show its kept data.
 */
export function registerTableCommands(
  documents: ResultDocuments,
  { showJson, showTable }: ResultCommands,
  openPart: (kept: StoredResult, part: FilePart) => Promise<void>,
): vscode.Disposable {
  const on = (command: string, run: (kept: StoredResult, main: FilePart) => Promise<void>) =>
    vscode.commands.registerCommand(command, async (pressedOn: unknown) => {
      const uri = pressedOn instanceof vscode.Uri ? pressedOn : activeUri();
      const kept = uri && documents.find(uri);
      const main = kept && mainPart(kept.parts);
      if (main === undefined || kept?.tableUri === undefined) notifyNoTable(kept);
      else await run(kept, main);
    });
  return vscode.Disposable.from(
    on(showJson, openPart),
    on(showTable, (kept) => openInTab(kept.tableUri ?? kept.overviewUri, undefined)),
  );
}

/** Lenses on a list of rows that is shown as a table. */
export function tableLenses(
  kept: StoredResult,
  uri: vscode.Uri,
  { showJson, showOverview }: ResultCommands,
): vscode.CodeLens[] {
  return lensesAt(0, [
    { title: l10n.t('$(json) Show JSON'), command: showJson, arguments: [uri] },
    ...callActions(kept).slice(0, 2),
    { title: l10n.t('Show Overview'), command: showOverview, arguments: [uri] },
  ]);
}

function notifyNoTable(kept: StoredResult | undefined): void {
  const sentence =
    kept === undefined
      ? l10n.t('Open the result of a call first.')
      : l10n.t('Only a list of rows with single values can be shown as a table.');
  notify('information', sentence);
}

import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FilePart } from '../../core/content/contentParts';
import { tableExtension } from '../../core/content/documentNames';
import { notify } from '../editor/messages';
import { mainPart } from './partsOfCall';
import { callActions, lensesAt } from './overviewLenses';
import type { StoredResult, ResultDocuments } from './resultDocuments';
import { activeUri, openInTab } from '../editor/resultTabs';

export interface ResultTablesOptions {
  readonly documents: ResultDocuments;
  readonly scheme: string;
  readonly commands: {
    readonly showJson: string;
    readonly showTable: string;
    readonly showOverview: string;
  };
  readonly openPart: (kept: StoredResult, part: FilePart) => Promise<void>;
}

/** Switches between a list of rows as a table and its original JSON. */
export class ResultTables implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #options: ResultTablesOptions;
  readonly #subscriptions: vscode.Disposable;

  readonly #onDidChangeCodeLenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#onDidChangeCodeLenses.event;

  constructor(options: ResultTablesOptions) {
    const { documents, scheme } = options;
    this.#options = options;
    this.#subscriptions = vscode.Disposable.from(
      documents.onDidChange(() => this.#onDidChangeCodeLenses.fire()),
      vscode.languages.registerCodeLensProvider(
        { scheme, pattern: `**/*.${tableExtension}` },
        this,
      ),
    );
  }

  /**
   * Both commands work on the result they are invoked on, or else on the active one, and show its
   * kept data.
   */
  register(): vscode.Disposable {
    const { documents, commands, openPart } = this.#options;
    const on = (command: string, run: (kept: StoredResult, main: FilePart) => Promise<void>) =>
      vscode.commands.registerCommand(command, async (pressedOn: unknown) => {
        const uri = pressedOn instanceof vscode.Uri ? pressedOn : activeUri();
        const kept = uri && documents.find(uri);
        const main = kept && mainPart(kept.parts);
        if (main === undefined || kept?.tableUri === undefined) notifyNoTable(kept);
        else await run(kept, main);
      });
    return vscode.Disposable.from(
      on(commands.showJson, openPart),
      on(commands.showTable, (kept) => openInTab(kept.tableUri ?? kept.overviewUri, undefined)),
    );
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const kept = this.#options.documents.find(uri);
    if (kept === undefined) return [];
    const { showJson, showOverview } = this.#options.commands;
    return lensesAt(0, [
      { title: l10n.t('$(json) Show JSON'), command: showJson, arguments: [uri] },
      ...callActions(kept).slice(0, 2),
      { title: l10n.t('Show Overview'), command: showOverview, arguments: [uri] },
    ]);
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#onDidChangeCodeLenses.dispose();
  }
}

function notifyNoTable(kept: StoredResult | undefined): void {
  const sentence =
    kept === undefined
      ? l10n.t('Open the result of a call first.')
      : l10n.t('Only a list of rows with single values can be shown as a table.');
  notify('information', sentence);
}

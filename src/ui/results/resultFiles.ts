import * as vscode from 'vscode';
import type { FilePart } from '../../core/content/contentParts';
import { overviewExtension } from '../../core/content/documentNames';
import { LargeResults, type OpenFile } from './largeResults';
import { OverviewLenses } from './overviewLenses';
import { registerResultFileCommands, type ResultFileCommands } from './resultFileCommands';
import { resultFileLenses } from './resultFileLenses';
import type { KeptResult, ResultDocuments } from './resultDocuments';
import { ResultSaving, type SaveQuestions } from './resultSaving';
import { ResultTargets } from './resultTargets';

export interface ResultFilesOptions {
  readonly documents: ResultDocuments;
  readonly scheme: string;
  readonly commands: ResultFileCommands;
  readonly openFile: OpenFile;
  /** Absent: VS Code's dialogs. */
  readonly questions: SaveQuestions | undefined;
}

/** What can be done with one file of a result: open it whatever its size, save, compare, copy. */
export class ResultFiles implements vscode.Disposable {
  readonly #options: ResultFilesOptions;
  readonly #targets: ResultTargets;
  readonly #large: LargeResults;
  readonly #lenses: vscode.Disposable;

  constructor(options: ResultFilesOptions) {
    const { documents, commands, scheme } = options;
    this.#options = options;
    this.#targets = new ResultTargets(documents);
    this.#large = new LargeResults(documents, this.#targets, commands, scheme);
    const lenses = new OverviewLenses(documents, (kept) =>
      resultFileLenses(kept, documents, commands),
    );
    const overviews = { scheme, pattern: `**/*.${overviewExtension}` };
    this.#lenses = vscode.Disposable.from(
      vscode.languages.registerCodeLensProvider(overviews, lenses),
      lenses,
    );
  }

  register(): vscode.Disposable {
    const { commands, questions, openFile } = this.#options;
    return registerResultFileCommands({
      targets: this.#targets,
      saving: new ResultSaving(questions),
      commands,
      openFull: (target) => this.#large.openFull(target, openFile),
    });
  }

  open(kept: KeptResult, part: FilePart, viewColumn?: vscode.ViewColumn): Promise<void> {
    return this.#large.open(kept, part, (uri, shown) =>
      this.#options.openFile(uri, shown, viewColumn),
    );
  }

  dispose(): void {
    this.#large.dispose();
    this.#lenses.dispose();
  }
}

import * as vscode from 'vscode';
import { readArgumentsText } from '../../core/arguments/argumentsJson';
import type { FilePart } from '../../core/content/contentParts';
import type { SchemaViolation } from '../../core/types';
import type { KeptResult, ResultKeeper } from './resultKeeper';
import { violationLine } from './resultOverview';

const maxShown = 100;
/** Above this a problem stands at the top of its file: nobody looks for its line by eye. */
const maxLocatedBytes = 2 * 1024 * 1024;

/**
 * Violations of `outputSchema` as problems of `structuredContent`'s file, from when a document of
 * the result is opened until the last one is closed.
 */
export class ResultDiagnostics implements vscode.Disposable {
  readonly #keeper: ResultKeeper;
  readonly #isOpen: (entryPath: string) => boolean;
  readonly #collection = vscode.languages.createDiagnosticCollection('Toolgate results');
  readonly #subscriptions: vscode.Disposable[];

  constructor(keeper: ResultKeeper, isOpen: (entryPath: string) => boolean) {
    this.#keeper = keeper;
    this.#isOpen = isOpen;
    this.#subscriptions = [
      keeper.onDidChange(() => this.#update()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.#update()),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#collection.dispose();
  }

  #update(): void {
    const wanted = new Set<string>();
    for (const kept of this.#keeper.results) {
      if (kept.facts.violations.length === 0 || !this.#isOpen(kept.entry.path)) continue;
      const part = kept.parts.findLast(({ kind }) => kind === 'structured');
      if (part === undefined || part.kind === 'link') continue;
      const uri = this.#keeper.partUri(kept, part);
      wanted.add(uri.toString());
      if (!this.#collection.has(uri)) this.#collection.set(uri, diagnosticsOf(kept, part));
    }
    this.#collection.forEach((uri) => {
      if (!wanted.has(uri.toString())) this.#collection.delete(uri);
    });
  }
}

function diagnosticsOf({ facts }: KeptResult, part: FilePart): vscode.Diagnostic[] {
  const text = part.size <= maxLocatedBytes ? Buffer.from(part.read()).toString('utf8') : '';
  const { placeOf } = readArgumentsText(text);
  const lineStarts = lineStartsOf(text);
  const positionAt = (offset: number): vscode.Position => {
    const line = lineStarts.findLastIndex((start) => start <= offset);
    return new vscode.Position(line, offset - (lineStarts[line] ?? 0));
  };
  return facts.violations.slice(0, maxShown).map((violation: SchemaViolation) => {
    const { offset, length } = placeOf(violation);
    const range = new vscode.Range(positionAt(offset), positionAt(offset + length));
    const message = vscode.l10n.t(
      'The output schema of the tool says: {0}',
      violationLine(violation),
    );
    const diagnostic = new vscode.Diagnostic(range, message, vscode.DiagnosticSeverity.Error);
    diagnostic.source = 'Toolgate';
    return diagnostic;
  });
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (const { index } of text.matchAll(/\n/g)) starts.push(index + 1);
  return starts;
}

import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { readArgumentsText } from '../../core/arguments/argumentsJson';
import type { FilePart } from '../../core/content/contentParts';
import type { SchemaViolation } from '../../core/types';
import { colors } from '../../ids';
import { problemAt, TextPlaces } from '../editor/textPlaces';
import type { StoredResult, ResultDocuments } from './resultDocuments';
import { violationLine, externalSentence } from './resultOverview';

const maxShown = 100;
/** In larger files, problems are at the top, because users do not look for their lines by eye. */
const maxLocatedBytes = 2 * 1024 * 1024;

/**
 * Reports violations of `outputSchema` as problems in the file of `structuredContent`, from when a
 * document of the result is opened until the last one is closed.
 */
export class ResultDiagnostics implements vscode.Disposable {
  readonly #documents: ResultDocuments;
  readonly #openUris: () => readonly vscode.Uri[];
  readonly #collection = vscode.languages.createDiagnosticCollection('Toolgate results');
  readonly #subscriptions: vscode.Disposable[];
  /** Results with problems, by the URI of the document. */
  #wanted: ReadonlyMap<string, StoredResult> = new Map();

  /**
   * @param openUris returns the URIs that tabs show: few, while there may be thousands of results
   */
  constructor(documents: ResultDocuments, openUris: () => readonly vscode.Uri[]) {
    this.#documents = documents;
    this.#openUris = openUris;
    this.#subscriptions = [
      documents.onDidChange(() => this.#update()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.#update()),
    ];
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#collection.dispose();
  }

  #update(): void {
    const wanted = new Map<string, StoredResult>();
    const open = this.#openUris().flatMap((uri) => this.#documents.find(uri) ?? []);
    for (const kept of new Set(open)) {
      if (kept.facts.violations.length === 0) continue;
      const part = kept.parts.findLast(({ kind }) => kind === 'structured');
      if (part === undefined || part.kind === 'link') continue;
      const uri = this.#documents.partUri(kept, part);
      wanted.set(uri.toString(), kept);
      if (this.#wanted.get(uri.toString()) !== kept) void this.#show(uri, kept, part);
    }
    this.#wanted = wanted;
    this.#collection.forEach((uri) => {
      if (!wanted.has(uri.toString())) this.#collection.delete(uri);
    });
  }

  async #show(uri: vscode.Uri, kept: StoredResult, part: FilePart): Promise<void> {
    const text = await textToLocateIn(part);
    // The document may have been closed or replaced while it was read.
    if (this.#wanted.get(uri.toString()) !== kept) return;
    this.#collection.set(uri, diagnosticsOf(kept, text));
  }
}

/**
 * Returns `''` if the part is too large or no longer readable. Its problems are then at the top.
 */
async function textToLocateIn(part: FilePart): Promise<string> {
  if (part.size > maxLocatedBytes) return '';
  try {
    return Buffer.from(await part.read()).toString('utf8');
  } catch {
    // The error is shown when the user opens the file.
    return '';
  }
}

function diagnosticsOf({ facts }: StoredResult, text: string): vscode.Diagnostic[] {
  const { placeOf } = readArgumentsText(text);
  const places = new TextPlaces(text);
  return facts.violations.slice(0, maxShown).map((violation: SchemaViolation) => {
    const message = l10n.t('Output schema: {0}', violationLine(violation));
    return problemAt(places.range(placeOf(violation)), message);
  });
}

/** Marks documents of results that are errors or may come from outside, in tabs and breadcrumbs. */
export class ResultDecorations implements vscode.FileDecorationProvider, vscode.Disposable {
  readonly #documents: ResultDocuments;
  readonly #subscription: vscode.Disposable;

  readonly #onDidChangeFileDecorations = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.#onDidChangeFileDecorations.event;

  constructor(documents: ResultDocuments) {
    this.#documents = documents;
    this.#subscription = documents.onDidChange((uris) => {
      this.#onDidChangeFileDecorations.fire([...uris]);
    });
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const facts = this.#documents.find(uri)?.facts;
    if (facts === undefined || !(facts.isError || facts.isExternal)) return undefined;
    // Used only where there is no lock, because VS Code shows either a lock or letters.
    const marks = [facts.isError ? '!' : '', facts.isExternal ? '↗' : ''];
    const tooltips = [
      ...(facts.isError ? [l10n.t('The tool reported an error.')] : []),
      ...(facts.isExternal ? [externalSentence()] : []),
    ];
    const color = facts.isError ? 'list.errorForeground' : colors.external;
    return new vscode.FileDecoration(
      marks.join(''),
      tooltips.join('\n'),
      new vscode.ThemeColor(color),
    );
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChangeFileDecorations.dispose();
  }
}

import * as l10n from '@vscode/l10n';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { dropOldest } from '../../core/bounds/shortLivedMap';
import type { FilePart } from '../../core/content/contentParts';
import { documentName } from '../../core/content/documentNames';
import { FilterProcess, maxFilterChars } from '../../core/stdio/filterProcess';
import type { ResultNode, StoredFile } from '../../host/results/resultStore';
import { formatFilterAnswer } from '../format/formatFilter';
import { jsonParts } from './partsOfCall';
import type { StoredResult, ResultDocuments } from './resultDocuments';

/** A filter of one part of a result. */
export interface Filtered {
  readonly kept: StoredResult;
  readonly part: FilePart;
  readonly expression: string;
}

/** Queries that are filters: number of the part and expression. */
const filterPattern = /^(\d{1,9}):([^]+)$/;

/**
 * Returns false for other queries, such as the `version=…` with which VS Code's preview reads an
 * image.
 */
export function isFilter({ query }: vscode.Uri): boolean {
  return filterPattern.test(query);
}

/** Documents that are kept so that VS Code can ask for their size and read them. */
const maxKept = 3;

/**
 * Documents with what a filter selects of a JSON part. Their URIs contain the filter, so they are
 * made again after a reload.
 */
export class FilteredResults {
  readonly #documents: ResultDocuments;
  readonly #program: string;
  /** Contents by key, oldest first. */
  readonly #kept = new Map<string, Promise<Uint8Array>>();

  /** @param program path of the program that filters */
  constructor(documents: ResultDocuments, program: string) {
    this.#documents = documents;
    this.#program = program;
  }

  /** Returns the filter that a document shows. `undefined` for other documents. */
  find(uri: vscode.Uri): Filtered | undefined {
    const [, number, expression = ''] = filterPattern.exec(uri.query) ?? [];
    const kept = isFilter(uri) ? this.#documents.find(uri) : undefined;
    if (kept === undefined || expression.length > maxFilterChars) return undefined;
    const part = jsonParts(kept.parts).find((each) => each.number === Number(number));
    // VS Code chooses languages and editors by the name, so no other name is accepted.
    if (part === undefined || posix.basename(uri.path) !== nameOf(part)) return undefined;
    return { kept, part, expression };
  }

  uriOf({ kept, part, expression }: Filtered): vscode.Uri {
    const path = posix.join(posix.dirname(this.#documents.partUri(kept, part).path), nameOf(part));
    const { scheme } = kept.overviewUri;
    return vscode.Uri.from({ scheme, path, query: `${part.number}:${expression}` });
  }

  /** Returns the file of {@link find}, which is filtered when it is read. */
  fileOf(filtered: Filtered): StoredFile {
    const name = nameOf(filtered.part).replace(/\.\w+$/, '.json');
    return { name, size: 0, isMade: true, read: () => this.#read(filtered) };
  }

  nodeAt(uri: vscode.Uri): ResultNode | undefined {
    const filtered = this.find(uri);
    return filtered && { kind: 'file', file: this.fileOf(filtered), entry: filtered.kept.entry };
  }

  /** Starts filtering a part. The caller disposes of the process. */
  start(part: FilePart): FilterProcess {
    return new FilterProcess(this.#program, () => part.read());
  }

  /** Keeps what a filter selects, because its document opens next. */
  keep(filtered: Filtered, bytes: Uint8Array): void {
    void this.#keep(keyOf(filtered), Promise.resolve(bytes));
  }

  #read(filtered: Filtered): Promise<Uint8Array> {
    const key = keyOf(filtered);
    return this.#kept.get(key) ?? this.#keep(key, this.#filter(filtered));
  }

  #keep(key: string, bytes: Promise<Uint8Array>): Promise<Uint8Array> {
    this.#kept.set(key, bytes);
    dropOldest(this.#kept, maxKept);
    // A failure is told once, and tried again the next time.
    bytes.catch(() => this.#kept.delete(key));
    return bytes;
  }

  async #filter({ part, expression }: Filtered): Promise<Uint8Array> {
    const process = this.start(part);
    try {
      const answer = await process.filter(expression, true);
      if (answer.kind === 'selected' && answer.bytes !== undefined) return answer.bytes;
      throw vscode.FileSystemError.Unavailable(formatFilterAnswer(answer, expression));
    } finally {
      process.dispose();
    }
  }
}

function nameOf({ documentName: name }: FilePart): string {
  const stem = l10n.t('{0} (filtered)', name.replace(/\.\w+$/, ''));
  return documentName(stem, 'filtered', { kind: 'text', extension: 'json' });
}

/** A resource that was read again has another time. */
function keyOf({ kept: { entry }, part, expression }: Filtered): string {
  return JSON.stringify([entry.path, entry.createdAt, part.number, expression]);
}

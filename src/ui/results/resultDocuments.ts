import * as vscode from 'vscode';
import { isViewable, isWarning, type FilePart, type Part } from '../../core/content/contentParts';
import { isTableName, overviewName, tableName } from '../../core/content/documentNames';
import type { ResultEntry, ResultStore, StoredFile } from '../../host/results/resultStore';
import { filesOfPart, isSpooled, type ResultSpool } from '../../host/results/resultSpool';
import { BatchedEmitter } from './batchedEmitter';
import { mainPart, type MakeTable } from './partsOfCall';
import { renderOverview, type Overview, type ResultFacts } from './resultOverview';

/** A result in the store, with the data to show its documents. */
export interface StoredResult {
  /** Id of its call in the history. Absent for a resource that was read. */
  readonly callId?: string;
  readonly entry: ResultEntry;
  readonly facts: ResultFacts;
  readonly parts: readonly Part[];
  readonly overview: Overview;
  readonly overviewUri: vscode.Uri;
  /** The document to show first: the only part if it contains the whole answer, or the overview. */
  readonly primary: { readonly uri: vscode.Uri; readonly part: FilePart | undefined };
  /** The main part as a readable table. `undefined` if it is not a table. */
  readonly tableUri: vscode.Uri | undefined;
}

interface NewResult {
  readonly callId?: string;
  readonly serverId: string;
  readonly facts: ResultFacts;
  readonly parts: readonly Part[];
  /** Present if the main part can be shown as a table. */
  readonly makeTable?: MakeTable;
  /** Size of a table that is already made. */
  readonly tableBytes?: number;
  /** Path from an earlier session. Absent for a new result, which gets its own path. */
  readonly path?: string;
}

/**
 * Makes documents of results: a file for each part and an overview that names them all. A result is
 * forgotten when the store drops it.
 */
export class ResultDocuments implements vscode.Disposable {
  readonly #store: ResultStore;
  readonly #scheme: string;
  readonly #spool: Pick<ResultSpool, 'spool'> | undefined;
  readonly #subscription: vscode.Disposable;
  /** Results by the path of their entry. */
  readonly #results = new Map<string, StoredResult>();
  /** Servers that have given an external answer. */
  readonly #externals = new Set<string>();

  readonly #onDidChange = new BatchedEmitter<vscode.Uri>();
  /**
   * Fires when documents of results were added, changed or removed. Changes in quick succession are
   * reported together.
   */
  readonly onDidChange = this.#onDidChange.event;

  /** @param spool keeps large parts on disk; if it is absent, they stay in memory */
  constructor(store: ResultStore, scheme: string, spool?: Pick<ResultSpool, 'spool'>) {
    this.#store = store;
    this.#scheme = scheme;
    this.#spool = spool;
    this.#subscription = store.onDidChange(({ kind, entry }) => {
      const gone = kind === 'removed' ? this.#results.get(entry.path) : undefined;
      if (gone === undefined) return;
      this.#results.delete(entry.path);
      this.#notify(gone.entry);
    });
  }

  /** All results, possibly many thousands. Do not iterate them after each call. */
  get results(): Iterable<StoredResult> {
    return this.#results.values();
  }

  keep({ parts: given, makeTable, tableBytes, ...result }: NewResult): StoredResult {
    const { callId, serverId, path } = result;
    const facts = this.#withKnown(serverId, result.facts);
    const parts = this.#spool?.spool(given) ?? given;
    const name = nameOfOverview(
      facts,
      parts.filter((part) => part.kind !== 'link'),
    );
    const overviewFile = new OverviewFile(name, facts, parts);
    const { createdAt, origin } = facts;
    const main = mainPart(parts);
    const isTable = makeTable !== undefined && main !== undefined;
    const tables = isTable ? [tableFile(facts, () => makeTable(main), tableBytes)] : [];
    const files = [overviewFile, ...parts.flatMap(filesOfPart), ...tables];
    const added = { serverId, createdAt, files };
    const entry =
      origin.kind === 'resource'
        ? this.#store.addResource(origin.uri, added)
        : path === undefined
          ? this.#store.addCall(origin.toolName, added)
          : this.#store.restoreCall(path, added);
    const ofCall = callId === undefined ? {} : { callId };
    const kept = new RenderedResult({ ...ofCall, entry, facts, parts }, this.#scheme, name);
    // A resource that is read again moves to the end. A map would keep the position of its key.
    this.#results.delete(entry.path);
    this.#results.set(entry.path, kept);
    this.#notify(entry);
    return kept;
  }

  /** Each server's first external answer explains that; the tabs of all are marked. */
  #withKnown(serverId: string, facts: ResultFacts): ResultFacts {
    if (!facts.isExternal) return facts;
    if (this.#externals.has(serverId)) return { ...facts, isExternalKnown: true };
    this.#externals.add(serverId);
    return facts;
  }

  /**
   * Returns the result of an overview or part. Later changes of the result are then reported to VS
   * Code.
   */
  find(uri: vscode.Uri): StoredResult | undefined {
    if (uri.scheme !== this.#scheme) return undefined;
    const path = uri.path.split('/').slice(0, 4).join('/');
    this.#store.lookedAt.add(path);
    return this.#results.get(path);
  }

  /** Returns the result at the path of its entry, without reporting its later changes. */
  at(path: string): StoredResult | undefined {
    return this.#results.get(path);
  }

  /** Returns the result whose overview this is. */
  ofOverview(uri: vscode.Uri): StoredResult | undefined {
    const kept = this.find(uri);
    return kept?.overviewUri.path === uri.path ? kept : undefined;
  }

  /** The readable document of a part. For a large text, it is its beginning. */
  readableUri({ entry }: StoredResult, part: FilePart): vscode.Uri {
    const beginning = isSpooled(part) ? part.beginning : undefined;
    return this.#uri(`${entry.path}/${beginning?.name ?? part.documentName}`);
  }

  partUri({ entry }: StoredResult, part: FilePart): vscode.Uri {
    return this.#uri(`${entry.path}/${part.documentName}`);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
    this.#results.clear();
  }

  #notify({ path, files }: ResultEntry): void {
    if (!this.#store.lookedAt.has(path)) return;
    this.#onDidChange.add(files.map(({ name }) => this.#uri(`${path}/${name}`)));
  }

  #uri(path: string): vscode.Uri {
    return vscode.Uri.from({ scheme: this.#scheme, path });
  }
}

/**
 * A result that keeps only data that cannot be made again: thousands may be kept, and few are ever
 * opened again.
 */
class RenderedResult implements StoredResult {
  readonly callId?: string;
  readonly entry: ResultEntry;
  readonly facts: ResultFacts;
  readonly parts: readonly Part[];
  readonly #scheme: string;
  readonly #overviewName: string;

  constructor(
    { callId, entry, facts, parts }: Pick<StoredResult, 'callId' | 'entry' | 'facts' | 'parts'>,
    scheme: string,
    ownName: string,
  ) {
    if (callId !== undefined) this.callId = callId;
    this.entry = entry;
    this.facts = facts;
    this.parts = parts;
    this.#scheme = scheme;
    this.#overviewName = ownName;
  }

  get overview(): Overview {
    return renderOverview(this.facts, this.parts);
  }

  get overviewUri(): vscode.Uri {
    return this.#uri(this.#overviewName);
  }

  get tableUri(): vscode.Uri | undefined {
    const table = this.entry.files.find(({ name }) => isTableName(name));
    return table && this.#uri(table.name);
  }

  get primary(): StoredResult['primary'] {
    const part = speaksForItself(this.facts, this.parts);
    return { uri: part === undefined ? this.overviewUri : this.#uri(part.documentName), part };
  }

  #uri(file: string): vscode.Uri {
    return vscode.Uri.from({ scheme: this.#scheme, path: `${this.entry.path}/${file}` });
  }
}

class OverviewFile implements StoredFile {
  readonly isMade = true;

  constructor(
    readonly name: string,
    readonly facts: ResultFacts,
    readonly parts: readonly Part[],
  ) {}

  get size(): number {
    return this.read().length;
  }

  read(): Uint8Array {
    return Buffer.from(renderOverview(this.facts, this.parts).text);
  }
}

function nameOfOverview({ origin, isError }: ResultFacts, files: readonly FilePart[]): string {
  const title = origin.kind === 'call' ? origin.toolName : 'resource';
  const stem = isError ? `error-${title}` : title;
  const name = overviewName(stem);
  // All files of a result are saved into one folder, so their names must differ.
  return files.some((file) => file.name === name) ? overviewName(`${stem}-overview`) : name;
}

/** Parts never have this name, whatever the server calls them. */
function tableFile(
  { origin }: ResultFacts,
  make: () => Promise<Uint8Array>,
  keptBytes: number | undefined,
): StoredFile {
  const stem = origin.kind === 'call' ? origin.toolName : 'resource';
  const name = tableName(stem, 'table');
  if (keptBytes !== undefined) return { name, size: keptBytes, read: make };
  return { name, size: 0, isMade: true, read: madeOnce(make) };
}

/**
 * VS Code asks for the size of a file and then reads it, so both share one result. Results that are
 * no longer used can be garbage collected.
 */
function madeOnce(make: () => Promise<Uint8Array>): () => Promise<Uint8Array> {
  let making: Promise<Uint8Array> | undefined;
  let made: WeakRef<Uint8Array> | undefined;
  return async () => {
    const known = made?.deref();
    if (known !== undefined) return known;
    making ??= make().finally(() => (making = undefined));
    const bytes = await making;
    made = new WeakRef(bytes);
    return bytes;
  };
}

/** The part that contains the whole answer, if nothing has a problem. */
function speaksForItself(facts: ResultFacts, parts: readonly Part[]): FilePart | undefined {
  const hasProblem =
    facts.isError ||
    facts.isOldForm === true ||
    facts.hasBareStructure === true ||
    facts.violations.length > 0 ||
    facts.missingStructuredContent ||
    facts.schemaError !== undefined ||
    facts.skill?.isProblem === true;
  if (hasProblem || parts.some(({ notes }) => notes.some(isWarning))) return undefined;
  const main = mainPart(parts);
  // An image that VS Code cannot show does not replace an answer that also has text.
  return main?.kind === 'image' && parts.length > 1 && !isViewable(main) ? undefined : main;
}

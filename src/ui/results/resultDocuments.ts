import * as vscode from 'vscode';
import { isShown, isWarning, type FilePart, type Part } from '../../core/content/contentParts';
import { isTableName, overviewName, tableName } from '../../core/content/documentNames';
import type { ResultEntry, ResultStore, StoredFile } from '../../host/results/resultStore';
import { filesOf, isSpooled, type ResultSpool } from '../../host/results/resultSpool';
import { BatchedEmitter } from './batchedEmitter';
import { mainPart, type MakeTable } from './partsOfCall';
import { renderOverview, type Overview, type ResultFacts } from './resultOverview';

/** A result in the store, with what its documents need to be shown. */
export interface KeptResult {
  /** Of the call that brought it, as the history knows it; absent for what was read of a resource. */
  readonly callId?: string;
  readonly entry: ResultEntry;
  readonly facts: ResultFacts;
  readonly parts: readonly Part[];
  readonly overview: Overview;
  readonly overviewUri: vscode.Uri;
  /** What a person wants to see first: the only part where it says everything, or the overview. */
  readonly primary: { readonly uri: vscode.Uri; readonly part: FilePart | undefined };
  /** The main part as a table to read; `undefined` where it is none. */
  readonly tableUri: vscode.Uri | undefined;
}

export interface NewResult {
  readonly callId?: string;
  readonly serverId: string;
  readonly facts: ResultFacts;
  readonly parts: readonly Part[];
  /** Where the main part is a table to read. */
  readonly makeTable?: MakeTable;
  /** Of a table that is kept already. */
  readonly tableBytes?: number;
  /** Where an earlier session kept it; absent for a new one, which gets a path of its own. */
  readonly path?: string;
}

/**
 * Makes documents of results: the files of the parts and an overview that names them all. Forgets
 * a result when the store drops it.
 */
export class ResultDocuments implements vscode.Disposable {
  readonly #store: ResultStore;
  readonly #scheme: string;
  readonly #spool: Pick<ResultSpool, 'spool'> | undefined;
  readonly #subscription: vscode.Disposable;
  /** By the path of the entry. */
  readonly #results = new Map<string, KeptResult>();

  readonly #onDidChange = new BatchedEmitter<vscode.Uri>();
  /** These documents of results came, changed or went; of many that do so soon, together. */
  readonly onDidChange = this.#onDidChange.event;

  /** @param spool keeps large parts on disk; absent: they stay in memory */
  constructor(store: ResultStore, scheme: string, spool?: Pick<ResultSpool, 'spool'>) {
    this.#store = store;
    this.#scheme = scheme;
    this.#spool = spool;
    this.#subscription = store.onDidChange(({ kind, entry }) => {
      const gone = kind === 'removed' ? this.#results.get(entry.path) : undefined;
      if (gone === undefined) return;
      this.#results.delete(entry.path);
      this.#tell(gone.entry);
    });
  }

  /** All of them, of which there may be many thousands: not for what follows each call. */
  get results(): Iterable<KeptResult> {
    return this.#results.values();
  }

  keep({ parts: given, makeTable, tableBytes, ...result }: NewResult): KeptResult {
    const { callId, serverId, facts, path } = result;
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
    const files = [overviewFile, ...parts.flatMap(filesOf), ...tables];
    const added = { serverId, createdAt, files };
    const entry =
      origin.kind === 'resource'
        ? this.#store.addResource(origin.uri, added)
        : path === undefined
          ? this.#store.addCall(origin.toolName, added)
          : this.#store.restoreCall(path, added);
    const ofCall = callId === undefined ? {} : { callId };
    const kept = new RenderedResult({ ...ofCall, entry, facts, parts }, this.#scheme, name);
    // A resource that is read again is kept last; a map would leave its key where it was.
    this.#results.delete(entry.path);
    this.#results.set(entry.path, kept);
    this.#tell(entry);
    return kept;
  }

  /** The result whose overview or part this is. Who asks is told when it comes or goes. */
  find(uri: vscode.Uri): KeptResult | undefined {
    if (uri.scheme !== this.#scheme) return undefined;
    const path = uri.path.split('/').slice(0, 4).join('/');
    this.#store.lookedAt.add(path);
    return this.#results.get(path);
  }

  /** The same by the path of its entry, for who does not need to be told. */
  at(path: string): KeptResult | undefined {
    return this.#results.get(path);
  }

  /** The result whose overview this is. */
  ofOverview(uri: vscode.Uri): KeptResult | undefined {
    const kept = this.find(uri);
    return kept?.overviewUri.path === uri.path ? kept : undefined;
  }

  /** Where a part can be read: a large text by its beginning. */
  readableUri({ entry }: KeptResult, part: FilePart): vscode.Uri {
    const beginning = isSpooled(part) ? part.beginning : undefined;
    return this.#uri(`${entry.path}/${beginning?.name ?? part.documentName}`);
  }

  partUri({ entry }: KeptResult, part: FilePart): vscode.Uri {
    return this.#uri(`${entry.path}/${part.documentName}`);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
    this.#results.clear();
  }

  #tell({ path, files }: ResultEntry): void {
    if (!this.#store.lookedAt.has(path)) return;
    this.#onDidChange.add(files.map(({ name }) => this.#uri(`${path}/${name}`)));
  }

  #uri(path: string): vscode.Uri {
    return vscode.Uri.from({ scheme: this.#scheme, path });
  }
}

/**
 * A result of which only that is kept which cannot be made anew: thousands may be kept, and hardly
 * any is looked at again.
 */
class RenderedResult implements KeptResult {
  readonly callId?: string;
  readonly entry: ResultEntry;
  readonly facts: ResultFacts;
  readonly parts: readonly Part[];
  readonly #scheme: string;
  readonly #overviewName: string;

  constructor(
    { callId, entry, facts, parts }: Pick<KeptResult, 'callId' | 'entry' | 'facts' | 'parts'>,
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

  get primary(): KeptResult['primary'] {
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
  // They are saved into one folder.
  return files.some((file) => file.name === name) ? overviewName(`${stem}-overview`) : name;
}

/** No part has such a name, whatever the server calls it. */
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

/** VS Code asks how large a file is and reads it then; what nobody looks at any more is let go. */
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

/** The part that says all there is, where nothing is wrong with anything. */
function speaksForItself(facts: ResultFacts, parts: readonly Part[]): FilePart | undefined {
  const hasProblem =
    facts.isError ||
    facts.isOldForm === true ||
    facts.hasBareStructure === true ||
    facts.violations.length > 0 ||
    facts.missingStructuredContent ||
    facts.schemaError !== undefined;
  if (hasProblem || parts.some(({ notes }) => notes.some(isWarning))) return undefined;
  const main = mainPart(parts);
  // A picture that VS Code does not show is no answer, where there are words beside it.
  return main?.kind === 'image' && parts.length > 1 && !isShown(main) ? undefined : main;
}

import * as vscode from 'vscode';
import type { FilePart, Part } from '../../core/content/contentParts';
import { toPathSegment } from '../../core/content/pathSegment';
import type { ResultEntry, ResultStore } from '../../host/resultStore';
import { renderOverview, type Overview, type ResultFacts } from './resultOverview';

/** A result in the store, with what its documents need to be shown. */
export interface KeptResult {
  readonly entry: ResultEntry;
  readonly facts: ResultFacts;
  readonly parts: readonly Part[];
  readonly overview: Overview;
  readonly overviewUri: vscode.Uri;
  /** What a person wants to see first: the only part where it says everything, or the overview. */
  readonly primary: { readonly uri: vscode.Uri; readonly part: FilePart | undefined };
}

export interface NewResult {
  readonly serverId: string;
  readonly facts: ResultFacts;
  readonly parts: readonly Part[];
}

/** Its own extension, so that links and lenses come to overviews only. */
export const overviewExtension = 'mcpresult';

/**
 * Makes documents of results: the files of the parts and an overview that names them all. Forgets
 * a result when the store drops it.
 */
export class ResultKeeper implements vscode.Disposable {
  readonly #store: ResultStore;
  readonly #scheme: string;
  readonly #subscription: vscode.Disposable;
  /** By the path of the entry. */
  readonly #results = new Map<string, KeptResult>();

  readonly #onDidChange = new vscode.EventEmitter<readonly vscode.Uri[]>();
  /** These overviews came, changed or went. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(store: ResultStore, scheme: string) {
    this.#store = store;
    this.#scheme = scheme;
    this.#subscription = store.onDidChange(({ kind, entry }) => {
      const gone = kind === 'removed' ? this.#results.get(entry.path) : undefined;
      if (gone === undefined) return;
      this.#results.delete(entry.path);
      this.#onDidChange.fire([gone.overviewUri]);
    });
  }

  get results(): Iterable<KeptResult> {
    return this.#results.values();
  }

  keep({ serverId, facts, parts }: NewResult): KeptResult {
    const overview = renderOverview(facts, parts);
    const files = parts.filter((part) => part.kind !== 'link');
    const name = overviewName(facts, files);
    const { text } = overview;
    const overviewFile = { name, size: Buffer.byteLength(text), read: () => Buffer.from(text) };
    const { createdAt, origin } = facts;
    const added = { serverId, createdAt, files: [overviewFile, ...files] };
    const entry =
      origin.kind === 'call'
        ? this.#store.addCall(origin.toolName, added)
        : this.#store.addResource(origin.uri, added);
    const uriOf = (file: string) => this.#uri(`${entry.path}/${file}`);
    const overviewUri = uriOf(name);
    const part = speaksForItself(facts, parts);
    const uri = part === undefined ? overviewUri : uriOf(part.name);
    const kept = { entry, facts, parts, overview, overviewUri, primary: { uri, part } };
    this.#results.set(entry.path, kept);
    this.#onDidChange.fire([overviewUri]);
    return kept;
  }

  /** The result whose overview or part this is. */
  find(uri: vscode.Uri): KeptResult | undefined {
    if (uri.scheme !== this.#scheme) return undefined;
    return this.#results.get(uri.path.split('/').slice(0, 4).join('/'));
  }

  partUri({ entry }: KeptResult, part: FilePart): vscode.Uri {
    return this.#uri(`${entry.path}/${part.name}`);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
    this.#results.clear();
  }

  #uri(path: string): vscode.Uri {
    return vscode.Uri.from({ scheme: this.#scheme, path });
  }
}

function overviewName({ origin, isError }: ResultFacts, files: readonly FilePart[]): string {
  const title = origin.kind === 'call' ? origin.toolName : 'resource';
  const segment = toPathSegment(title, 'result');
  const stem = isError ? `error-${segment}` : segment;
  const isTaken = files.some(({ name }) => name === `${stem}.${overviewExtension}`);
  return `${stem}${isTaken ? '-overview' : ''}.${overviewExtension}`;
}

/** The one part beside which there is nothing to say. */
function speaksForItself(facts: ResultFacts, parts: readonly Part[]): FilePart | undefined {
  const [part] = parts;
  if (parts.length !== 1 || part === undefined || part.kind === 'link') return undefined;
  const hasProblem =
    facts.isError ||
    facts.violations.length > 0 ||
    facts.missingStructuredContent ||
    facts.schemaError !== undefined;
  return hasProblem || part.notes.length > 0 ? undefined : part;
}

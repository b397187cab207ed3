import { realpath, stat } from 'node:fs/promises';
import path, { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as vscode from 'vscode';
import { fileBelow, isBelow, uriBeside } from '../../core/content/textLinks';
import type { ServerRegistry } from '../../host/connections/registry';
import { isSpooled } from '../../host/results/resultSpool';
import type { ResourceDocuments } from './resourceDocuments';
import type { KeptResult, ResultDocuments } from './resultDocuments';

/** What a relative link of a document leads to. */
export type RelativeTarget =
  /** A file that is there, as a `file:` address. */
  | { readonly kind: 'file'; readonly uri: string }
  /** Of the server that sent the document. */
  | { readonly kind: 'resource'; readonly serverId: string; readonly uri: string };

/**
 * What relative links in results are relative to: those of a resource to its URI, those of an answer
 * to the folder that its server runs in, and nowhere above it. Whatever leads nowhere is no link.
 */
export class RelativeTargets {
  readonly #documents: Pick<ResultDocuments, 'find'>;
  readonly #registry: Pick<ServerRegistry, 'find'>;
  readonly #resources: Pick<ResourceDocuments, 'open'>;

  constructor(
    documents: Pick<ResultDocuments, 'find'>,
    registry: Pick<ServerRegistry, 'find'>,
    resources: Pick<ResourceDocuments, 'open'>,
  ) {
    this.#documents = documents;
    this.#registry = registry;
    this.#resources = resources;
  }

  /** Whether anything in the document can lead somewhere. */
  has(document: vscode.Uri): boolean {
    return this.#baseOf(document) !== undefined;
  }

  async resolve(document: vscode.Uri, link: string): Promise<RelativeTarget | undefined> {
    const base = this.#baseOf(document);
    if (base === undefined) return undefined;
    if (base.kind === 'resource') {
      const uri = uriBeside(base.uri, link);
      return uri === undefined ? undefined : { ...base, uri };
    }
    const uri = fileBelow(base.folder, link);
    return uri !== undefined && (await isFileIn(base.folder, uri))
      ? { kind: 'file', uri }
      : undefined;
  }

  /** Reads a resource from its server, and opens it. */
  async read({ serverId, uri }: Extract<RelativeTarget, { kind: 'resource' }>): Promise<void> {
    await this.#resources.open(serverId, uri);
  }

  #baseOf(document: vscode.Uri) {
    const kept = this.#documents.find(document);
    const part = kept && partOf(kept, posix.basename(document.path));
    if (kept === undefined || part === undefined) return undefined;
    const { serverId } = kept.entry;
    const { origin } = kept.facts;
    const uri = part.uri ?? (origin.kind === 'resource' ? origin.uri : undefined);
    if (uri !== undefined) return { kind: 'resource', serverId, uri } as const;
    const transport = this.#registry.find(serverId)?.config.transport;
    const folder = transport?.kind === 'stdio' ? transport.cwd : undefined;
    if (folder === undefined || !path.isAbsolute(folder)) return undefined;
    return { kind: 'folder', folder } as const;
  }
}

function partOf({ parts }: KeptResult, name: string) {
  return parts
    .flatMap((part) => (part.kind === 'link' ? [] : [part]))
    .find(
      (part) => part.documentName === name || (isSpooled(part) && part.beginning?.name === name),
    );
}

/** Wherever links on the disk lead. */
async function isFileIn(folder: string, uri: string): Promise<boolean> {
  try {
    const [top, file] = await Promise.all([realpath(folder), realpath(fileURLToPath(uri))]);
    return isBelow(top, file) && (await stat(file)).isFile();
  } catch {
    // It is not there, or not for us.
    return false;
  }
}

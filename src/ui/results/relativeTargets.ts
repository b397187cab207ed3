import { realpath, stat } from 'node:fs/promises';
import path, { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as vscode from 'vscode';
import { fileBelow, isBelow, uriBeside } from '../../core/content/textLinks';
import type { ServerRegistry } from '../../host/connections/registry';
import { isSpooled } from '../../host/results/resultSpool';
import type { ResourceDocuments } from './resourceDocuments';
import type { StoredResult, ResultDocuments } from './resultDocuments';

/** The target of a relative link in a document. */
export type RelativeTarget =
  /** An existing file, as a `file:` URI. */
  | { readonly kind: 'file'; readonly uri: string }
  /** A resource of the server that sent the document. */
  | { readonly kind: 'resource'; readonly serverId: string; readonly uri: string };

/**
 * Resolves relative links in results. Links of a resource are relative to its URI. Links of an
 * answer are relative to the working folder of its server, and cannot leave it. A link without a
 * target is no link.
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

  /** True if relative links in the document can be resolved. */
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

  /** Reads a resource from its server and opens it. */
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

function partOf({ parts }: StoredResult, name: string) {
  return parts
    .flatMap((part) => (part.kind === 'link' ? [] : [part]))
    .find(
      (part) => part.documentName === name || (isSpooled(part) && part.beginning?.name === name),
    );
}

/** Returns true if `uri` is a file inside the folder after symbolic links are resolved. */
async function isFileIn(folder: string, uri: string): Promise<boolean> {
  try {
    const [top, file] = await Promise.all([realpath(folder), realpath(fileURLToPath(uri))]);
    return isBelow(top, file) && (await stat(file)).isFile();
  } catch {
    // The file does not exist, or is not readable.
    return false;
  }
}

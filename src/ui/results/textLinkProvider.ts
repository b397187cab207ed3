import * as l10n from '@vscode/l10n';
import { realpath, stat } from 'node:fs/promises';
import path, { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as vscode from 'vscode';
import { isWithin } from '../../core/bounds/pathWithin';
import { WorkTurns } from '../../core/bounds/workTurns';
import { documentLanguage, isTableName } from '../../core/content/documentNames';
import { classifyLink } from '../../core/content/linkTarget';
import {
  textLinksIn,
  type TextLink,
  relativeLinksIn,
  fileBelow,
  uriBeside,
} from '../../core/content/textLinks';
import type { ServerRegistry } from '../../host/connections/registry';
import { isSpooled } from '../../host/results/resultSpool';
import { linklessLanguage } from '../../ids';
import { notify } from '../editor/messages';
import { commandLink } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import { openOutside, type AskToOpen } from './linkOpening';
import type { ResourceDocuments } from './resourceDocuments';
import type { StoredResult, ResultDocuments } from './resultDocuments';

/** Users do not follow more links. A text with more is shown without any link. */
const maxLinks = 5_000;

/** Limit for relative links, because each one is looked up on disk. */
const maxRelative = 500;
const markdown = documentLanguage('markdown');

/** Resolves and follows relative links of documents. */
export type RelativeLinks = Pick<RelativeTargets, 'has' | 'resolve' | 'read'>;

/** Argument of the command behind a link: a place in an open document, never a URL. */
interface LinkReference {
  readonly document: string;
  readonly line: number;
  readonly start: number;
}

/**
 * Links in server text. On its own, the editor turns web URLs and local file URIs into links, and
 * opens a local file without asking, in any editor that its name is associated with. These links
 * replace them: they show their target, and ask.
 */
export class TextLinks implements vscode.DocumentLinkProvider {
  readonly #command: string;
  readonly #schemes: readonly string[];
  readonly #relative: RelativeLinks;

  constructor(command: string, schemes: readonly string[], relative: RelativeLinks) {
    this.#command = command;
    this.#schemes = schemes;
    this.#relative = relative;
  }

  /** Register it before providers whose links replace these. */
  register(ask: AskToOpen): vscode.Disposable {
    return vscode.Disposable.from(
      ...this.#schemes.map((scheme) =>
        vscode.languages.registerDocumentLinkProvider({ scheme }, this),
      ),
      vscode.commands.registerCommand(this.#command, (reference: unknown) =>
        open(reference, ask, this.#relative),
      ),
    );
  }

  async provideDocumentLinks(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<vscode.DocumentLink[]> {
    const links: vscode.DocumentLink[] = [];
    const turns = new WorkTurns();
    for (let line = 0; line < document.lineCount; line += 1) {
      if (turns.isOver) await turns.giveWay();
      if (token.isCancellationRequested || document.isClosed) return [];
      for (const link of textLinksIn(document.lineAt(line).text)) {
        links.push(this.#linkTo(document, line, link));
      }
      if (links.length > maxLinks) {
        // The editor would make its own links of the remaining URLs.
        await vscode.languages.setTextDocumentLanguage(document, linklessLanguage);
        return [];
      }
    }
    return [...links, ...(await this.#relativeLinks(document))];
  }

  /** Relative links that can be resolved. */
  async #relativeLinks(document: vscode.TextDocument): Promise<vscode.DocumentLink[]> {
    if (document.languageId !== markdown || !this.#relative.has(document.uri)) return [];
    const found: [line: number, link: TextLink][] = [];
    const turns = new WorkTurns();
    for (let line = 0; line < document.lineCount && found.length < maxRelative; line += 1) {
      if (turns.isOver) await turns.giveWay();
      if (document.isClosed) return [];
      for (const link of relativeLinksIn(document.lineAt(line).text)) found.push([line, link]);
    }
    const links = await Promise.all(
      found.slice(0, maxRelative).map(async ([line, link]) => {
        const target = await this.#relative.resolve(document.uri, link.uri);
        if (target === undefined) return [];
        const isFile = target.kind === 'file';
        const title = isFile ? l10n.t('Open Local File…') : l10n.t('Read from its server');
        return [this.#linkAt(document, line, link, title)];
      }),
    );
    return links.flat();
  }

  #linkTo(document: vscode.TextDocument, line: number, found: TextLink): vscode.DocumentLink {
    if (isCut(document, document.lineAt(line).text, found))
      return this.#linkAt(document, line, found, cutSentence());
    const isWeb = classifyLink(found.uri).kind === 'web';
    const title = isWeb ? l10n.t('Open in Browser…') : l10n.t('Open Local File…');
    return this.#linkAt(document, line, found, title);
  }

  #linkAt(
    { uri }: vscode.TextDocument,
    line: number,
    { start, end }: TextLink,
    title: string,
  ): vscode.DocumentLink {
    const reference: LinkReference = { document: uri.toString(), line, start };
    const link = new vscode.DocumentLink(
      new vscode.Range(line, start, line, end),
      vscode.Uri.parse(commandLink(this.#command, reference)),
    );
    link.tooltip = title;
    return link;
  }
}

/** Any extension can run the command, so it follows only text of an open document, and it asks. */
async function open(reference: unknown, ask: AskToOpen, relative: RelativeLinks): Promise<void> {
  const found = linkAt(reference);
  if (found === undefined) return;
  const { uri, document, isRelative } = found;
  if (found.isCut) notify('information', cutSentence());
  else if (!isRelative) {
    const { kind } = classifyLink(uri);
    if (kind === 'web' || kind === 'file') await openOutside(uri, ask);
    else notify('information', l10n.t('“{0}” does not exist on this machine.', quoted(uri)));
  } else await followTextLink(document.uri, uri, ask, relative);
}

/**
 * Follows a URL or a relative link of a document. It asks first if the target is outside of the
 * server.
 */
export async function followTextLink(
  document: vscode.Uri,
  link: string,
  ask: AskToOpen,
  relative: RelativeLinks,
): Promise<void> {
  const { kind } = classifyLink(link);
  if (kind === 'web' || kind === 'file') return openOutside(link, ask);
  const target = kind === 'refused' ? undefined : await relative.resolve(document, link);
  if (target?.kind === 'file') await openOutside(target.uri, ask);
  else if (target?.kind === 'resource') await relative.read(target);
  else notify('information', l10n.t('“{0}” no longer exists.', quoted(link)));
}

/** Upper bound of the characters that a cell has after the end of a URL. */
const maxCutChars = 64;

/**
 * Returns true if a table shows only the beginning of the URL. Its target would be a URL that the
 * server never named.
 */
function isCut({ uri }: vscode.TextDocument, line: string, { end }: TextLink): boolean {
  return isTableName(uri.path) && /^\S*…/.test(line.slice(end, end + maxCutChars));
}

function cutSentence(): string {
  return l10n.t('This URL is shortened. Select “Show JSON” above the table for the full URL.');
}

function linkAt(reference: unknown) {
  if (typeof reference !== 'object' || reference === null) return undefined;
  const { document: of, line, start } = reference as Partial<Record<keyof LinkReference, unknown>>;
  if (typeof line !== 'number' || typeof of !== 'string') return undefined;
  const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === of);
  if (document === undefined || !Number.isInteger(line)) return undefined;
  if (line < 0 || line >= document.lineCount) return undefined;
  const { text } = document.lineAt(line);
  const isHere = (link: TextLink) => link.start === start;
  const whole = textLinksIn(text).find(isHere);
  if (whole !== undefined)
    return { document, uri: whole.uri, isRelative: false, isCut: isCut(document, text, whole) };
  const beside = relativeLinksIn(text).find(isHere);
  return beside && { document, uri: beside.uri, isRelative: true, isCut: false };
}

/** The target of a relative link in a document. */
type RelativeTarget =
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
    return isWithin(top, file) && (await stat(file)).isFile();
  } catch {
    // The file does not exist, or is not readable.
    return false;
  }
}

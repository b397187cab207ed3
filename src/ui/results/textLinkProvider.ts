import * as vscode from 'vscode';
import { judgeLink } from '../../core/content/linkTarget';
import { textLinksIn, type TextLink } from '../../core/content/textLinks';
import { linklessLanguage } from '../../ids';
import { tell } from '../editor/messages';
import { quoted } from '../format/sentences';
import { openOutside, type AskToOpen } from './linkOpening';

/** More than a person follows; a text of more is shown without any link. */
const maxLinks = 5_000;
/** So that nothing else waits while a long text is looked through. */
const linesPerTurn = 20_000;

/** What the command behind a link is given: a place in an open document, never an address. */
interface LinkReference {
  readonly document: string;
  readonly line: number;
  readonly start: number;
}

/**
 * Links in texts that came from servers. By itself the editor makes links of the addresses of web
 * pages and local files, and opens a local file without a question, in whatever editor its name
 * asks for. In its place stand links that show where they lead, and ask.
 */
export class TextLinks implements vscode.DocumentLinkProvider {
  readonly #command: string;
  readonly #schemes: readonly string[];

  constructor(command: string, schemes: readonly string[]) {
    this.#command = command;
    this.#schemes = schemes;
  }

  /** To be registered before providers whose links are to stand in the place of these. */
  register(ask: AskToOpen): vscode.Disposable {
    return vscode.Disposable.from(
      ...this.#schemes.map((scheme) =>
        vscode.languages.registerDocumentLinkProvider({ scheme }, this),
      ),
      vscode.commands.registerCommand(this.#command, (reference: unknown) => open(reference, ask)),
    );
  }

  async provideDocumentLinks(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<vscode.DocumentLink[]> {
    const links: vscode.DocumentLink[] = [];
    for (let line = 0; line < document.lineCount; line += 1) {
      if (line % linesPerTurn === linesPerTurn - 1) await new Promise(setImmediate);
      if (token.isCancellationRequested || document.isClosed) return [];
      for (const link of textLinksIn(document.lineAt(line).text)) {
        links.push(this.#linkTo(document, line, link));
      }
      if (links.length > maxLinks) {
        // Those beyond would be the editor's own.
        await vscode.languages.setTextDocumentLanguage(document, linklessLanguage);
        return [];
      }
    }
    return links;
  }

  #linkTo({ uri }: vscode.TextDocument, line: number, found: TextLink): vscode.DocumentLink {
    const { start, end } = found;
    const reference: LinkReference = { document: uri.toString(), line, start };
    const argument = encodeURIComponent(JSON.stringify([reference]));
    const link = new vscode.DocumentLink(
      new vscode.Range(line, start, line, end),
      vscode.Uri.parse(`command:${this.#command}?${argument}`),
    );
    const isWeb = judgeLink(found.uri).kind === 'web';
    link.tooltip = isWeb ? vscode.l10n.t('Open in Browser…') : vscode.l10n.t('Open Local File…');
    return link;
  }
}

/** Anybody may run the command: only what stands in an open document counts, and it asks. */
async function open(reference: unknown, ask: AskToOpen): Promise<void> {
  const uri = linkAt(reference);
  if (uri === undefined) return;
  const { kind } = judgeLink(uri);
  if (kind === 'web' || kind === 'file') await openOutside(uri, ask);
  else tell('information', vscode.l10n.t('“{0}” is nothing on this machine.', quoted(uri)));
}

function linkAt(reference: unknown): string | undefined {
  if (typeof reference !== 'object' || reference === null) return undefined;
  const { document: of, line, start } = reference as Partial<Record<keyof LinkReference, unknown>>;
  if (typeof line !== 'number' || typeof of !== 'string') return undefined;
  const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === of);
  if (document === undefined || !Number.isInteger(line)) return undefined;
  if (line < 0 || line >= document.lineCount) return undefined;
  return textLinksIn(document.lineAt(line).text).find((link) => link.start === start)?.uri;
}

import * as vscode from 'vscode';
import {
  argumentsScheme,
  answerEditor,
  linklessLanguage,
  textLanguage,
  toolAuthority,
} from '../../ids';
import { foreignTextSchemes } from '../editor/foreignTextSchemes';
import type { AskToOpen } from './linkOpening';
import type { ResultCommands } from './resultLinks';
import { TextLinks, type RelativeLinks } from './textLinkProvider';
import * as l10n from '@vscode/l10n';
import {
  documentLanguage,
  languageOfDocument,
  isOverviewName,
} from '../../core/content/documentNames';
import { markdownFolds } from '../../core/content/textLinks';
import { notify } from '../editor/messages';
import { activeUri } from '../editor/resultTabs';
import { posix } from 'node:path';
import {
  allowedEditors,
  compareInAllowedEditor,
  openInAllowedEditor,
} from '../editor/allowedEditors';

/**
 * Registers the protections for every document with server text, whichever feature shows it: its
 * editors, languages, links, and safe Markdown. Register it before providers with links of their
 * own, which then replace these.
 *
 * @param ownScheme defaults to every scheme of the extension
 */
export function registerForeignDocuments(
  ownScheme: string | undefined,
  { openTextLink, showPreview }: ResultCommands,
  ask: AskToOpen,
  relative: RelativeLinks,
): vscode.Disposable {
  const schemes = ownScheme === undefined ? foreignTextSchemes : [ownScheme];
  const writable = ownScheme === undefined ? [argumentsScheme] : [];
  return vscode.Disposable.from(
    new DocumentGuard(schemes),
    // Argument documents start with values that a server proposes.
    new TextLinks(openTextLink, [...schemes, ...writable], relative).register(ask),
    registerMarkdown(schemes, showPreview),
  );
}

const language = documentLanguage('markdown');

/**
 * Registers the VS Code features for Markdown that are safe for server text: folding, and the
 * preview, which renders server documents in its own way (`markdownPreview.ts`).
 *
 * @param command shows the preview of the document that it is run on, or of the active one
 */
function registerMarkdown(schemes: readonly string[], command: string): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.languages.registerFoldingRangeProvider(
      schemes.map((scheme) => ({ language, scheme })),
      { provideFoldingRanges: (document) => foldsOf(document) },
    ),
    vscode.commands.registerCommand(command, (pressedOn: unknown) =>
      previewMarkdown(schemes, pressedOn instanceof vscode.Uri ? pressedOn : activeUri()),
    ),
  );
}

function foldsOf(document: vscode.TextDocument): vscode.FoldingRange[] {
  return markdownFolds(linesOf(document)).map(
    ({ start, end }) => new vscode.FoldingRange(start, end),
  );
}

function* linesOf(document: vscode.TextDocument): Iterable<string> {
  for (let line = 0; line < document.lineCount; line += 1) yield document.lineAt(line).text;
}

async function previewMarkdown(
  schemes: readonly string[],
  uri: vscode.Uri | undefined,
): Promise<void> {
  const name = uri?.path.split('/').at(-1) ?? '';
  const isMarkdown = languageOfDocument(name) === language;
  if (uri === undefined || !isMarkdown || !schemes.includes(uri.scheme)) {
    notify('information', l10n.t('Open a Markdown result first, then its preview.'));
    return;
  }
  try {
    await vscode.commands.executeCommand('markdown.showPreview', uri);
  } catch {
    // The preview belongs to a built-in extension, which can be disabled.
    notify('warning', l10n.t('VS Code’s Markdown preview is not available in this window.'));
  }
}

/**
 * Limits the corrections per document, so that another extension that insists on its own language
 * does not keep both busy.
 */
const maxCorrections = 20;

/**
 * The second barrier around server content, after the names and languages in the manifest.
 * Workspace settings can associate any name with any editor or language, and the user can choose
 * one by hand. Such a tab is closed and opened in an allowed editor, and such a document gets its
 * own language back.
 */
class DocumentGuard implements vscode.Disposable {
  readonly #schemes: readonly string[];
  readonly #subscriptions: readonly vscode.Disposable[];
  /** Number of corrections per document, for the lifetime of this window. */
  readonly #corrections = new WeakMap<vscode.TextDocument, number>();

  constructor(schemes: readonly string[]) {
    this.#schemes = schemes;
    this.#subscriptions = [
      vscode.workspace.onDidOpenTextDocument((document) => void this.#setLanguage(document)),
      vscode.window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
        for (const tab of [...opened, ...changed]) void this.#check(tab);
      }),
    ];
    for (const document of vscode.workspace.textDocuments) void this.#setLanguage(document);
    for (const { tabs } of vscode.window.tabGroups.all)
      for (const tab of tabs) void this.#check(tab);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #setLanguage(document: vscode.TextDocument): Promise<void> {
    const { uri, languageId } = document;
    if (!this.#schemes.includes(uri.scheme) || languageId === linklessLanguage) return;
    const wanted = languageOfDocument(posix.basename(uri.path)) ?? textLanguage;
    const corrections = this.#corrections.get(document) ?? 0;
    if (languageId === wanted || corrections >= maxCorrections) return;
    this.#corrections.set(document, corrections + 1);
    await vscode.languages.setTextDocumentLanguage(document, wanted).then(undefined, () => {
      // The document was closed in the meantime.
    });
  }

  async #check(tab: vscode.Tab): Promise<void> {
    const uris = foreignEditorOf(tab);
    const [uri, other] = uris;
    if (uri === undefined || !uris.some(({ scheme }) => this.#schemes.includes(scheme))) return;
    const viewColumn = tab.group.viewColumn;
    await vscode.window.tabGroups.close(tab);
    notify('information', l10n.t('Results open only in VS Code’s text editor and previews.'));
    if (other === undefined) await openInAllowedEditor(uri, undefined, { viewColumn });
    else await compareInAllowedEditor([uri, other], tab.label);
  }
}

/** Returns the URIs that the tab shows in an editor that is not allowed. */
function foreignEditorOf({ input }: vscode.Tab): readonly vscode.Uri[] {
  if (input instanceof vscode.TabInputNotebook) return [input.uri];
  if (input instanceof vscode.TabInputNotebookDiff) return [input.original, input.modified];
  if (!(input instanceof vscode.TabInputCustom)) return [];
  const { viewType, uri } = input;
  // The page shows only whole answers and definitions.
  const isShown = uri.authority === toolAuthority || isOverviewName(uri.path);
  const isOurs = viewType === answerEditor ? isShown : allowedEditors.has(viewType);
  return isOurs ? [] : [uri];
}

import * as l10n from '@vscode/l10n';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { isOverviewName, languageOfDocument } from '../../core/content/documentNames';
import { answerEditor, linklessLanguage, textLanguage } from '../../ids';
import { tell } from '../editor/messages';
import {
  allowedEditors,
  compareInAllowedEditor,
  openInAllowedEditor,
} from '../editor/allowedEditors';

/** Another extension that insists on a language of its own does not keep both of us busy. */
const maxCorrections = 20;

/**
 * The second barrier around what came from servers; names and languages of the manifest are the
 * first. Settings of a workspace can associate any name with any editor or language, and so can
 * whoever picks one by hand: such a tab is closed and opened in an editor of the list, and such a
 * document gets its own language back.
 */
export class DocumentGuard implements vscode.Disposable {
  readonly #schemes: readonly string[];
  readonly #subscriptions: readonly vscode.Disposable[];
  /** By document; forgotten with this window. */
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
      // It was closed in the meantime.
    });
  }

  async #check(tab: vscode.Tab): Promise<void> {
    const uris = foreignEditorOf(tab);
    const [uri, other] = uris;
    if (uri === undefined || !uris.some(({ scheme }) => this.#schemes.includes(scheme))) return;
    const viewColumn = tab.group.viewColumn;
    await vscode.window.tabGroups.close(tab);
    tell('information', l10n.t('Results open only in VS Code’s text editor and previews.'));
    if (other === undefined) await openInAllowedEditor(uri, undefined, { viewColumn });
    else await compareInAllowedEditor([uri, other], tab.label);
  }
}

/** What the tab shows in an editor that is not on the list. */
function foreignEditorOf({ input }: vscode.Tab): readonly vscode.Uri[] {
  if (input instanceof vscode.TabInputNotebook) return [input.uri];
  if (input instanceof vscode.TabInputNotebookDiff) return [input.original, input.modified];
  if (!(input instanceof vscode.TabInputCustom)) return [];
  const { viewType, uri } = input;
  // The page is for answers as a whole.
  const isOurs =
    viewType === answerEditor ? isOverviewName(uri.path) : allowedEditors.has(viewType);
  return isOurs ? [] : [uri];
}

import * as l10n from '@vscode/l10n';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { isOverviewName, languageOfDocument } from '../../core/content/documentNames';
import { answerEditor, linklessLanguage, textLanguage } from '../../ids';
import { notify } from '../editor/messages';
import {
  allowedEditors,
  compareInAllowedEditor,
  openInAllowedEditor,
} from '../editor/allowedEditors';

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
export class DocumentGuard implements vscode.Disposable {
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
  // The answer page shows only whole answers.
  const isOurs =
    viewType === answerEditor ? isOverviewName(uri.path) : allowedEditors.has(viewType);
  return isOurs ? [] : [uri];
}

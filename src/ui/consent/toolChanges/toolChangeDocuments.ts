import * as vscode from 'vscode';
import { definitionScheme } from '../../../ids';
import { toFileName } from '../../arguments/fileName';
import { compareInAllowedEditor } from '../../editor/allowedEditors';

/**
 * Tool definitions as read-only documents, alone or as a diff of before and after. Each shows the
 * definition at the time of opening, and is removed when its tab is closed.
 */
export class ToolChangeDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #subscriptions: vscode.Disposable;
  #count = 0;

  constructor() {
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(definitionScheme, this),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const uri of closed.flatMap(definitionsOf)) this.#texts.delete(uri.toString());
      }),
    );
    // Tabs that a reload of the window restored have lost their text.
    const stale = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter((tab) => definitionsOf(tab).length > 0);
    void vscode.window.tabGroups.close(stale);
  }

  async showDiff(toolName: string, title: string, before: string, after: string): Promise<void> {
    const [left, right] = [this.#add(toolName, before), this.#add(toolName, after)];
    await compareInAllowedEditor([left, right], title);
  }

  async show(toolName: string, text: string): Promise<void> {
    await vscode.window.showTextDocument(this.#add(toolName, text), { preview: false });
  }

  /** Returns `undefined` for other documents of this scheme, which have other providers. */
  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.#texts.get(uri.toString());
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#texts.clear();
  }

  #add(toolName: string, text: string): vscode.Uri {
    this.#count += 1;
    const path = `/${this.#count}/${toFileName(toolName)}.definition.txt`;
    const uri = vscode.Uri.from({ scheme: definitionScheme, path });
    this.#texts.set(uri.toString(), text);
    return uri;
  }
}

function definitionsOf({ input }: vscode.Tab): vscode.Uri[] {
  const uris =
    input instanceof vscode.TabInputTextDiff
      ? [input.original, input.modified]
      : input instanceof vscode.TabInputText
        ? [input.uri]
        : [];
  return uris.filter(({ scheme }) => scheme === definitionScheme);
}

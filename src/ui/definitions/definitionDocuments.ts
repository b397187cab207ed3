import * as vscode from 'vscode';
import { definitionScheme } from '../../ids';
import { toFileName } from '../arguments/fileName';

const authority = 'tool';

/**
 * Tool definitions as read-only documents, one for each tool. A document is rewritten when it is
 * shown again, and removed when its tab is closed.
 */
export class DefinitionDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #places = new Map<string, number>();
  readonly #subscriptions: vscode.Disposable;

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;

  constructor() {
    this.#subscriptions = vscode.Disposable.from(
      this.#onDidChange,
      vscode.workspace.registerTextDocumentContentProvider(definitionScheme, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
    );
  }

  async show(
    serverId: string,
    toolName: string,
    text: string,
    preserveFocus: boolean,
  ): Promise<void> {
    const key = JSON.stringify([serverId, toolName]);
    const place = this.#places.get(key) ?? this.#places.size + 1;
    this.#places.set(key, place);
    const path = `/${place}/${toFileName(toolName)}.definition.txt`;
    const uri = vscode.Uri.from({ scheme: definitionScheme, authority, path });
    this.#texts.set(uri.toString(), text);
    this.#onDidChange.fire(uri);
    await vscode.window.showTextDocument(uri, { preview: true, preserveFocus });
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.#texts.get(uri.toString());
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#texts.clear();
  }
}

import * as vscode from 'vscode';
import { views } from '../../ids';
import { type RegistryView, ServerTree } from './serverTree';
import { serverCollapsibleState, toolCountWords } from './serverTreeItems';
import type { ToolFilterState } from './toolFilterState';
import { toolFilterWords } from './toolFilterWords';
import type { Row, ServerRow } from './treeRows';

/** The view `Servers and Tools`: the tree, and above it the filter while there is one. */
export class ServerTreeView implements vscode.Disposable {
  readonly tree: ServerTree;
  readonly #view: vscode.TreeView<Row>;
  readonly #filter: ToolFilterState;
  readonly #subscriptions: readonly vscode.Disposable[];
  /** Servers whose row could be opened when the view was last told. */
  readonly #openable = new Set<string>();
  readonly #toOpen = new Set<ServerRow>();

  constructor(registry: RegistryView, filter: ToolFilterState) {
    this.#filter = filter;
    this.tree = new ServerTree(registry, filter);
    this.#view = vscode.window.createTreeView(views.servers, {
      treeDataProvider: this.tree,
      showCollapseAll: true,
    });
    this.#subscriptions = [
      this.tree.onDidChangeTreeData((rows) => {
        this.#showMessage();
        this.#openNew(rows ?? this.tree.getChildren());
      }),
      this.#view.onDidChangeVisibility(() => {
        this.#open();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        this.#showMessage();
      }),
    ];
    this.#showMessage();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#view.dispose();
    this.tree.dispose();
  }

  #showMessage(): void {
    // The empty state says it itself.
    const isRestricted = !vscode.workspace.isTrusted && this.tree.model.roots().length > 0;
    // An empty message is none.
    this.#view.message = [
      ...(isRestricted ? [restrictedMessage()] : []),
      ...this.#filterMessage(),
    ].join(' ');
  }

  #filterMessage(): readonly string[] {
    if (!this.#filter.isFiltering) return [];
    const { shown, all } = this.tree.model.totals();
    const words = toolFilterWords(this.#filter.current);
    return [vscode.l10n.t('Filter: {0} · {1}', words, toolCountWords(shown, all))];
  }

  /** VS Code opens a row by its item only when it first draws it: a server that starts stays shut. */
  #openNew(rows: readonly Row[]): void {
    for (const row of rows) {
      if (row.kind !== 'server') continue;
      const state = serverCollapsibleState(row, this.tree.model);
      const wasOpenable = this.#openable.has(row.serverId);
      if (state === vscode.TreeItemCollapsibleState.None) this.#openable.delete(row.serverId);
      else this.#openable.add(row.serverId);
      if (state === vscode.TreeItemCollapsibleState.Expanded && !wasOpenable) this.#toOpen.add(row);
    }
    this.#open();
  }

  /** Waits until the view is visible: opening a row would bring the view to the front. */
  #open(): void {
    if (!this.#view.visible) return;
    const rows = [...this.#toOpen];
    this.#toOpen.clear();
    for (const row of rows) {
      const opened = this.#view.reveal(row, { expand: true, select: false, focus: false });
      // The row may be gone by now, and then there is nothing to open.
      opened.then(undefined, () => undefined);
    }
  }
}

function restrictedMessage(): string {
  return vscode.l10n.t('Restricted Mode: no server starts until you trust this workspace.');
}

import * as vscode from 'vscode';
import { views } from '../ids';
import { type RegistryView, ServerTree } from './serverTree';
import { toolCountWords } from './serverTreeItems';
import type { ToolFilterState } from './toolFilterState';
import { toolFilterWords } from './toolFilterWords';
import type { Row } from './treeRows';

/** The view `Servers and Tools`: the tree, and above it the filter while there is one. */
export class ServerTreeView implements vscode.Disposable {
  readonly tree: ServerTree;
  readonly #view: vscode.TreeView<Row>;
  readonly #filter: ToolFilterState;
  readonly #subscription: vscode.Disposable;

  constructor(registry: RegistryView, filter: ToolFilterState) {
    this.#filter = filter;
    this.tree = new ServerTree(registry, filter);
    this.#view = vscode.window.createTreeView(views.servers, {
      treeDataProvider: this.tree,
      showCollapseAll: true,
    });
    this.#subscription = this.tree.onDidChangeTreeData(() => {
      this.#showFilter();
    });
    this.#showFilter();
  }

  /** The row that the person selected, for commands that the palette runs without one. */
  get selection(): Row | undefined {
    return this.#view.selection[0];
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#view.dispose();
    this.tree.dispose();
  }

  #showFilter(): void {
    const { shown, all } = this.tree.model.totals();
    // An empty message is none.
    this.#view.message = this.#filter.isFiltering
      ? vscode.l10n.t(
          'Filter: {0} · {1}',
          toolFilterWords(this.#filter.current),
          toolCountWords(shown, all),
        )
      : '';
  }
}

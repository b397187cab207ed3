import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ToolSets } from '../../host/agents/toolSets';
import { visibleText, withoutIcons } from '../../core/visibleText';
import { commands } from '../../ids';

/** Places it after the entry for agents, who see the tool set. */
const priority = 48;
const maxShownChars = 30;

/** Shows the selected tool set if any are defined. A click selects another one. */
export class ToolSetStatus implements vscode.Disposable {
  readonly #sets: Pick<ToolSets, 'sets' | 'chosen' | 'onDidChange'>;
  readonly #item: vscode.StatusBarItem;
  readonly #subscription: { dispose(): void };

  constructor(sets: Pick<ToolSets, 'sets' | 'chosen' | 'onDidChange'>) {
    this.#sets = sets;
    const left = vscode.StatusBarAlignment.Left;
    this.#item = vscode.window.createStatusBarItem(commands.selectToolSet, left, priority);
    this.#item.name = l10n.t('Tool Set');
    this.#item.command = commands.selectToolSet;
    this.#subscription = sets.onDidChange(() => this.#show());
    this.#show();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #show(): void {
    const { chosen, sets } = this.#sets;
    if (chosen === undefined && sets.size === 0) {
      this.#item.hide();
      return;
    }
    const isGone = chosen !== undefined && !sets.has(chosen);
    const words =
      chosen === undefined ? l10n.t('All Tools') : withoutIcons(visibleText(chosen, maxShownChars));
    this.#item.text = `$(tools) ${words}`;
    this.#item.tooltip = isGone
      ? l10n.t('This tool set no longer exists, so no tool is shown. Click to choose another one.')
      : l10n.t('Limits the tools that the tree and agents show. Click to choose another tool set.');
    const warning = new vscode.ThemeColor('statusBarItem.warningBackground');
    this.#item.backgroundColor = isGone ? warning : undefined;
    this.#item.accessibilityInformation = {
      label: isGone
        ? l10n.t('Tool set {0} is missing: no tool is shown', words)
        : l10n.t('Tool set: {0}', words),
    };
    this.#item.show();
  }
}

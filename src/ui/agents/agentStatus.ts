import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../../ids';

const priority = 49;

/**
 * Shows that agents are allowed, and how many are connected. A click selects the servers that they
 * may use.
 */
export class AgentStatus implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;

  constructor() {
    const left = vscode.StatusBarAlignment.Left;
    this.#item = vscode.window.createStatusBarItem(commands.exposeToAgents, left, priority);
    this.#item.name = l10n.t('Agents');
    this.#item.command = commands.exposeToAgents;
  }

  /** `undefined` means that agents are not allowed. */
  show(count: number | undefined): void {
    if (count === undefined) {
      this.#item.hide();
      return;
    }
    const words = count === 1 ? l10n.t('1 agent') : l10n.t('{0} agents', String(count));
    this.#item.text = `$(plug) ${words}`;
    this.#item.tooltip = l10n.t('Choose What Agents Can Use');
    this.#item.accessibilityInformation = {
      label: l10n.t('{0} connected to Toolgate', words),
    };
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }
}

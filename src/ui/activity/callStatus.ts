import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { RunningCalls } from '../../host/calls/runningCalls';
import { views } from '../../ids';

/** Faster calls show nothing, because an item that flashes up is distracting. */
const noticeableMs = 500;
/** Places the item to the left of the progress items of other extensions. */
const priority = 50;

/**
 * Shows the number of running calls in the status bar; clicking it shows them. Hidden when no call
 * runs.
 */
export class CallStatus implements vscode.Disposable {
  readonly #calls: Pick<RunningCalls, 'running' | 'onDidChange'>;
  readonly #item: vscode.StatusBarItem;
  readonly #subscription: { dispose(): void };
  #timer: NodeJS.Timeout | undefined;

  constructor(calls: Pick<RunningCalls, 'running' | 'onDidChange'>) {
    this.#calls = calls;
    const left = vscode.StatusBarAlignment.Left;
    this.#item = vscode.window.createStatusBarItem(views.activity, left, priority);
    this.#item.name = l10n.t('Running MCP Tool Calls');
    this.#item.command = `${views.activity}.focus`;
    this.#subscription = calls.onDidChange(() => this.#update());
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscription.dispose();
    this.#item.dispose();
  }

  /** Calls with an open dialog are visible already. */
  get #count(): number {
    return this.#calls.running.filter(
      ({ phase, taskPlace }) =>
        (phase === 'waiting' || phase === 'running') && taskPlace === 'here',
    ).length;
  }

  #update(): void {
    const count = this.#count;
    if (count > 0) {
      const text = formatCallCount(count);
      this.#item.text = `$(sync~spin) ${text}`;
      this.#item.tooltip = l10n.t('Show Running Calls');
      this.#item.accessibilityInformation = { label: l10n.t('{0} running', text) };
      this.#timer ??= setTimeout(() => this.#item.show(), noticeableMs);
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#item.hide();
  }
}

export function formatCallCount(count: number): string {
  return count === 1 ? l10n.t('1 call') : l10n.t('{0} calls', count);
}

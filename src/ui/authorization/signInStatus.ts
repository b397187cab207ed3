import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../core/visibleText';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import { commands } from '../../ids';
import { markOwnArgument } from '../editor/ownArguments';
import { quoted } from '../format/sentences';

const maxNames = 5;

/**
 * A status bar entry for servers that need a sign-in that was not started by the user: after the
 * window opened, after a restart, or on a call of another extension. Clicking it asks.
 */
export class SignInStatus implements vscode.Disposable {
  readonly #registry: Pick<ServerRegistry, 'servers' | 'onDidChange'>;
  readonly #item: vscode.StatusBarItem;
  readonly #subscription: { dispose(): void };

  constructor(registry: Pick<ServerRegistry, 'servers' | 'onDidChange'>) {
    this.#registry = registry;
    this.#item = vscode.window.createStatusBarItem('signIn', vscode.StatusBarAlignment.Left);
    this.#item.name = l10n.t('Toolgate: Sign-In Required');
    this.#subscription = registry.onDidChange(() => this.#show());
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #show(): void {
    const waiting = this.#registry.servers.filter(
      ({ signIn, isDisabled }) => signIn?.kind === 'needed' && isDisabled !== true,
    );
    const [first] = waiting;
    if (first === undefined) {
      this.#item.hide();
      return;
    }
    const title = l10n.t('Sign In');
    this.#item.text = `$(key) ${formatWaiting(waiting)}`;
    this.#item.tooltip = escapeIcons(formatNames(waiting));
    const args = waiting.length === 1 ? [markOwnArgument({ serverId: first.config.id })] : [];
    this.#item.command = { title, command: commands.signIn, arguments: args };
    this.#item.accessibilityInformation = { label: formatNames(waiting), role: 'button' };
    this.#item.show();
  }
}

function formatWaiting(waiting: readonly Server[]): string {
  const [first] = waiting;
  if (waiting.length > 1) return l10n.t('Sign-in required: {0} servers', waiting.length);
  return l10n.t('Sign-in required: {0}', escapeIcons(quoted(first?.config.label)));
}

function formatNames(waiting: readonly Server[]): string {
  const names = waiting.slice(0, maxNames).map(({ config }) => quoted(config.label));
  const list = waiting.length > names.length ? [...names, '…'] : names;
  return l10n.t('Waiting for you to sign in: {0}. Click to continue.', list.join(', '));
}

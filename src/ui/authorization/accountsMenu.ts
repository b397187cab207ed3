import * as l10n from '@vscode/l10n';
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { SecretAuthorizationStore } from '../../host/authorization/secretAuthorizationStore';
import type { StoredAccount, RevokeGrant } from '../../host/authorization/storedAuthorizations';
import { visibleText } from '../../core/visibleText';
import { authenticationProvider } from '../../ids';
import { notifySignedOut } from './accountCommands';
import { hostOf } from './formatSignIn';

const maxLabelChars = 100;

/**
 * Lists our sign-ins in VS Code's Accounts menu, where the user can sign out. Any extension may
 * request these sessions, so their tokens are empty and no session is created on request.
 */
export class AccountsMenu implements vscode.AuthenticationProvider, vscode.Disposable {
  readonly #kept: Pick<SecretAuthorizationStore, 'accounts' | 'signOut' | 'onDidChange'>;
  readonly #revoke: RevokeGrant;
  #shown: readonly vscode.AuthenticationSession[] = [];
  readonly #subscriptions: readonly { dispose(): void }[];

  readonly #onDidChangeSessions =
    new vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>();
  readonly onDidChangeSessions = this.#onDidChangeSessions.event;

  constructor(
    kept: Pick<SecretAuthorizationStore, 'accounts' | 'signOut' | 'onDidChange'>,
    revoke: RevokeGrant,
  ) {
    this.#kept = kept;
    this.#revoke = revoke;
    this.#subscriptions = [
      this.#onDidChangeSessions,
      kept.onDidChange(() => void this.#compare()),
      vscode.authentication.registerAuthenticationProvider(
        authenticationProvider,
        l10n.t('Toolgate'),
        this,
        { supportsMultipleAccounts: true },
      ),
    ];
  }

  /** Answers from memory and shows no question. */
  async getSessions(): Promise<vscode.AuthenticationSession[]> {
    const accounts = await this.#kept.accounts();
    this.#shown = accounts.map(toSession);
    return [...this.#shown];
  }

  createSession(): Promise<never> {
    const sentence = l10n.t(
      'Toolgate does not share its sign-ins. Sign in from the row of a server.',
    );
    return Promise.reject(new Error(sentence));
  }

  /** VS Code has asked the user. The tokens are revoked as by our own command. */
  async removeSession(id: string): Promise<void> {
    const accounts = await this.#kept.accounts();
    const account = accounts.find((each) => idOf(each) === id);
    const done = account && (await this.#kept.signOut(account, this.#revoke));
    if (done !== undefined) notifySignedOut(done);
    await this.#compare();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #compare(): Promise<void> {
    const before = this.#shown;
    const now = await this.getSessions();
    const added = now.filter(({ id }) => !before.some((each) => each.id === id));
    const removed = before.filter(({ id }) => !now.some((each) => each.id === id));
    if (added.length + removed.length === 0) return;
    this.#onDidChangeSessions.fire({ added, removed, changed: [] });
  }
}

function toSession(account: StoredAccount): vscode.AuthenticationSession {
  const id = idOf(account);
  // The menu would merge sessions with equal labels.
  const label = `${visibleText(account.label, maxLabelChars)} – ${hostOf(account.resource)}`;
  return { id, accessToken: '', account: { id, label }, scopes: [] };
}

function idOf({ issuer, resource, account }: StoredAccount): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, resource, account]))
    .digest('hex');
}

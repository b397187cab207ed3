import * as l10n from '@vscode/l10n';
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { toMcpError } from '../../core/errors';
import { visibleText } from '../../core/visibleText';
import type { SecretAuthorizationStore } from '../../host/authorization/secretAuthorizationStore';
import { shownAccount } from '../../host/authorization/signInTiming';
import type {
  StoredAccount,
  RevokeGrant,
  SignOutResult,
} from '../../host/authorization/storedAuthorizations';
import { isActive, type Server } from '../../host/connections/snapshot';
import type { ConsentRecorder } from '../../host/journal/callRecorder';
import { type CommandId, commands, authenticationProvider } from '../../ids';
import { askInDialog } from '../editor/askInDialog';
import { notify, notifyServerError } from '../editor/messages';
import { markOwnArgument } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import { labelText } from '../format/labelText';
import { formatClient, hostOf, accountLines } from './formatSignIn';
import { givenRegistration } from './signInAgent';
import { registerHttpServerCommand, type SignInCommandsOptions } from './signInCommands';
import { askForClient } from './signInDialogs';
import type { KnownSignIn } from './signIns';

interface AccountCommandsOptions extends SignInCommandsOptions {
  readonly kept: Pick<SecretAuthorizationStore, 'signOut'>;
  readonly revoke: RevokeGrant;
  readonly acts: Pick<ConsentRecorder, 'signIn'>;
}

const maxLabelChars = 200;
const maxAddressChars = 300;
const maxNameChars = 100;

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
  const label = `${visibleText(account.label, maxNameChars)} – ${hostOf(account.resource)}`;
  return { id, accessToken: '', account: { id, label }, scopes: [] };
}

function idOf({ issuer, resource, account }: StoredAccount): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, resource, account]))
    .digest('hex');
}

/** Registers Sign Out, Switch Account…, the client id of a server, and the facts of its sign-in. */
export function registerAccountCommands(parts: AccountCommandsOptions): vscode.Disposable {
  return vscode.Disposable.from(
    registerHttpServerCommand(parts, commands.signOut, l10n.t('Sign Out'), (server) =>
      signOut(parts, server),
    ),
    registerHttpServerCommand(parts, commands.switchAccount, l10n.t('Switch Account'), (server) =>
      switchAccount(parts, server),
    ),
    registerHttpServerCommand(
      parts,
      commands.useClientId,
      l10n.t('Use Another Client ID'),
      (server) => useClientId(parts, server),
    ),
    registerHttpServerCommand(
      parts,
      commands.forgetClient,
      l10n.t('Forget Client Registration'),
      (server) => forgetClient(parts, server),
    ),
    registerHttpServerCommand(
      parts,
      commands.showAuthorization,
      l10n.t('Authorization Details'),
      (server) => showDetails(parts, server),
    ),
  );
}

async function signOut(parts: AccountCommandsOptions, { config }: Server): Promise<void> {
  const known = parts.signIns.storeOf(config);
  const account = known && (await pickAccount(known, config.label));
  if (account === 'none' || known === undefined) return notifyNobody(config.label);
  if (account === undefined || !(await agreesToSignOut(config.label, account))) return;
  const { states, actions, registry, revoke, kept, acts } = parts;
  const isChosen = (await known.store.chosen(known.url))?.account === account.account;
  try {
    const done = isChosen
      ? await known.store.signOut(known.url, revoke)
      : await kept.signOut(account, revoke);
    if (done !== undefined) acts.signIn('signedOut', config, account.issuer, []);
    if (isChosen) {
      const isIdle = registry.find(config.id)?.state.kind === 'stopped';
      if (!isIdle) await actions.stop(config.id);
      states.set(config.id, { kind: 'signedOut' });
    }
    if (done !== undefined) notifySignedOut(done);
  } catch (error) {
    notifyServerError(config, toMcpError(error));
  }
}

/** Returns the account in use if there is no other, and `undefined` if the picker is closed. */
async function pickAccount(
  { store, url }: Pick<KnownSignIn, 'store' | 'url'>,
  label: string,
): Promise<StoredAccount | 'none' | undefined> {
  const accounts = await store.accounts(url);
  const [first, second] = accounts;
  if (second === undefined) return first ?? 'none';
  const title = l10n.t('Sign Out of “{0}”', visibleText(label, maxLabelChars));
  const current = await store.chosen(url);
  const items = accounts.map((account) => accountItem(account, current?.account));
  return (await vscode.window.showQuickPick(items, { title }))?.account;
}

async function agreesToSignOut(server: string, account: StoredAccount): Promise<boolean> {
  const message = l10n.t(
    'Sign out “{0}” from server “{1}”?',
    visibleText(account.label, maxLabelChars),
    visibleText(server, maxLabelChars),
  );
  const detail = l10n.t(
    'Access is revoked at {0} if possible and removed in all windows. Your browser stays signed in.',
    hostOf(account.issuer),
  );
  return askInDialog(message, detail, l10n.t('Sign Out'));
}

/** Says how the sign-out went and what is still valid at the server. */
function notifySignedOut({ account, notRevoked }: SignOutResult): void {
  const [name, host] = [quoted(account.label), quoted(hostOf(account.issuer))];
  if (notRevoked.length === 0) {
    notify('information', l10n.t('Signed out “{0}” and revoked access at {1}.', name, host));
    return;
  }
  notify(
    'warning',
    l10n.t(
      'Signed out “{0}”. {1} did not revoke everything; some access lasts until it expires.',
      name,
      host,
    ),
  );
}

interface CommandButton extends vscode.MessageItem {
  readonly command: CommandId;
}

interface AccountItem extends vscode.QuickPickItem {
  readonly account?: StoredAccount;
}

function accountItem(account: StoredAccount, current: string | undefined) {
  return {
    label: labelText(account.label),
    description: account.account === current ? l10n.t('in use') : '',
    account,
  };
}

async function switchAccount(parts: AccountCommandsOptions, server: Server): Promise<void> {
  const { config } = server;
  const known = parts.signIns.storeOf(config);
  if (known === undefined) return;
  const { store, url } = known;
  const [accounts, current] = await Promise.all([store.accounts(url), store.chosen(url)]);
  const another = { label: l10n.t('Sign In with Another Account…'), alwaysShow: true };
  const items: AccountItem[] = [
    ...accounts.map((account) => accountItem(account, current?.account)),
    another,
  ];
  const title = l10n.t('Account for “{0}”', visibleText(config.label, maxLabelChars));
  const placeHolder = l10n.t('Used for this server in this workspace');
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder });
  if (picked === undefined) return;
  if (picked.account === undefined) {
    await signInAnew(parts, server);
    return;
  }
  if (picked.account.account === current?.account) return;
  await store.choose(url, picked.account.account);
  parts.states.forget(config.id);
  // The server may have started or ended while the user was asked.
  if (isActive(parts.registry.find(config.id))) await parts.actions.restart(config.id);
}

/** The server is restarted, because the next account must not see what the previous one could. */
async function signInAnew(parts: AccountCommandsOptions, server: Server): Promise<void> {
  const { signIns, actions, registry } = parts;
  const { id } = server.config;
  await signIns.withAnotherAccount(id, () =>
    isActive(registry.find(id)) ? actions.restart(id) : actions.start(id),
  );
}

async function useClientId(parts: AccountCommandsOptions, server: Server): Promise<void> {
  const place = await issuerOf(parts, server);
  if (place === undefined) return;
  const client = await askForClient(place.issuer);
  if (client === undefined) return;
  await place.store.keepRegistration(givenRegistration(place.issuer, client));
  const sentence = l10n.t(
    'The next sign-in to “{0}” uses this client ID.',
    quoted(server.config.label),
  );
  notify('information', sentence, {
    title: l10n.t('Sign In'),
    command: commands.switchAccount,
    arguments: [markOwnArgument({ serverId: server.config.id })],
  });
}

async function forgetClient(parts: AccountCommandsOptions, server: Server): Promise<void> {
  const place = await issuerOf(parts, server);
  if (place === undefined) return;
  const message = l10n.t('Forget the client registration at {0}?', hostOf(place.issuer));
  const detail = l10n.t(
    'The next sign-in registers again or asks for a client ID. Accounts stay signed in until they expire.',
  );
  const agrees = await askInDialog(message, detail, l10n.t('Forget'));
  if (agrees) await place.store.forgetRegistrations(place.issuer);
}

/** Returns the authorization server, as far as it is known. */
async function issuerOf({ signIns }: AccountCommandsOptions, { config }: Server) {
  const known = signIns.storeOf(config);
  const chosen = await known?.store.chosen(known.url);
  const issuer = chosen?.issuer ?? signIns.find(config.id)?.signIn.issuer;
  if (known !== undefined && issuer !== undefined) return { store: known.store, issuer };
  const sentence = l10n.t(
    'Sign in to “{0}” first. The question before the browser lets you enter another client ID.',
    quoted(config.label),
  );
  const title = l10n.t('Sign In');
  notify('information', sentence, {
    title,
    command: commands.signIn,
    arguments: [markOwnArgument({ serverId: config.id })],
  });
  return undefined;
}

async function showDetails({ signIns }: AccountCommandsOptions, { config }: Server): Promise<void> {
  const known = signIns.storeOf(config);
  const grant = await known?.store.grant(known.url);
  if (known === undefined || grant === undefined) return notifyNobody(config.label);
  const registration = await known.store.registration(grant.issuer);
  const detail = [
    l10n.t('Server: {0}', visibleText(known.url, maxAddressChars)),
    ...accountLines(shownAccount(grant)),
    l10n.t('Authorization server: {0}', visibleText(grant.issuer, maxAddressChars)),
    l10n.t('Audience: {0}', visibleText(grant.resource, maxAddressChars)),
    ...(registration === undefined ? [] : [l10n.t('Client: {0}', formatClient(registration.from))]),
    l10n.t('Client ID: {0}', visibleText(grant.clientId, maxAddressChars)),
    grant.revocationEndpoint === undefined
      ? l10n.t('Signing out cannot revoke access at the server.')
      : l10n.t('Signing out also revokes access at the server.'),
  ].join('\n');
  const message = l10n.t('Sign-in at “{0}”', visibleText(config.label, maxLabelChars));
  const out: CommandButton = { title: l10n.t('Sign Out…'), command: commands.signOut };
  const title = l10n.t('Switch Account…');
  const other: CommandButton = { title, command: commands.switchAccount };
  const options = { modal: true, detail };
  const pressed = await vscode.window.showInformationMessage(message, options, other, out);
  if (pressed !== undefined)
    await vscode.commands.executeCommand(pressed.command, markOwnArgument({ serverId: config.id }));
}

function notifyNobody(label: string): void {
  notify('information', l10n.t('You are not signed in to “{0}”.', quoted(label)));
}

import path from 'node:path';
import * as vscode from 'vscode';
import { OAuthAuthorization } from '../core/auth/oauthAuthorization';
import { revokeGrant } from '../core/auth/tokenRequests';
import type { ConnectionLog } from '../core/log';
import { SecretAuthorizationStore } from '../host/authorization/secretAuthorizationStore';
import { recordGrant, type ConsentRecorder } from '../host/journal/callRecorder';
import { SignInStates, SignInLeases, SignInOccasions } from '../host/authorization/signInTiming';
import type { RevokeGrant } from '../host/authorization/storedAuthorizations';
import { type ServerConfig, serverKey } from '../host/configuration/serverConfig';
import type { ServerRegistry } from '../host/connections/registry';
import { fingerprint } from '../host/consent/facts/fingerprints';
import type { SecretValues } from '../host/secrets/secretValues';
import { registerAccountCommands, AccountsMenu } from '../ui/authorization/accountCommands';
import { notifyAuthorizationProblem } from '../ui/authorization/authorizationProblems';
import { registerSignInCommands } from '../ui/authorization/signInCommands';
import { OpenSignIns } from '../ui/authorization/openSignIns';
import { SignIns } from '../ui/authorization/signIns';
import { SignInStatus } from '../ui/authorization/signInStatus';
import type { ServerActions } from '../ui/servers/serverActions';
import type { SettingsReader } from '../ui/settings/settings';
import type { Settings } from '../ui/settings/settingsCheck';

export interface AuthorizationPartsOptions {
  readonly context: Pick<vscode.ExtensionContext, 'secrets' | 'globalStorageUri'>;
  readonly values: SecretValues;
  readonly acts: Pick<ConsentRecorder, 'signIn'>;
  readonly logOf: (serverId: string) => ConnectionLog;
  readonly settings: Pick<SettingsReader, 'current'>;
}

/** Sign-in at servers: stored grants, the rules for asking, and the commands. */
export class AuthorizationParts implements vscode.Disposable {
  readonly states = new SignInStates();
  readonly occasions = new SignInOccasions();
  readonly signIns: SignIns;
  readonly #kept: SecretAuthorizationStore;
  readonly #acts: Pick<ConsentRecorder, 'signIn'>;
  readonly #openSignIns = new OpenSignIns();

  constructor({ context, values, acts, logOf, settings }: AuthorizationPartsOptions) {
    this.#acts = acts;
    const folder = path.join(context.globalStorageUri.fsPath, 'signIns');
    const workspace = workspaceName();
    this.#kept = new SecretAuthorizationStore({
      secrets: context.secrets,
      values,
      lockFolder: folder,
      ...(workspace === undefined ? {} : { workspace }),
      onProblem: notifyAuthorizationProblem,
    });
    this.signIns = new SignIns({
      kept: this.#kept,
      states: this.states,
      occasions: this.occasions,
      turns: new SignInLeases(folder),
      openSignIns: this.#openSignIns,
      clientDocument: () => documentOf(settings.current),
      make: ({ config, transport, store, agent, wantsAnother }) =>
        new OAuthAuthorization({
          serverUrl: transport.url,
          configuration: { ...transport.oauth, ...documentOf(settings.current) },
          store,
          agent,
          description: { name: 'Toolgate' },
          log: logOf(config.id),
          wantsAnother,
        }),
      onDidGrant: (...given) => recordGrant(acts, ...given),
    });
  }

  /** Registers the commands, the entries of the Accounts menu, and the state of rows. */
  register(parts: { registry: ServerRegistry; actions: ServerActions }): vscode.Disposable {
    const { states, occasions, signIns } = this;
    const { registry } = parts;
    const all = { ...parts, states, occasions, signIns, openSignIns: this.#openSignIns };
    return vscode.Disposable.from(
      states.onDidChange(() => registry.reassessMarks()),
      // Stops the servers of an account that was signed out, wherever that happened.
      this.#kept.onDidChange(() => signIns.noticeSignOuts((id) => registry.stop(id))),
      registerSignInCommands(all),
      registerAccountCommands({ ...all, revoke, kept: this.#kept, acts: this.#acts }),
      new AccountsMenu(this.#kept, revoke),
      new SignInStatus(registry),
    );
  }

  /** Identifies the account in use at a server, even if it was signed out since; empty for none. */
  async accountOf(config: ServerConfig): Promise<string> {
    if (config.transport.kind === 'stdio') return '';
    const key = await this.#kept.forServer(serverKey(config)).chosen(config.transport.url);
    return key === undefined ? '' : fingerprint([key.issuer, key.resource, key.account]);
  }

  dispose(): void {
    this.states.dispose();
    this.#kept.dispose();
  }
}

/** Sends the request to the grant's own server only. */
const revoke: RevokeGrant = (grant, registration) =>
  revokeGrant(grant, registration, grant.resource);

function documentOf({ clientDocument }: Settings): { readonly clientDocument?: string } {
  return clientDocument === '' ? {} : { clientDocument };
}

/** Identifies the open workspace, because accounts are chosen for each. */
function workspaceName(): string | undefined {
  const { workspaceFile, workspaceFolders } = vscode.workspace;
  return (workspaceFile ?? workspaceFolders?.[0]?.uri)?.toString();
}

import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import type { TokenGrant } from '../../core/auth/ports';
import { isSameJson } from '../../core/json/sameJson';

/** The state of the sign-in at one server. It contains no secrets. */
export type SignInState =
  /** The server requires a sign-in, and the user could not be asked, or declined. */
  | { readonly kind: 'needed' }
  /** The user is being asked, or is in the browser. */
  | { readonly kind: 'signingIn' }
  | { readonly kind: 'signedIn'; readonly account: SignedInAccount }
  /** The user signed out. The question does not appear again automatically. */
  | { readonly kind: 'signedOut' }
  /** Signed in, but the last request needed more scopes. */
  | {
      readonly kind: 'moreRights';
      readonly account: SignedInAccount;
      /** Missing scopes; untrusted, and empty if the server does not name them. */
      readonly scopes: readonly string[];
    };

/** Texts come from servers and are untrusted. */
export interface SignedInAccount {
  readonly label: string;
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
  /** True if it is renewed without the user. */
  readonly isRenewed: boolean;
  /** Set if the token is of use only with a key (RFC 9449). */
  readonly isBound?: true;
}

/** Returns the parts of a grant that may be shown. */
export function shownAccount(grant: TokenGrant): SignedInAccount {
  return {
    label: grant.accountLabel,
    issuer: grant.issuer,
    resource: grant.resource,
    scopes: grant.grantedScopes ?? grant.askedScopes,
    ...(grant.expiresAt === undefined ? {} : { expiresAt: grant.expiresAt }),
    isRenewed: grant.refreshToken !== undefined,
    ...(grant.proofKey === undefined ? {} : { isBound: true }),
  };
}

/** The state of the sign-in at each server, as far as this window knows. */
export class SignInStates implements Disposable {
  readonly #states = new Map<string, SignInState>();

  readonly #onDidChange = new Emitter<string>();
  /** Fires with the id of the server. */
  readonly onDidChange = this.#onDidChange.event;

  /** Returns `undefined` if no sign-in was needed so far. */
  of(serverId: string): SignInState | undefined {
    return this.#states.get(serverId);
  }

  set(serverId: string, state: SignInState): void {
    if (isSameJson(this.#states.get(serverId), state)) return;
    this.#states.set(serverId, state);
    this.#onDidChange.fire(serverId);
  }

  forget(serverId: string): void {
    if (this.#states.delete(serverId)) this.#onDidChange.fire(serverId);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }
}

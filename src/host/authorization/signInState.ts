import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import type { TokenGrant } from '../../core/auth/ports';
import { isSameJson } from '../../core/json/sameJson';

/** What is known of the sign-in at one server; nothing of it is secret. */
export type SignInState =
  /** It wants to know who asks, and nobody was to be asked, or the person did not want to. */
  | { readonly kind: 'needed' }
  /** The person is asked, or is in the browser. */
  | { readonly kind: 'signingIn' }
  | { readonly kind: 'signedIn'; readonly account: SignedInAccount }
  /** By the person; it is not asked about again by itself. */
  | { readonly kind: 'signedOut' }
  /** Signed in, and the last request needed more than that allows. */
  | {
      readonly kind: 'moreRights';
      readonly account: SignedInAccount;
      /** What is missing; untrusted, empty when the server does not say. */
      readonly scopes: readonly string[];
    };

/** Texts are those of servers: untrusted. */
export interface SignedInAccount {
  readonly label: string;
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Whether it is renewed without the person. */
  readonly isRenewed: boolean;
}

/** What of a grant may be shown. */
export function shownAccount(grant: TokenGrant): SignedInAccount {
  return {
    label: grant.accountLabel,
    issuer: grant.issuer,
    resource: grant.resource,
    scopes: grant.grantedScopes ?? grant.askedScopes,
    ...(grant.expiresAt === undefined ? {} : { expiresAt: grant.expiresAt }),
    isRenewed: grant.refreshToken !== undefined,
  };
}

/** The sign-in at each server, as far as this window has seen it. */
export class SignInStates implements Disposable {
  readonly #states = new Map<string, SignInState>();

  readonly #onDidChange = new Emitter<string>();
  /** Tells which server. */
  readonly onDidChange = this.#onDidChange.event;

  /** Absent: nothing was asked of it, or it does not want a sign-in. */
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

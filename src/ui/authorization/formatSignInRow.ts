import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import { visibleText, escapeIcons } from '../../core/visibleText';
import type { SignedInAccount, SignInState } from '../../host/authorization/signInTiming';
import type { Server } from '../../host/connections/connectionTools';
import { contextValues } from '../../ids';
import { hostOf, scopeList } from './formatSignIn';

const maxScopesChars = 60;
const maxAccountChars = 100;

/**
 * Returns what the row of a server says about its sign-in in place of `stopped`, or `undefined`.
 */
export function formatSignInRow({ signIn, state }: Server): string | undefined {
  switch (signIn?.kind) {
    case 'needed':
      return state.kind === 'failed' ? undefined : l10n.t('sign-in required');
    case 'signingIn':
      return l10n.t('signing in… waiting for browser');
    case 'signedOut':
      return l10n.t('signed out');
    case 'moreRights':
      return l10n.t('additional scopes required: {0}', scopesLine(signIn.scopes));
    case 'signedIn':
    case undefined:
      return undefined;
    default:
      return assertNever(signIn);
  }
}

/**
 * Returns the context value for the sign-in's actions, or `undefined` for those of the server's
 * state.
 */
export function signInContextValue({ signIn, state }: Server): string | undefined {
  const { kind } = signIn ?? {};
  if (kind === 'signingIn' && state.kind !== 'running') return contextValues.serverSigningIn;
  if (state.kind === 'stopped') {
    const isOut = kind === 'needed' || kind === 'signedOut';
    return isOut ? contextValues.serverSignInNeeded : undefined;
  }
  if (state.kind !== 'running' || kind === undefined) return undefined;
  const isSignedIn = kind === 'signedIn' || kind === 'moreRights';
  return isSignedIn ? contextValues.serverSignedIn : contextValues.serverRunningSignInNeeded;
}

/** True if the row shows the key icon: nothing failed, and the user can continue by signing in. */
export function isSignInAwaited({ signIn, state }: Server): boolean {
  if (state.kind === 'failed' || state.kind === 'starting') return false;
  return signIn?.kind === 'needed' || signIn?.kind === 'signedOut';
}

/**
 * Returns tooltip lines: which account is signed in, where, with which scopes and until when. They
 * contain untrusted text.
 */
export function signInTooltipLines(signIn: SignInState | undefined): string[] {
  switch (signIn?.kind) {
    case 'needed':
      return [l10n.t('Sign-in required. “Sign In” asks you before a browser opens.')];
    case 'signingIn':
      return [l10n.t('Waiting for you to sign in. The button on the row cancels it.')];
    case 'signedOut':
      return [l10n.t('Signed out. “Sign In” asks you before a browser opens.')];
    case 'signedIn':
      return accountLines(signIn.account);
    case 'moreRights':
      return [
        ...accountLines(signIn.account),
        l10n.t('Additional scopes required: {0}', scopesLine(signIn.scopes, maxAccountChars * 3)),
      ];
    case undefined:
      return [];
    default:
      return assertNever(signIn);
  }
}

export function accountLines(account: SignedInAccount): string[] {
  const { label, issuer, scopes, isBound, ...rest } = account;
  return [
    l10n.t('Signed in as: {0}', visibleText(label, maxAccountChars)),
    l10n.t('Signed in at: {0}', hostOf(issuer)),
    scopes.length === 0
      ? l10n.t('Scopes: chosen by the server')
      : l10n.t('Scopes: {0}', scopesLine(scopes, maxAccountChars * 3)),
    expiryLine(rest),
    ...(isBound === true ? [l10n.t('The token is bound to a key (DPoP).')] : []),
  ];
}

function expiryLine({
  expiresAt,
  isRenewed,
}: Pick<SignedInAccount, 'expiresAt' | 'isRenewed'>): string {
  if (expiresAt === undefined) return l10n.t('Valid until the server revokes it.');
  const time = new Date(expiresAt).toLocaleString();
  return isRenewed
    ? l10n.t('Valid until {0}, then renewed automatically.', time)
    : l10n.t('Valid until {0}. After that, sign in again.', time);
}

function scopesLine(scopes: readonly string[], maxChars = maxScopesChars): string {
  return escapeIcons(visibleText(scopeList(scopes).join(', '), maxChars));
}

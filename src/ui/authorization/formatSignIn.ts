import * as l10n from '@vscode/l10n';
import type { ClientRegistration, SignInQuestion } from '../../core/auth/ports';
import { isSameSite } from '../../core/auth/serverMetadata';
import { assertNever } from '../../core/errors';
import { assessUrl } from '../../core/input/elicitationUrl';
import { visibleText } from '../../core/visibleText';
import type { SignedInAccount, SignInState } from '../../host/authorization/signInTiming';
import type { Server } from '../../host/connections/snapshot';
import { contextValues } from '../../ids';
import { urlWarningSentence } from '../format/sentencesOfHttp';
import { labelText } from '../format/labelText';

const maxLabelChars = 200;
const maxAddressChars = 300;
const maxScopeChars = 100;
const maxScopes = 20;

/** Server text for a modal dialog, which renders neither icons nor links. */
const shown = (text: string, maxChars = maxAddressChars): string => visibleText(text, maxChars);

/**
 * True if the user should look twice: the site differs from the server's, or from the previous one.
 */
export function isUnusualSignIn({
  serverUrl,
  issuer,
  authorizationOrigin,
  reason,
}: SignInQuestion): boolean {
  return (
    reason === 'changedServer' ||
    !isSameSite(serverUrl, issuer) ||
    !isSameSite(serverUrl, authorizationOrigin)
  );
}

/** Returns the question in one line. */
export function signInMessage(label: string, { reason }: SignInQuestion): string {
  const server = shown(label, maxLabelChars);
  return {
    first: l10n.t('Sign in to server “{0}”?', server),
    again: l10n.t('Sign in to server “{0}”?', server),
    stepUp: l10n.t('Grant server “{0}” additional scopes?', server),
    changedServer: l10n.t('Server “{0}” now uses a different sign-in page. Sign in there?', server),
  }[reason];
}

/** Returns the facts for the user's decision, each on a line of its own. */
export function signInDetail(question: SignInQuestion): string {
  const { serverUrl, issuer, resource } = question;
  const isForeign = !isSameSite(serverUrl, issuer);
  return [
    l10n.t('Server: {0}', shown(serverUrl)),
    isForeign
      ? l10n.t('Sign-in page: {0}, a different site than the server', shown(issuer))
      : l10n.t('Sign-in page: {0}', hostOf(issuer)),
    ...pageLine(question),
    ...formerLine(question),
    ...warningLines(issuer),
    '',
    ...scopeLines(question),
    l10n.t('Audience: {0}', shown(resource)),
    l10n.t('Client: {0}', formatClient(question.client)),
    '',
    l10n.t('You sign in on that site. Toolgate never sees your password.'),
  ].join('\n');
}

/** Names the page if it is not on the authorization server itself. */
function pageLine({ issuer, authorizationOrigin }: SignInQuestion): string[] {
  if (isSameSite(issuer, authorizationOrigin)) return [];
  return [l10n.t('Page to open: {0}', shown(authorizationOrigin))];
}

function formerLine({ reason, formerIssuer }: SignInQuestion): string[] {
  if (reason !== 'changedServer' || formerIssuer === undefined) return [];
  return [l10n.t('Previously: {0}', shown(formerIssuer))];
}

/** Warns about characters that make one host look like another. */
function warningLines(issuer: string): string[] {
  const { warnings, unicodeHost } = assessUrl(issuer);
  return [
    ...(unicodeHost === undefined ? [] : [l10n.t('Encoded: {0}', shown(unicodeHost))]),
    ...warnings.filter((warning) => warning === 'punycode').map(urlWarningSentence),
  ];
}

function scopeLines({ scopes }: SignInQuestion): string[] {
  if (scopes.length === 0) return [l10n.t('Scopes: chosen by the server')];
  return [l10n.t('Scopes:'), ...scopeList(scopes).map((scope) => `  ${scope}`)];
}

/** Returns the scopes, safe to show. A long list is shortened. */
export function scopeList(scopes: readonly string[]): string[] {
  const list = scopes.slice(0, maxScopes).map((scope) => shown(scope, maxScopeChars));
  const rest = scopes.length - list.length;
  return rest > 0 ? [...list, l10n.t('and {0} more', rest)] : list;
}

/** Says how Toolgate identifies itself. */
export function formatClient(from: ClientRegistration['from']): string {
  return {
    configured: l10n.t('client ID from your configuration'),
    given: l10n.t('client ID that you entered'),
    document: l10n.t('client ID metadata document'),
    registered: l10n.t('registered automatically'),
  }[from];
}

export function hostOf(address: string): string {
  return URL.canParse(address) ? shown(new URL(address).host) : shown(address);
}

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
      return l10n.t('waiting for you to sign in');
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
      return [
        l10n.t(
          'Waiting for you to sign in: answer the question, or sign in on the page in the browser. “Cancel Sign-In” cancels it.',
        ),
      ];
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
  return labelText(scopeList(scopes).join(', '), maxChars);
}

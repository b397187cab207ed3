import * as l10n from '@vscode/l10n';
import { isSameSite } from '../../core/auth/serverMetadata';
import type { ClientRegistration, SignInQuestion } from '../../core/auth/ports';
import { assertNever } from '../../core/errors';
import { assessUrl } from '../../core/input/elicitationUrl';
import { visibleText } from '../../core/visibleText';
import { urlWarningSentence } from '../format/sentencesOfHttp';

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
  switch (reason) {
    case 'first':
    case 'again':
      return l10n.t('Sign in to server “{0}”?', server);
    case 'stepUp':
      return l10n.t('Grant server “{0}” additional scopes?', server);
    case 'changedServer':
      return l10n.t('Server “{0}” now uses a different sign-in page. Sign in there?', server);
    default:
      return assertNever(reason);
  }
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
  switch (from) {
    case 'configured':
      return l10n.t('client ID from your configuration');
    case 'given':
      return l10n.t('client ID that you entered');
    case 'document':
      return l10n.t('client ID metadata document');
    case 'registered':
      return l10n.t('registered automatically');
    default:
      return assertNever(from);
  }
}

export function hostOf(address: string): string {
  return URL.canParse(address) ? shown(new URL(address).host) : shown(address);
}

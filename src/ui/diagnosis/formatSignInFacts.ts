import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import type { ClientWay, StepFact } from '../../host/diagnosis/steps';
import { formatClient } from '../authorization/formatSignIn';
import { accountLines } from '../authorization/formatSignInRow';
import { codeText } from './codeText';

type SignInFact = Extract<
  StepFact,
  { kind: 'signInPlace' | 'signInServer' | 'clientId' | 'account' }
>;

/** Returns a step towards the sign-in as Markdown source, without values of tokens. */
export function formatSignInFact(fact: SignInFact): string[] {
  switch (fact.kind) {
    case 'signInPlace':
      return [
        l10n.t('Audience: {0}', codeText(fact.resource)),
        l10n.t('Sign-in page: {0}', fact.issuers.map(codeText).join(', ')),
      ];
    case 'signInServer':
      return [
        fact.isByCode
          ? l10n.t('{0}, which signs you in with a code that you enter.', codeText(fact.issuer))
          : l10n.t('{0}, which offers PKCE with S256.', codeText(fact.issuer)),
        fact.namesItself
          ? l10n.t('Its responses name the issuer (iss).')
          : l10n.t('Its responses do not name the issuer (iss).'),
        fact.revokes
          ? l10n.t('Signing out also revokes access at the server.')
          : l10n.t('Signing out cannot revoke access at the server.'),
      ];
    case 'clientId':
      return [wayWords(fact.way)];
    case 'account':
      return accountLines(fact.account).map(codeText);
    default:
      return assertNever(fact);
  }
}

function wayWords(way: ClientWay): string {
  if (way === 'register') return l10n.t('It registers Toolgate at the first sign-in.');
  if (way === 'entered') {
    return l10n.t(
      'It has no registration. Create an app there, and enter its client ID when you sign in.',
    );
  }
  return l10n.t('Client: {0}', formatClient(way));
}

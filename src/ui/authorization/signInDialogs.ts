import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isSameSite } from '../../core/auth/serverMetadata';
import type { SignInQuestion } from '../../core/auth/ports';
import { visibleText, escapeIcons } from '../../core/visibleText';
import { quoted } from '../format/sentences';
import { type StepAnswered, askLine, askSteps } from '../editor/stepInputs';
import { labelText } from '../format/labelText';
import { hostOf, isUnusualSignIn, scopeList, signInDetail, signInMessage } from './formatSignIn';

/** Closing a question gives `undefined` and means no. */
export type SignInAnswer = 'open' | 'copy' | 'otherClient' | undefined;

interface AnswerButton extends vscode.MessageItem {
  readonly answer: NonNullable<SignInAnswer>;
}

/**
 * Asks before the browser opens. Enter activates the first button, so on an unexpected site that
 * button opens nothing.
 */
export async function askToSignIn(label: string, question: SignInQuestion): Promise<SignInAnswer> {
  const open: AnswerButton = { title: l10n.t('Open Browser'), answer: 'open' };
  const copy: AnswerButton = { title: l10n.t('Copy Link'), answer: 'copy' };
  const title = l10n.t('Use Another Client ID…');
  const other: AnswerButton = { title, answer: 'otherClient' };
  const options = { modal: true, detail: signInDetail(question) };
  const message = signInMessage(label, question);
  const pressed = isUnusualSignIn(question)
    ? await vscode.window.showWarningMessage(message, options, copy, open, other)
    : await vscode.window.showInformationMessage(message, options, open, copy, other);
  return pressed?.answer;
}

/** Asks during a call, which waits and then continues. */
export async function askForMoreRights(
  label: string,
  { operation = '', addedScopes, issuer }: SignInQuestion,
): Promise<SignInAnswer> {
  const signIn = l10n.t('Sign In');
  const name = quoted(operation.replace(/^tools\/call /, ''));
  const host = quoted(hostOf(issuer));
  const scopes = escapeIcons(quoted(scopeList(addedScopes).join(', ')));
  const sentence =
    addedScopes.length === 0
      ? l10n.t('“{0}” on “{1}” requires a new sign-in at {2}.', name, quoted(label), host)
      : l10n.t(
          '“{0}” on “{1}” requires additional scopes: {2}. Sign in at {3} to grant them.',
          name,
          quoted(label),
          scopes,
          host,
        );
  const cancel = l10n.t('Cancel Call');
  const pressed = await vscode.window.showWarningMessage(sentence, signIn, cancel);
  return pressed === signIn ? 'open' : undefined;
}

/** Asks for one of several authorization servers. Returns `undefined` if the picker is closed. */
export async function pickIssuer(
  label: string,
  serverUrl: string,
  issuers: readonly string[],
  token: vscode.CancellationToken | undefined,
): Promise<string | undefined> {
  const items = issuers.map((issuer) => ({
    label: escapeIcons(hostOf(issuer)),
    description: isSameSite(serverUrl, issuer) ? '' : l10n.t('different site'),
    detail: labelText(issuer, maxIssuerChars),
    issuer,
  }));
  const title = l10n.t('Sign In to “{0}”', visibleText(label, maxLabelChars));
  const placeHolder = l10n.t('Choose the sign-in page of the server');
  const options = { title, placeHolder, ignoreFocusOut: true };
  return (await vscode.window.showQuickPick(items, options, token))?.issuer;
}

const maxIssuerChars = 300;
const maxLabelChars = 200;

export interface EnteredClient {
  readonly clientId: string;
  readonly clientSecret?: string;
}

/**
 * Asks for a client id and its optional secret. Returns `undefined` if one of the boxes is closed.
 */
export async function askForClient(
  issuer: string,
  token?: vscode.CancellationToken,
): Promise<EnteredClient | undefined> {
  let clientId = '';
  let clientSecret = '';
  const end = await askSteps([
    async () => {
      const answer = await askClientId(issuer, clientId, token);
      clientId = answer.value ?? '';
      return answer.end;
    },
    async (hasBack) => {
      const answer = await askLine({
        title: l10n.t('Client ID at {0}', hostOf(issuer)),
        prompt: l10n.t(
          'Client secret; leave it empty if there is none. It is kept in secret storage.',
        ),
        value: clientSecret,
        isPassword: true,
        hasBack,
        token,
      });
      clientSecret = answer.value ?? '';
      return answer.end;
    },
  ]);
  if (end !== 'next') return undefined;
  return { clientId: clientId.trim(), ...(clientSecret === '' ? {} : { clientSecret }) };
}

function askClientId(
  issuer: string,
  value: string,
  token: vscode.CancellationToken | undefined,
): Promise<StepAnswered<string>> {
  return askLine({
    title: l10n.t('Client ID at {0}', hostOf(issuer)),
    prompt: l10n.t(
      'The client ID that the site assigned to your app. Its redirect URI is {0}, with any port.',
      'http://127.0.0.1/callback',
    ),
    value,
    problemOf: (text) => (text.trim() === '' ? l10n.t('Enter the client ID.') : undefined),
    hasBack: false,
    token,
  });
}

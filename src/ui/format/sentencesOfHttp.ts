import * as l10n from '@vscode/l10n';
import type { HttpErrorCode, McpErrorFacts, SignInStep } from '../../core/errors';
import { visibleText } from '../../core/visibleText';
import { answerTooLargeSentence } from './sentencesOfSizes';

type Sentence = (
  server: string,
  facts: McpErrorFacts,
) => { readonly title: string; readonly sentence: string };

/** Exhaustive by its type, like the words of the other codes. */
export const httpSentences: Record<HttpErrorCode, Sentence> = {
  unreachable: (server) => ({
    title: l10n.t('Not reachable'),
    sentence: l10n.t(
      'Server “{0}” was not reached. Check that it runs, its "url", and your proxy settings.',
      server,
    ),
  }),
  tlsError: (server) => ({
    title: l10n.t('Certificate not trusted'),
    sentence: l10n.t(
      'Server “{0}” was not reached: no secure connection. Check its certificate and "url".',
      server,
    ),
  }),
  connectionLost: (server, { outcomeUnknown }) => ({
    title: l10n.t('Connection broke'),
    sentence:
      outcomeUnknown === true
        ? l10n.t(
            'The connection to server “{0}” broke before it answered. Check that the server runs.',
            server,
          )
        : l10n.t(
            'The connection to server “{0}” broke before it answered. The request may have had an effect; check before you try again.',
            server,
          ),
  }),
  unauthorized: (server, facts) => ({
    title: l10n.t('Not authorized'),
    sentence:
      facts.offersNoSignIn === true
        ? noSignInSentence(server, facts)
        : l10n.t(
            'Server “{0}” did not accept your credentials. Check "headers" in its configuration, or enter its secrets again.',
            server,
          ),
  }),
  signInNeeded: (server) => ({
    title: l10n.t('Sign-in needed'),
    sentence: l10n.t('Server “{0}” needs a sign-in. You are asked before a browser opens.', server),
  }),
  signInFailed: (server, { signInStep = 'token' }) => ({
    title: l10n.t('Sign-in failed'),
    sentence: signInSentences[signInStep](server),
  }),
  scopeRefused: (server, { scopes = [] }) => ({
    title: l10n.t('Rights refused'),
    sentence:
      scopes.length === 0
        ? l10n.t(
            'Server “{0}” wants more rights than your sign-in gives. Ask its owner for access.',
            server,
          )
        : l10n.t(
            'Server “{0}” wants more rights than your sign-in gives: {1}. Ask its owner for access.',
            server,
            visibleText(scopes.join(', '), maxScopeChars),
          ),
  }),
  httpError: (server, facts) =>
    tooLargeStatuses.has(facts.httpStatus)
      ? tooLargeWords(server, facts)
      : httpErrorWords(server, facts),
  redirectRefused: (server) => ({
    title: l10n.t('Redirect not followed'),
    sentence: l10n.t(
      'Server “{0}” redirects to another address, which is not followed. If you trust it, write it as "url".',
      server,
    ),
  }),
  unexpectedContentType: (server) => ({
    title: l10n.t('Not a valid MCP answer'),
    sentence: l10n.t(
      'Server “{0}” answered with something else than MCP, such as a web page. Check "url".',
      server,
    ),
  }),
  answerTooLarge: (server, facts) => ({
    title: l10n.t('Answer too large'),
    sentence: answerTooLargeSentence(server, facts),
  }),
  sessionLost: (server, { outcomeUnknown }) => ({
    title: l10n.t('Session ended'),
    sentence:
      outcomeUnknown === true
        ? l10n.t(
            'Server “{0}” lost this session; it was probably restarted. Restart it here.',
            server,
          )
        : l10n.t(
            'Server “{0}” lost this session; it was probably restarted. Restart it here, then try again.',
            server,
          ),
  }),
};

function noSignInSentence(server: string, { detail = '' }: McpErrorFacts): string {
  return detail === ''
    ? l10n.t('Server “{0}” answered 401 Unauthorized. It offers no sign-in; add a header.', server)
    : l10n.t(
        'Server “{0}” answered 401 Unauthorized: “{1}”. It offers no sign-in.',
        server,
        detail,
      );
}

const maxScopeChars = 200;

/** By where it stopped; the words of whoever stopped it are in the log. */
const signInSentences: Record<SignInStep, (server: string) => string> = {
  resourceMetadata: (server) =>
    l10n.t(
      'Server “{0}” asks for a sign-in, but does not say where in a usable way. See its log.',
      server,
    ),
  serverMetadata: (server) =>
    l10n.t(
      'The sign-in server of “{0}” cannot be trusted as it describes itself. See the log.',
      server,
    ),
  client: (server) =>
    l10n.t(
      'The sign-in server of “{0}” did not register Toolgate. Enter your own client id as "oauth".',
      server,
    ),
  authorization: (server) =>
    l10n.t('The sign-in server of “{0}” has no address that is safe to open. See the log.', server),
  answer: (server) =>
    l10n.t(
      'Not signed in to server “{0}”: refused, or not a trusted answer. Try again, or see the log.',
      server,
    ),
  token: (server) =>
    l10n.t('Not signed in to server “{0}”: it gave no access. Try again, or see the log.', server),
  use: (server) =>
    l10n.t(
      'Server “{0}” refuses the sign-in it asked for. Ask its owner for access; see its log.',
      server,
    ),
};

/** "Content Too Large" and "Request Header Fields Too Large". */
const tooLargeStatuses: ReadonlySet<number | undefined> = new Set([413, 431]);

const tooLargeWords: Sentence = (server, { httpStatus }) => ({
  title: l10n.t('Request too large'),
  sentence: l10n.t(
    'Server “{0}” refused the request as too large (HTTP {1}). Send smaller arguments.',
    server,
    httpStatus ?? '?',
  ),
});

const httpErrorWords: Sentence = (server, facts) => ({
  title: l10n.t('HTTP error'),
  sentence:
    (facts.httpStatus ?? 0) >= 500
      ? l10n.t(
          'Server “{0}” failed with HTTP status {1}. See its log.',
          server,
          facts.httpStatus ?? '?',
        )
      : l10n.t(
          'Server “{0}” refused the request (HTTP {1}). Check "url" and "headers", or see its log.',
          server,
          facts.httpStatus ?? '?',
        ),
});

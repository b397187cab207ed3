import { l10n } from 'vscode';
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
      'Server “{0}” was not reached, and nothing was sent. See that it runs, and check "url" in the configuration and the proxy settings of the editor.',
      server,
    ),
  }),
  tlsError: (server) => ({
    title: l10n.t('Certificate not trusted'),
    sentence: l10n.t(
      'Server “{0}” was not reached: no secure connection to it came about, and nothing was sent. Add its certificate to those of the system, or correct "url" in the configuration.',
      server,
    ),
  }),
  connectionLost: (server, { outcomeUnknown }) => ({
    title: l10n.t('Connection broke'),
    sentence:
      outcomeUnknown === true
        ? l10n.t(
            'The connection to server “{0}” broke before the answer was complete. See that the server runs.',
            server,
          )
        : l10n.t(
            'The connection to server “{0}” broke before the answer was complete. What the request began may still have had an effect. See that the server runs, then try again.',
            server,
          ),
  }),
  unauthorized: (server) => ({
    title: l10n.t('Not authorized'),
    sentence: l10n.t(
      'Server “{0}” asks who you are and took no answer so far. Add credentials as "headers" in its configuration, or enter anew what you typed for them.',
      server,
    ),
  }),
  signInNeeded: (server) => ({
    title: l10n.t('Sign-in needed'),
    sentence: l10n.t(
      'Server “{0}” wants to know who you are. Sign in; you are asked before a browser opens.',
      server,
    ),
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
            'Server “{0}” wants more rights than your sign-in gives, also after it asked for them. Ask whoever runs it for access.',
            server,
          )
        : l10n.t(
            'Server “{0}” wants more rights than your sign-in gives, also after it asked for them: {1}. Ask whoever runs it for access.',
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
      'Server “{0}” points to another address, and Toolgate does not send your request there unasked. If you trust that address, write it as "url" in the configuration.',
      server,
    ),
  }),
  unexpectedContentType: (server) => ({
    title: l10n.t('Not an MCP answer'),
    sentence: l10n.t(
      'Server “{0}” answered with something else than MCP, a web page for instance. Check "url" in the configuration.',
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
            'Server “{0}” no longer knows this session, most likely because it was restarted. Restart it here too.',
            server,
          )
        : l10n.t(
            'Server “{0}” no longer knows this session, most likely because it was restarted. Restart it here too, then try again.',
            server,
          ),
  }),
};

const maxScopeChars = 200;

/** By where it stopped; the words of whoever stopped it are in the log. */
const signInSentences: Record<SignInStep, (server: string) => string> = {
  resourceMetadata: (server) =>
    l10n.t(
      'Server “{0}” asks for a sign-in, and what it says of where to sign in cannot be used. Nothing was opened. Its log says more.',
      server,
    ),
  serverMetadata: (server) =>
    l10n.t(
      'The sign-in server of “{0}” describes itself in a way that cannot be trusted. Nothing was opened. The log says more.',
      server,
    ),
  client: (server) =>
    l10n.t(
      'The sign-in server of “{0}” does not know Toolgate and did not register it. Enter a client id of your own in the configuration, as "oauth". The log says more.',
      server,
    ),
  authorization: (server) =>
    l10n.t(
      'The sign-in server of “{0}” has no address that can be opened safely. Nothing was opened. The log says more.',
      server,
    ),
  answer: (server) =>
    l10n.t(
      'The sign-in to server “{0}” was refused, or its answer could not be trusted. The log says more. Try again.',
      server,
    ),
  token: (server) =>
    l10n.t(
      'The sign-in to server “{0}” could not be completed: no access was given. The log says more. Try again.',
      server,
    ),
  use: (server) =>
    l10n.t(
      'Server “{0}” does not take the sign-in that it asked for. Ask whoever runs it for access. Its log says more.',
      server,
    ),
};

/** "Content Too Large" and "Request Header Fields Too Large". */
const tooLargeStatuses: ReadonlySet<number | undefined> = new Set([413, 431]);

const tooLargeWords: Sentence = (server, { httpStatus }) => ({
  title: l10n.t('Request too large'),
  sentence: l10n.t(
    'Server “{0}” refused the request because it is too large (HTTP status {1}). Send less in its arguments.',
    server,
    httpStatus ?? '?',
  ),
});

const httpErrorWords: Sentence = (server, facts) => ({
  title: l10n.t('HTTP error'),
  sentence:
    (facts.httpStatus ?? 0) >= 500
      ? l10n.t(
          'Server “{0}” failed with HTTP status {1}. Its log says more.',
          server,
          facts.httpStatus ?? '?',
        )
      : l10n.t(
          'Server “{0}” refused the request with HTTP status {1}. Check "url" and "headers" in the configuration; its log says more.',
          server,
          facts.httpStatus ?? '?',
        ),
});

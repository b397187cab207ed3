import { l10n } from 'vscode';
import type { HttpErrorCode, McpErrorFacts } from '../../core/errors';
import { answerTooLargeSentence } from './sentencesOfSizes';

type Words = (
  server: string,
  facts: McpErrorFacts,
) => { readonly title: string; readonly sentence: string };

/** Exhaustive by its type, like the words of the other codes. */
export const httpWords: Record<HttpErrorCode, Words> = {
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

/** "Content Too Large" and "Request Header Fields Too Large". */
const tooLargeStatuses: ReadonlySet<number | undefined> = new Set([413, 431]);

const tooLargeWords: Words = (server, { httpStatus }) => ({
  title: l10n.t('Request too large'),
  sentence: l10n.t(
    'Server “{0}” refused the request because it is too large (HTTP status {1}). Send less in its arguments.',
    server,
    httpStatus ?? '?',
  ),
});

const httpErrorWords: Words = (server, facts) => ({
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

import * as l10n from '@vscode/l10n';
import {
  assertNever,
  type HttpErrorCode,
  type McpErrorFacts,
  type SignInStep,
} from '../../core/errors';
import type { UrlWarning } from '../../core/input/elicitationUrl';
import { visibleText } from '../../core/visibleText';
import { settings } from '../../ids';

type Sentence = (
  server: string,
  facts: McpErrorFacts,
) => { readonly title: string; readonly sentence: string };

/** The type is exhaustive, like the texts of the other codes. */
export const httpSentences: Record<HttpErrorCode, Sentence> = {
  unreachable: (server) => ({
    title: l10n.t('Not reachable'),
    sentence: l10n.t(
      'Server “{0}” cannot be reached. Check that it runs, its "url", and your proxy settings.',
      server,
    ),
  }),
  tlsError: (server) => ({
    title: l10n.t('Certificate not trusted'),
    sentence: l10n.t(
      'Server “{0}” cannot be reached securely. Check its certificate and "url".',
      server,
    ),
  }),
  connectionLost: (server, { outcomeUnknown }) => ({
    title: l10n.t('Connection lost'),
    sentence:
      outcomeUnknown === true
        ? l10n.t(
            'The connection to server “{0}” was lost before it answered. Check that the server runs.',
            server,
          )
        : l10n.t(
            'The connection to server “{0}” was lost before it answered. The request may have had an effect; check before you try again.',
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
    title: l10n.t('Sign-in required'),
    sentence: l10n.t(
      'Server “{0}” requires a sign-in. You are asked before a browser opens.',
      server,
    ),
  }),
  signInFailed: (server, { signInStep = 'token' }) => ({
    title: l10n.t('Sign-in failed'),
    sentence: signInSentences[signInStep](server),
  }),
  scopeRefused: (server, { scopes = [] }) => ({
    title: l10n.t('Scopes refused'),
    sentence:
      scopes.length === 0
        ? l10n.t(
            'Server “{0}” requires more scopes than your sign-in has. Ask its owner for access.',
            server,
          )
        : l10n.t(
            'Server “{0}” requires more scopes than your sign-in has: {1}. Ask its owner for access.',
            server,
            visibleText(scopes.join(', '), maxScopeChars),
          ),
  }),
  httpError: (server, facts) =>
    tooLargeStatuses.has(facts.httpStatus)
      ? tooLargeMessage(server, facts)
      : httpErrorMessage(server, facts),
  redirectRefused: (server) => ({
    title: l10n.t('Redirect not followed'),
    sentence: l10n.t(
      'Server “{0}” redirects to another URL, which is not followed. If you trust it, use it as "url".',
      server,
    ),
  }),
  unexpectedContentType: (server) => ({
    title: l10n.t('Not a valid MCP response'),
    sentence: l10n.t(
      'Server “{0}” did not answer with MCP, but perhaps with a web page. Check "url".',
      server,
    ),
  }),
  answerTooLarge: (server, facts) => ({
    title: l10n.t('Response too large'),
    sentence: answerTooLargeSentence(server, facts),
  }),
  sessionLost: (server, { outcomeUnknown }) => ({
    title: l10n.t('Session ended'),
    sentence:
      outcomeUnknown === true
        ? l10n.t(
            'Server “{0}” lost this session, probably after a restart. Restart it here.',
            server,
          )
        : l10n.t(
            'Server “{0}” lost this session, probably after a restart. Restart it here, then try again.',
            server,
          ),
  }),
};

function noSignInSentence(server: string, { detail = '' }: McpErrorFacts): string {
  return detail === ''
    ? l10n.t('Server “{0}” answered 401 Unauthorized and offers no sign-in. Add a header.', server)
    : l10n.t(
        'Server “{0}” answered 401 Unauthorized (“{1}”) and offers no sign-in.',
        server,
        detail,
      );
}

const maxScopeChars = 200;

/** Sentences by the step that failed. The server's own message is in the log. */
const signInSentences: Record<SignInStep, (server: string) => string> = {
  resourceMetadata: (server) =>
    l10n.t(
      'Server “{0}” requires a sign-in, but names no usable sign-in page. See its log.',
      server,
    ),
  serverMetadata: (server) =>
    l10n.t(
      'The metadata of the authorization server of “{0}” cannot be trusted. See the log.',
      server,
    ),
  client: (server) =>
    l10n.t(
      'The authorization server of “{0}” did not register Toolgate. Enter a client ID in "oauth".',
      server,
    ),
  authorization: (server) =>
    l10n.t(
      'The authorization server of “{0}” has no URL that is safe to open. See the log.',
      server,
    ),
  answer: (server) =>
    l10n.t(
      'Not signed in to server “{0}”: the response was a refusal or not trusted. Try again, or see the log.',
      server,
    ),
  token: (server) =>
    l10n.t(
      'Not signed in to server “{0}”: access was not granted. Try again, or see the log.',
      server,
    ),
  use: (server) =>
    l10n.t(
      'Server “{0}” refused the sign-in that it asked for. Ask its owner for access; see its log.',
      server,
    ),
};

/** "Content Too Large" and "Request Header Fields Too Large". */
const tooLargeStatuses: ReadonlySet<number | undefined> = new Set([413, 431]);

const tooLargeMessage: Sentence = (server, { httpStatus }) => ({
  title: l10n.t('Request too large'),
  sentence: l10n.t(
    'Server “{0}” refused the request because it is too large (HTTP {1}). Send smaller arguments.',
    server,
    httpStatus ?? '?',
  ),
});

const httpErrorMessage: Sentence = (server, facts) => ({
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

/** Warns about a suspicious part of a URL. */
export function urlWarningSentence(warning: UrlWarning): string {
  return {
    punycode: l10n.t('Warning: the host contains letters that can look like others.'),
    port: l10n.t('Warning: the host uses an unusual port.'),
    ipAddress: l10n.t('Warning: the host is an IP address, not a name.'),
    loopback: l10n.t('Warning: this is a program on this machine, reached without encryption.'),
    rewritten: l10n.t('Warning: the server encoded the URL in a misleading way.'),
  }[warning];
}

/** Connections that ended because the server sent too much. */
export const sizeSentences = {
  messageTooLarge: (server: string, facts: McpErrorFacts) => ({
    title: l10n.t('Message too large'),
    sentence: messageTooLargeSentence(server, facts),
  }),
  serverFlood: (server: string, facts: McpErrorFacts) => ({
    title: l10n.t('Too many messages'),
    sentence: serverFloodSentence(server, facts),
  }),
};

/** A message exceeded a limit, which ended the connection. */
function messageTooLargeSentence(server: string, facts: McpErrorFacts): string {
  const { limit = '?', measure } = facts;
  switch (measure) {
    case undefined:
    case 'lines':
      return l10n.t(
        'Server “{0}” was stopped: it sent a message above {1} bytes. The limit is "{2}".',
        server,
        limit,
        settingName(settings.maxMessageBytes),
      );
    case 'values':
      return l10n.t(
        'Server “{0}” was stopped: it sent a message with more than {1} values. The limit is "{2}".',
        server,
        limit,
        settingName(settings.maxMessageValues),
      );
    case 'levels':
      return l10n.t(
        'Server “{0}” was stopped: it sent values nested deeper than {1} levels.',
        server,
        limit,
      );
    default:
      return assertNever(measure);
  }
}

/** Says what the server sent too much of, so that the connection ended. */
function serverFloodSentence(server: string, facts: McpErrorFacts): string {
  const { flood, limit = '?' } = facts;
  switch (flood) {
    case undefined:
    case 'garbage':
      return l10n.t(
        'Server “{0}” was stopped: more than {1} lines were not messages. Make it log to stderr.',
        server,
        limit,
      );
    case 'requests':
      return l10n.t(
        'Server “{0}” was stopped: it sent more than {1} requests at once. See its log.',
        server,
        limit,
      );
    case 'batch':
      return l10n.t(
        'Server “{0}” was stopped: it sent more than {1} messages in one batch. See its log.',
        server,
        limit,
      );
    default:
      return assertNever(flood);
  }
}

/** An answer exceeded a limit and was dropped. */
function answerTooLargeSentence(server: string, facts: McpErrorFacts): string {
  const { limit = '?', measure } = facts;
  switch (measure) {
    case undefined:
      return l10n.t(
        'The response of server “{0}” was dropped: it is larger than {1} bytes. The limit is "{2}".',
        server,
        limit,
        settingName(settings.maxMessageBytes),
      );
    case 'lines':
      return l10n.t(
        'An event of server “{0}” was dropped: it has several lines and more than {1} bytes.',
        server,
        limit,
      );
    case 'values':
      return l10n.t(
        'The response of server “{0}” was dropped: it has more than {1} values. The limit is "{2}".',
        server,
        limit,
        settingName(settings.maxMessageValues),
      );
    case 'levels':
      return l10n.t(
        'The response of server “{0}” was dropped: its values are nested deeper than {1} levels.',
        server,
        limit,
      );
    default:
      return assertNever(measure);
  }
}

function settingName(name: string): string {
  return `${settings.section}.${name}`;
}

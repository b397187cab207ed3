import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import type { McpErrorFacts } from '../../core/errors';
import { settings } from '../../ids';

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
export function answerTooLargeSentence(server: string, facts: McpErrorFacts): string {
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

import { l10n } from 'vscode';
import { assertNever, type McpErrorFacts } from '../../core/errors';
import { visibleText, withoutLinks } from '../../core/visibleText';
import { settings } from '../../ids';
import { formatDuration } from './formatTime';

const maxKeyChars = 300;

/** Why a request was given up, and which setting to raise. */
export function timeoutSentence(server: string, facts: McpErrorFacts): string {
  const { limit, timeLimit, outcomeUnknown } = facts;
  const time = limit === undefined ? l10n.t('its time limit') : formatDuration(limit);
  switch (timeLimit?.kind) {
    case 'call':
      if (outcomeUnknown === true) {
        return l10n.t(
          'Server “{0}” did not answer within {1}, the time limit that the call itself sets, and was told to stop. The limit is its “timeout”.',
          server,
          time,
        );
      }
      return l10n.t(
        'Server “{0}” did not answer within {1}, the time limit that the call itself sets, and was told to stop. Raise its “timeout”, or try again.',
        server,
        time,
      );
    case 'own':
      return l10n.t(
        'Server “{0}” did not answer within {1} and was told to stop. The limit is the entry “{2}” of the setting "{3}".',
        server,
        time,
        withoutLinks(visibleText(timeLimit.key, maxKeyChars)),
        settingName(settings.callTimeouts),
      );
    case 'ceiling':
      return l10n.t(
        'Server “{0}” went on reporting progress, but was not done within {1} and was told to stop. The limit is the setting "{2}".',
        server,
        time,
        settingName(settings.callCeilingMs),
      );
    case 'default':
    case undefined:
      return l10n.t(
        'Server “{0}” did not answer within {1} and was told to stop. The limit is the setting "{2}".',
        server,
        time,
        settingName(settings.callTimeoutMs),
      );
    default:
      return assertNever(timeLimit);
  }
}

/** What a person must know before calling again. */
export function unknownSentence({ outcomeUnknown }: McpErrorFacts): string | undefined {
  if (outcomeUnknown !== true) return undefined;
  return l10n.t(
    'The outcome is unknown: the call was sent and may have had its effect. Look before you call it again.',
  );
}

function settingName(name: string): string {
  return `${settings.section}.${name}`;
}

import * as l10n from '@vscode/l10n';
import { assertNever, type McpErrorFacts } from '../../core/errors';
import { visibleText, withoutLinks } from '../../core/visibleText';
import { settings } from '../../ids';
import { formatDuration } from './formatTime';

const maxKeyChars = 300;

/** Calls of several rounds, and tasks. The server's own reason follows as a sentence of its own. */
export const longCallSentences = {
  inputNotPossible: (server: string) => ({
    title: l10n.t('Question not understood'),
    sentence: l10n.t(
      'Server “{0}” asked for something that Toolgate does not offer, so the call ended.',
      server,
    ),
  }),
  tooManyRounds: (server: string, facts: McpErrorFacts) => ({
    title: l10n.t('Call without end'),
    sentence: l10n.t(
      'Server “{0}” kept asking for more input. The call ended after {1} rounds; see its log.',
      server,
      facts.limit ?? '?',
    ),
  }),
  taskCancelled: (server: string) => ({
    title: l10n.t('Task cancelled by its server'),
    sentence: l10n.t('Server “{0}” cancelled the task of this call.', server),
  }),
  taskLeft: (server: string) => ({
    title: l10n.t('Task goes on'),
    sentence: l10n.t(
      'The task of this call goes on at server “{0}”. Its result comes when the server runs again.',
      server,
    ),
  }),
  taskLost: (server: string) => ({
    title: l10n.t('Task gone'),
    sentence: l10n.t('Server “{0}” does not know the task of this call any more.', server),
  }),
};

/** Why a request was given up, and which setting to raise. */
export function timeoutSentence(server: string, facts: McpErrorFacts): string {
  const { limit, timeLimit, outcomeUnknown } = facts;
  const time = limit === undefined ? l10n.t('its time limit') : formatDuration(limit);
  switch (timeLimit?.kind) {
    case 'call':
      if (outcomeUnknown === true) {
        return l10n.t(
          'Server “{0}” did not answer within {1}, the “timeout” of the call, and was told to stop.',
          server,
          time,
        );
      }
      return l10n.t(
        'Server “{0}” did not answer within {1}, the “timeout” of the call. Raise it, or try again.',
        server,
        time,
      );
    case 'own':
      return l10n.t(
        'Server “{0}” did not answer within {1} and was told to stop. The limit is “{2}” in "{3}".',
        server,
        time,
        withoutLinks(visibleText(timeLimit.key, maxKeyChars)),
        settingName(settings.callTimeouts),
      );
    case 'ceiling':
      return l10n.t(
        'Server “{0}” reported progress but was not done within {1}. It was told to stop; the limit is "{2}".',
        server,
        time,
        settingName(settings.callCeilingMs),
      );
    case 'default':
    case undefined:
      return l10n.t(
        'Server “{0}” did not answer within {1} and was told to stop. The limit is "{2}".',
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
    'Outcome unknown: the call was sent and may have had an effect. Check before you call it again.',
  );
}

/** Why an agent hears that nobody was asked. */
export function agentPausedMessage(server: string): { title: string; sentence: string } {
  return {
    title: l10n.t('Agents ask too often'),
    sentence: l10n.t(
      'Nothing was sent to server “{0}”: agents ask too often, or too many questions wait. Wait, and ask less.',
      server,
    ),
  };
}

function settingName(name: string): string {
  return `${settings.section}.${name}`;
}

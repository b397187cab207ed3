import * as l10n from '@vscode/l10n';
import { assertNever, type McpErrorFacts } from '../../core/errors';
import { visibleText, breakLinks } from '../../core/visibleText';
import { settings } from '../../ids';
import { formatDuration } from './formatTime';

const maxKeyChars = 300;

/**
 * Errors of calls with several rounds and of tasks. The server's own reason follows as a sentence.
 */
export const longCallSentences = {
  inputNotPossible: (server: string) => ({
    title: l10n.t('Unsupported server request'),
    sentence: l10n.t(
      'Server “{0}” requested something that Toolgate does not support, so the call ended.',
      server,
    ),
  }),
  tooManyRounds: (server: string, facts: McpErrorFacts) => ({
    title: l10n.t('Too many input requests'),
    sentence: l10n.t(
      'Server “{0}” kept asking for input. The call ended after {1} rounds; see its log.',
      server,
      facts.limit ?? '?',
    ),
  }),
  taskCancelled: (server: string) => ({
    title: l10n.t('Task cancelled by server'),
    sentence: l10n.t('Server “{0}” cancelled the task of this call.', server),
  }),
  taskLeft: (server: string) => ({
    title: l10n.t('Task continues'),
    sentence: l10n.t(
      'The task of this call continues on server “{0}”. Its result arrives when the server runs again.',
      server,
    ),
  }),
  taskLost: (server: string) => ({
    title: l10n.t('Task no longer exists'),
    sentence: l10n.t('Server “{0}” no longer has the task of this call.', server),
  }),
};

/** Says why a request timed out, and which setting to raise. */
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
        'Server “{0}” did not answer within {1}, the “timeout” of the call. Increase it, or try again.',
        server,
        time,
      );
    case 'own':
      return l10n.t(
        'Server “{0}” did not answer within {1} and was told to stop. The limit is “{2}” in "{3}".',
        server,
        time,
        breakLinks(visibleText(timeLimit.key, maxKeyChars)),
        settingName(settings.callTimeouts),
      );
    case 'ceiling':
      return l10n.t(
        'Server “{0}” reported progress, but did not finish within {1}. It was told to stop; the limit is "{2}".',
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

/** Warns that the outcome is unknown, before the user calls again. */
export function unknownSentence({ outcomeUnknown }: McpErrorFacts): string | undefined {
  if (outcomeUnknown !== true) return undefined;
  return l10n.t(
    'Outcome unknown: the call was sent and may have had an effect. Check before you call it again.',
  );
}

/** Tells an agent why the user was not asked. */
export function agentPausedMessage(server: string): { title: string; sentence: string } {
  return {
    title: l10n.t('Too many agent requests'),
    sentence: l10n.t(
      'Nothing was sent to server “{0}”: agents send too many requests. Wait, and send fewer.',
      server,
    ),
  };
}

function settingName(name: string): string {
  return `${settings.section}.${name}`;
}

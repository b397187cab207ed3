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

type Sentence = (
  server: string,
  facts: McpErrorFacts,
) => { readonly title: string; readonly sentence: string };

type StartCode =
  | 'programNotFound'
  | 'programNotExecutable'
  | 'spawnFailed'
  | 'exitedEarly'
  | 'handshakeTimeout';

const maxPlaces = 3;

/** Explains why the program of a server did not start, one sentence for each code. */
export const startSentences: Record<StartCode, Sentence> = {
  programNotFound: (server, facts) => ({
    title: l10n.t('Program not found'),
    sentence: l10n.t(
      'Server “{0}” did not start: “{1}” was not found in {2}. Install it, or enter its full path.',
      server,
      facts.detail ?? '',
      formatSearched(facts.searched ?? []),
    ),
  }),
  programNotExecutable: (server, facts) => ({
    title: l10n.t('Program not executable'),
    sentence: l10n.t(
      'Server “{0}” did not start: “{1}” is not executable. Change its permissions, or correct "command".',
      server,
      facts.detail ?? '',
    ),
  }),
  spawnFailed: (server) => ({
    title: l10n.t('Program did not start'),
    sentence: l10n.t(
      'Server “{0}” did not start: the system refused to run it. Check "command" and "cwd".',
      server,
    ),
  }),
  exitedEarly: (server, facts) => ({
    title: l10n.t('Exited while starting'),
    sentence: l10n.t(
      'Server “{0}” did not start: its program exited with {1}. See its log.',
      server,
      formatExit(facts),
    ),
  }),
  handshakeTimeout: (server, facts) => ({
    title: l10n.t('No answer while starting'),
    sentence: noAnswerSentence(server, facts),
  }),
};

function noAnswerSentence(server: string, facts: McpErrorFacts): string {
  const { wasInstalling, misframed, stdoutTail, printed } = facts;
  if (wasInstalling === true)
    return l10n.t(
      'Server “{0}” did not start: still installing after 10 minutes. Run its command in a terminal.',
      server,
    );
  if (misframed !== undefined)
    return l10n.t('Server “{0}” did not start: its response could not be read.', server);
  if (stdoutTail !== undefined)
    return l10n.t(
      'Server “{0}” is waiting for “{1}”. Provide it through arguments or environment variables.',
      server,
      stdoutTail,
    );
  return printed === undefined
    ? l10n.t(
        'Server “{0}” did not start: no answer in time. Run Diagnose Server to find out why.',
        server,
      )
    : l10n.t(
        'Server “{0}” did not start: it printed “{1}” to stdout, which is not MCP, and did not answer in time. See its log.',
        server,
        printed,
      );
}

/** Explains what is wrong with the framing of a server's messages. */
export function framingSentence({ misframed }: McpErrorFacts): string | undefined {
  switch (misframed) {
    case 'contentLength':
      return l10n.t('MCP over stdio has one message per line, without “Content-Length” headers.');
    case 'noNewline':
      return l10n.t('MCP over stdio has one message per line, but the newline is missing.');
    case 'severalLines':
      return l10n.t('MCP over stdio has one message per line, but a message has several lines.');
    case undefined:
      return undefined;
    default:
      return assertNever(misframed);
  }
}

/** Lists the first directories and the number of further ones; the log has all. */
function formatSearched(searched: readonly string[]): string {
  const first = searched.slice(0, maxPlaces).join(', ');
  const more = searched.length - maxPlaces;
  if (more > 0) return l10n.t('{0} (and {1} more)', first, more);
  return first === '' ? l10n.t('any folder') : first;
}

export function formatExit({ exitCode, signal }: McpErrorFacts): string {
  if (exitCode !== undefined) return l10n.t('exit code {0}', exitCode);
  return signal === undefined ? l10n.t('no exit code') : l10n.t('signal {0}', signal);
}

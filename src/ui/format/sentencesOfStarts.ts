import * as l10n from '@vscode/l10n';
import { assertNever, type McpErrorFacts } from '../../core/errors';

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
    sentence:
      facts.wasInstalling === true
        ? l10n.t(
            'Server “{0}” did not start: still installing after 10 minutes. Run its command in a terminal.',
            server,
          )
        : facts.misframed !== undefined
          ? l10n.t('Server “{0}” did not start: its response could not be read.', server)
          : facts.stdoutTail === undefined
            ? l10n.t(
                'Server “{0}” did not start: no answer in time. Run Diagnose Server to find out why.',
                server,
              )
            : l10n.t(
                'Server “{0}” is waiting for “{1}”. Provide it through arguments or environment variables.',
                server,
                facts.stdoutTail,
              ),
  }),
};

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

import { createHash } from 'node:crypto';
import { sortedEntries } from '../../core/json/shapes';
import { inputCommandText } from './inputs';
import { oauthTexts } from './oauthEntry';
import type { ServerConfig } from './serverConfig';

/**
 * Returns a SHA-256 (hex) over everything that decides what runs, when, or what is reached:
 * command, arguments, environment names and values, working directory, or URL, headers and sign-in,
 * a pinned era, the files whose changes restart it, and the tools that its entry lists. The
 * location of the entry, its name and the order of names do not count. An input counts by its
 * position and, if an editor command answers it, by the command: the file cannot change what the
 * user types, but it can change what another extension answers. Stable over restarts. Never show or
 * log the hashed values, because they may be secrets.
 */
export function configHash(config: ServerConfig): string {
  const { transport, inputs = [], watch = [], tools } = config;
  // Arrays only, so that each value is written in one way.
  if (transport.kind === 'stdio' && transport.recording !== undefined) {
    return hashOf(['recording', transport.recording.file, transport.recording.server]);
  }
  const facts: unknown[] =
    transport.kind === 'stdio'
      ? [
          'stdio',
          transport.command,
          transport.args,
          sortedEntries(transport.env),
          transport.cwd ?? null,
        ]
      : [transport.kind, transport.url, sortedEntries(transport.headers)];
  // Added only if present, so that existing hashes stay valid.
  if (transport.era !== undefined) facts.push(transport.era);
  if (transport.kind !== 'stdio' && transport.oauth !== undefined) {
    facts.push(['oauth', oauthTexts(transport.oauth)]);
  }
  const commands = inputs.filter(({ kind }) => kind === 'command');
  if (commands.length > 0) facts.push(commands.map(inputCommandText));
  if (watch.length > 0) facts.push(['watch', watch]);
  if (tools !== undefined) facts.push(['tools', tools.toSorted()]);
  return hashOf(facts);
}

function hashOf(facts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

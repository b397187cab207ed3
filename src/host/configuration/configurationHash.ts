import { createHash } from 'node:crypto';
import { inputCommandText } from './inputs';
import { oauthTexts } from './oauthEntry';
import type { ServerConfig } from './serverConfig';

/**
 * SHA-256 (hex) over everything that decides what runs, when, or what is reached: command, arguments,
 * environment names and values, working directory, or URL, headers and sign-in, a pinned era, and the files
 * whose changes restart it. Where the entry stands and
 * what it is called do not count, nor does the order of names. Of an input counts where it stands
 * and, where a command of the editor answers it, which one: what the person types is the person's
 * own word, and the file cannot change it; what another extension answers, the file can. Stable over restarts; never show or
 * log what goes in, it may hold secrets.
 */
export function configHash(config: ServerConfig): string {
  const { transport, inputs = [], watch = [] } = config;
  // Arrays only, so that there is one way to write each value.
  if (transport.kind === 'stdio' && transport.recording !== undefined) {
    return hashOf(['recording', transport.recording.file, transport.recording.server]);
  }
  const facts: unknown[] =
    transport.kind === 'stdio'
      ? ['stdio', transport.command, transport.args, sorted(transport.env), transport.cwd ?? null]
      : [transport.kind, transport.url, sorted(transport.headers)];
  // Only where there is one, so that what was bound to other servers before stays bound.
  if (transport.era !== undefined) facts.push(transport.era);
  if (transport.kind !== 'stdio' && transport.oauth !== undefined) {
    facts.push(['oauth', oauthTexts(transport.oauth)]);
  }
  const commands = inputs.filter(({ kind }) => kind === 'command');
  if (commands.length > 0) facts.push(commands.map(inputCommandText));
  if (watch.length > 0) facts.push(['watch', watch]);
  return hashOf(facts);
}

function hashOf(facts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

function sorted<T>(record: Readonly<Record<string, T>>): [string, T][] {
  // By code unit, not by locale: the same on every machine.
  return Object.entries(record).toSorted(([one], [other]) =>
    one < other ? -1 : one > other ? 1 : 0,
  );
}

import type { Tool } from '../core/types';
import { visibleText } from '../core/visibleText';
import type { Server } from '../host/connections/snapshot';
import { maxLockBytes, parseLockFile } from '../host/consent/pins/lockFile';
import { changedText, lockEntryOf, lockServerChange } from '../host/consent/pins/lockFileEdits';
import { saveBytes } from '../host/results/saveFile';
import { lockFileName } from '../ids';
import type { CliOutput } from './cliOutput';
import type { CliSession } from './cliSession';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';
import { tellListProblems } from './listProblems';
import { readLockFile, refuseLink } from './lockFileText';

export interface LockCommandOptions {
  readonly session: CliSession;
  readonly output: CliOutput;
  readonly folder: string;
}

const maxNameChars = 200;

/**
 * Writes the tools of servers, as they are now, into the lock file of the folder. Servers that it
 * does not start keep what the file says of them. @throws {UsageError}
 */
export async function lockCommand(
  operands: readonly string[],
  { session, output, folder }: LockCommandOptions,
): Promise<ExitCode> {
  // The demo server is nobody's to review, unless somebody means it.
  const configured = session.registry.servers.filter(({ config }) => config.source.kind !== 'demo');
  const ids = operands.length > 0 ? operands : configured.map(({ config }) => config.id);
  if (ids.length === 0) throw new UsageError('No server is configured here.');
  const before = await readLockFile(folder);
  await refuseLink(before.path);
  let { text } = before;
  let code: ExitCode = exitCodes.passed;
  for (const id of ids) {
    if (session.isCancelled) break;
    try {
      const now = withServer(text, await session.start(id), output);
      if (now === undefined) code = exitCodes.serverFailed;
      else text = now;
    } catch (thrown) {
      output.tell(session.startFailure(id, thrown, output.redact));
      code = exitCodes.serverFailed;
    }
  }
  if (session.isCancelled) return exitCodes.cancelled;
  if (text === before.text) output.report(`${lockFileName} is as it was.\n`);
  else {
    await saveBytes(Buffer.from(text), before.path);
    output.report(`${lockFileName} was written. Read it before you commit it.\n`);
  }
  return code;
}

/** The text with the tools of the server; `undefined` where they cannot be written, which is told. */
function withServer(text: string, server: Server, output: CliOutput): string | undefined {
  const { config, tools } = server;
  const name = visibleText(output.redact(config.id), maxNameChars);
  if (!tellListProblems(server, output)) {
    output.tell(`Server "${config.id}" is not written: its list is not whole.`);
    return undefined;
  }
  const callable = tools.flatMap(({ tool }) => (tool.callable ? [tool] : []));
  const entryOf = (tool: Tool) => (output.hasSecrets ? lockEntryOf(tool, output.redact) : tool);
  const entries = new Map(callable.map((tool) => [tool.name, entryOf(tool)]));
  const change = lockServerChange(text, config.id, entries);
  const now = change === undefined ? '' : changedText(text, change);
  const written = parseLockFile(now);
  const locked = written.servers.get(config.id)?.tools;
  if (Buffer.byteLength(now) > maxLockBytes || written.isUnreadable || locked === undefined) {
    output.tell(`Server "${config.id}" is not written: it has too many tools for a lock file.`);
    return undefined;
  }
  const short = [...locked.values()].filter(({ definition }) => definition === undefined).length;
  const shortly = short === 0 ? '' : `, ${short} by fingerprint alone`;
  output.report(`- ${name}: ${locked.size} tools${shortly}\n`);
  return now;
}

import type { Tool } from '../core/types';
import { visibleText } from '../core/visibleText';
import type { Server } from '../host/connections/snapshot';
import { type LockFile, maxLockBytes, parseLockFile } from '../host/consent/pins/lockFile';
import { changedText, lockEntryOf, lockServerChange } from '../host/consent/pins/lockFileEdits';
import { lockFileName } from '../ids';
import type { CommandTools } from './commandTools';
import type { CliOutput } from './cliOutput';
import { type ExitCode, UsageError, exitCodes } from './exitCodes';
import { notifyListProblems } from './listProblems';
import { refuseLinks } from './refuseLinks';
import { NotReplacedError, replaceText, runExclusively } from './replaceText';
import path from 'node:path';
import { readRegularFile } from '../core/bounds/regularFile';
import { toMcpError } from '../core/errors';
import { isNotFound } from '../core/bounds/systemError';

const maxNameChars = 200;

/**
 * Writes the current tools of servers into the lock file of the folder. Entries of servers that it
 * does not start stay unchanged. @throws {UsageError}
 */
export async function lockCommand(
  operands: readonly string[],
  tools: CommandTools,
): Promise<ExitCode> {
  const { session, output, folder } = tools;
  // The demo server is locked only when it is named.
  const configured = session.registry.servers.filter(({ config }) => config.source.kind !== 'demo');
  const ids = operands.length > 0 ? operands : configured.map(({ config }) => config.id);
  if (ids.length === 0) throw new UsageError('No server is configured here.');
  for (const id of operands) session.named(id);
  // A file that cannot be written is refused before any server starts.
  await readLockFile(folder);
  refuseLinks(folder, lockFileName);
  const started: Server[] = [];
  for (const id of ids) {
    if (session.isCancelled) break;
    try {
      const server = await session.start(id);
      if (notifyListProblems(server, output)) started.push(server);
      else output.notify(`Server "${id}" is not written: its list is incomplete.`);
    } catch (thrown) {
      output.notify(session.startFailure(id, thrown, output.redact));
    }
  }
  if (session.isCancelled) return exitCodes.cancelled;
  const written = await writeServers(started, tools);
  return written === ids.length ? exitCodes.passed : exitCodes.serverFailed;
}

/**
 * Writes the servers into the file as it is now, one run at a time, because other runs and editors
 * may have changed it while the servers started. Returns how many have a place in it.
 * @throws {UsageError}
 */
async function writeServers(
  servers: readonly Server[],
  { output, folder, env }: CommandTools,
): Promise<number> {
  return runExclusively({ folder, file: lockFileName, env }, async () => {
    const before = await readLockFile(folder);
    refuseLinks(folder, lockFileName);
    let { text } = before;
    let written = 0;
    for (const server of servers) {
      const now = withServer(text, server, output);
      if (now === undefined) continue;
      text = now;
      written += 1;
    }
    if (text !== before.text) {
      await replaceLockFile(before, text);
      output.report(`${lockFileName} was written. Read it before you commit it.\n`);
    } else if (written > 0) output.report(`${lockFileName} is already up to date.\n`);
    return written;
  });
}

/** Adds the tools of the server to the text. Tells why, and returns `undefined`, when that is not possible. */
function withServer(text: string, server: Server, output: CliOutput): string | undefined {
  const { config, tools } = server;
  const name = visibleText(output.redact(config.id), maxNameChars);
  const callable = tools.flatMap(({ tool }) => (tool.callable ? [tool] : []));
  const entryOf = (tool: Tool) => (output.hasSecrets ? lockEntryOf(tool, output.redact) : tool);
  const entries = new Map(callable.map((tool) => [tool.name, entryOf(tool)]));
  const change = lockServerChange(text, config.id, entries);
  const now = change === undefined ? '' : changedText(text, change);
  const written = parseLockFile(now);
  const locked = written.servers.get(config.id)?.tools;
  if (Buffer.byteLength(now) > maxLockBytes || written.isUnreadable || locked === undefined) {
    output.notify(`Server "${config.id}" is not written: it has too many tools for a lock file.`);
    return undefined;
  }
  const short = [...locked.values()].filter(({ definition }) => definition === undefined).length;
  const shortly = short === 0 ? '' : `, ${short} by fingerprint alone`;
  output.report(`- ${name}: ${locked.size} tools${shortly}\n`);
  return now;
}

/** @throws {UsageError} if the file is not in UTF-8, read-only or changed meanwhile */
async function replaceLockFile(before: LockFileText, text: string): Promise<void> {
  try {
    await replaceText(before.path, text, before.exists ? before.text : undefined);
  } catch (error) {
    if (!(error instanceof NotReplacedError)) throw error;
    throw new UsageError(`${lockFileName} is not written: ${error.message}.`);
  }
}

/** The lock file of a folder; its text is empty when there is no file. */
interface LockFileText {
  readonly path: string;
  readonly text: string;
  readonly exists: boolean;
  readonly lock: LockFile;
}

/** @throws {UsageError} if the file cannot be read, or is no lock file */
export async function readLockFile(folder: string): Promise<LockFileText> {
  const file = path.join(folder, lockFileName);
  const found = await textOf(file);
  const text = found ?? '';
  const lock = parseLockFile(text);
  if (text !== '' && lock.isUnreadable) throw unreadable('it is not a lock file');
  return { path: file, text, exists: found !== undefined, lock };
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await readRegularFile(file, maxLockBytes));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw unreadable(toMcpError(error).message);
  }
}

function unreadable(reason: string): UsageError {
  return new UsageError(`${lockFileName} cannot be read: ${reason}. Correct or remove it.`);
}

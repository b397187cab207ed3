import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { openRegularFile } from '../core/bounds/regularFile';
import { isObject } from '../core/json/shapes';
import type { ToolResult } from '../core/types';
import type { CliOutput } from './cliOutput';
import { inLine } from './errorMessage';

/** Servers name a log file by these members of a result. */
const logMembers = ['logPath', 'logFile', 'logfile'];
const maxLines = 20;
const maxReadBytes = 64 * 1024;

/**
 * Writes the last lines of the log files that a result names to standard error. A server could name any
 * file, so only files in the folder that the user named are read. Never rejects.
 */
export async function notifyNamedLogs(
  { structuredContent, meta, rest }: ToolResult,
  { folder, tailLog }: { readonly folder: string; readonly tailLog: string },
  output: CliOutput,
): Promise<void> {
  const named = [structuredContent, meta, rest].flatMap((holder) =>
    logMembers.map((member) => (isObject(holder) ? holder[member] : undefined)),
  );
  const files = new Set(named.filter((each): each is string => typeof each === 'string'));
  const allowed = path.resolve(folder, tailLog);
  if (files.size === 0) output.notify('The result names no log file.');
  for (const file of files) {
    const shown = inLine(output.redact(file));
    try {
      const lines = await lastLines(path.resolve(allowed, file), allowed);
      output.notify(lines === undefined ? `${shown} is not in ${inLine(tailLog)}.` : `${shown}:`);
      for (const line of lines ?? []) output.notify(output.redact(line));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      output.notify(`${shown} cannot be read: ${inLine(output.redact(why))}`);
    }
  }
}

/** Returns `undefined` for a file outside the folder, also behind a link. @throws what the file system throws */
async function lastLines(file: string, folder: string): Promise<readonly string[] | undefined> {
  const real = await realpath(file);
  if (!real.startsWith(`${await realpath(folder)}${path.sep}`)) return undefined;
  const { handle, size } = await openRegularFile(real);
  try {
    const start = Math.max(0, size - maxReadBytes);
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(maxReadBytes),
      0,
      maxReadBytes,
      start,
    );
    const text = buffer.toString('utf8', 0, bytesRead).trimEnd();
    return text === '' ? [] : text.split(/\r?\n/).slice(-maxLines);
  } finally {
    await handle.close();
  }
}

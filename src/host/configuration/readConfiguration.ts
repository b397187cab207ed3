import { parse } from 'dotenv';
import {
  FileRefusedError,
  readRegularFile,
  readRegularFileSync,
  fileText,
} from '../../core/bounds/regularFile';
import type { ProblemCode } from './configurationProblems';
import { withoutBom } from './jsonTree';
import { systemErrorCode } from '../../core/bounds/systemError';

/** A larger file is a mistake that would slow the editor down. */
const maxFileBytes = 4 * 1024 * 1024;

/** No system accepts a larger environment. */
export const maxNamedFileBytes = 1024 * 1024;

/** The text of a file, or why it could not be read. */
export type ReadFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly code: ProblemCode; readonly detail?: string };

const codes: Readonly<Record<string, ProblemCode>> = {
  EISDIR: 'isFolder',
  EACCES: 'noPermission',
  EPERM: 'noPermission',
  ELOOP: 'linkLoop',
  // A pipe or a socket.
  ENXIO: 'notAFile',
};

/**
 * Reads a file as UTF-8, or as UTF-16 as PowerShell writes it, and removes the byte order mark.
 * Never waits for a pipe or a device, reads at most 4 MiB, and never rejects.
 */
export async function readConfiguration(path: string): Promise<ReadFile> {
  try {
    return { kind: 'text', text: fileText(await readRegularFile(path, maxFileBytes)) };
  } catch (error) {
    if (error instanceof FileRefusedError) return { kind: 'unreadable', code: error.refusal };
    return toUnreadable(error);
  }
}

/** Reads the text of a file that an entry names. @throws as {@link readRegularFileSync} does */
export function readNamedText(file: string): string {
  return fileText(readRegularFileSync(file, maxNamedFileBytes));
}

function toUnreadable(error: unknown): ReadFile {
  const code = systemErrorCode(error);
  // ENOTDIR: a parent path is a file.
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
  const known = code === undefined ? undefined : codes[code];
  if (known !== undefined) return { kind: 'unreadable', code: known };
  const detail = error instanceof Error ? error.message : String(error);
  return { kind: 'unreadable', code: 'unreadable', detail };
}

/**
 * Parses the variables of an `envFile` in linear time. Node's own parser takes `#A=1` for a
 * variable and ends values at escaped quotes; this library's other parser backtracks at every empty
 * line.
 */
export function parseEnvFile(text: string): Record<string, string> {
  return parse(withoutBom(text), { fast: true });
}

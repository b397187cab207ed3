import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from './exitCodes';

const extension = '.mcpcall';
const maxFiles = 10_000;
const maxDepth = 30;
/** These folders hold no call files of the project. */
const leftOut: readonly string[] = ['node_modules', '.git'];

/**
 * Returns the absolute paths of the named call files and of those in named folders, or of those in
 * `folder` if no name is given; sorted by name. Links to folders are not followed, and unreadable
 * subfolders are reported to `onSkipped`.
 * @throws {UsageError} for a missing file, if there are no call files, or more than 10,000
 */
export async function findCallFiles(
  folder: string,
  operands: readonly string[],
  onSkipped: (folder: string) => void,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const operand of operands.length === 0 ? ['.'] : operands) {
    const whole = path.resolve(folder, operand);
    const facts = await stat(whole).catch(() => undefined);
    if (facts === undefined) throw new UsageError(`There is no file ${operand}.`);
    if (!facts.isDirectory()) found.add(whole);
    else if (!(await collect(whole, { found, onSkipped }, 0))) {
      throw new UsageError(`${operand} cannot be read.`);
    }
  }
  if (found.size === 0) throw new UsageError('There are no call files (*.mcpcall) here.');
  return [...found];
}

interface Collecting {
  readonly found: Set<string>;
  readonly onSkipped: (folder: string) => void;
}

/** Returns whether the folder could be read. */
async function collect(folder: string, collecting: Collecting, depth: number): Promise<boolean> {
  if (depth > maxDepth) return true;
  const { found, onSkipped } = collecting;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return false;
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const whole = path.join(folder, entry.name);
    if (entry.isDirectory() && !leftOut.includes(entry.name)) {
      if (!(await collect(whole, collecting, depth + 1))) onSkipped(whole);
    } else if (entry.isFile() && entry.name.endsWith(extension)) {
      found.add(whole);
      if (found.size > maxFiles)
        throw new UsageError(`There are more than ${maxFiles} call files.`);
    }
  }
  return true;
}

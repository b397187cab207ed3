import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from './exitCodes';

const extension = '.mcpcall';
const maxFiles = 10_000;
const maxDepth = 30;
/** Of others, or of no use to anybody. */
const leftOut: readonly string[] = ['node_modules', '.git'];

/**
 * The call files that were named, those below folders that were named, or without a name those
 * below `folder`; whole paths, in the order of their names. Links to folders are not followed.
 * @throws {UsageError} for what is not there, where there is none, or more than 10,000
 */
export async function findCallFiles(
  folder: string,
  operands: readonly string[],
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const operand of operands.length === 0 ? ['.'] : operands) {
    const whole = path.resolve(folder, operand);
    const facts = await stat(whole).catch(() => undefined);
    if (facts === undefined) throw new UsageError(`There is no file ${operand}.`);
    if (facts.isDirectory()) await collect(whole, found, 0);
    else found.add(whole);
  }
  if (found.size === 0) throw new UsageError('There is no call file (*.mcpcall) here.');
  return [...found];
}

async function collect(folder: string, found: Set<string>, depth: number): Promise<void> {
  if (depth > maxDepth) return;
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const whole = path.join(folder, entry.name);
    if (entry.isDirectory() && !leftOut.includes(entry.name)) {
      await collect(whole, found, depth + 1);
    } else if (entry.isFile() && entry.name.endsWith(extension)) {
      found.add(whole);
      if (found.size > maxFiles)
        throw new UsageError(`There are more than ${maxFiles} call files.`);
    }
  }
}

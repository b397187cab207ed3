import { lstatSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../core/bounds/pathWithin';
import { UsageError } from './exitCodes';

/**
 * Refuses a path below the folder that leads through a link. A repository may contain one, and would
 * choose which file of the user is written. @throws {UsageError}
 */
export function refuseLinks(folder: string, named: string): void {
  const whole = path.resolve(folder, named);
  if (!isWithin(folder, whole)) return;
  const steps = path.relative(folder, whole).split(path.sep);
  const ways = steps.map((_, index) => path.join(folder, ...steps.slice(0, index + 1)));
  if (!ways.some(isLink)) return;
  throw new UsageError(`${named} is not written: its path contains a link.`);
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // A folder that cannot be entered. What is written there fails.
    return false;
  }
}

import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isWithin } from '../core/bounds/pathWithin';
import { UsageError } from './exitCodes';

/**
 * Refuses a path below the folder that leads through a link. A repository may contain one, and would
 * choose which file of the user is written. @throws {UsageError}
 */
export function refuseLinks(folder: string, named: string): void {
  const whole = path.resolve(folder, named);
  const { root } = path.parse(whole);
  const steps = path.relative(root, whole).split(path.sep);
  const ways = steps.map((_, index) => path.join(root, ...steps.slice(0, index + 1)));
  // The path may lead to the folder through a link above it, as that of $PWD can.
  const real = realpathSync(folder);
  const isBelow = (way: string): boolean => isWithin(real, realpathSync(path.dirname(way)));
  if (!ways.some((way) => isLink(way) && isBelow(way))) return;
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

import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** True if a path is the folder or leads into it, judged by the texts alone. */
export function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
}

/**
 * Returns true if a path below the folder leads through a link. A repository may contain one, and
 * would choose which file of the user is written.
 */
export function leadsThroughLink(folder: string, named: string): boolean {
  const whole = path.resolve(folder, named);
  const { root } = path.parse(whole);
  const steps = path.relative(root, whole).split(path.sep);
  const ways = steps.map((_, index) => path.join(root, ...steps.slice(0, index + 1)));
  // The path may lead to the folder through a link above it, as that of $PWD can.
  const real = realpathSync(folder);
  const isBelow = (way: string): boolean => isWithin(real, realpathSync(path.dirname(way)));
  return ways.some((way) => isLink(way) && isBelow(way));
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // A folder that cannot be entered. What is written there fails.
    return false;
  }
}

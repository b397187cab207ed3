import { leadsThroughLink } from '../core/bounds/pathWithin';
import { UsageError } from './exitCodes';

/** Refuses to write a path below the folder that leads through a link. @throws {UsageError} */
export function refuseLinks(folder: string, named: string): void {
  if (!leadsThroughLink(folder, named)) return;
  throw new UsageError(`${named} is not written: its path contains a link.`);
}

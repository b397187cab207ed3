import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** A file of the journal, written by one window. */
export interface Segment {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since the epoch; no entry in it is later. */
  readonly modifiedAt: number;
}

const namePattern = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-[0-9a-f]{8}\.jsonl$/;

/** Returns a unique name such as `2026-01-31T09-30-00-000Z-1f2e3d4c.jsonl`, which sorts by time. */
export function newSegmentName(at: number): string {
  const time = new Date(at).toISOString().replaceAll(/[:.]/g, '-');
  return `${time}-${randomBytes(4).toString('hex')}.jsonl`;
}

/** Returns when the segment began, by its name, in milliseconds since the epoch. */
export function segmentStart(name: string): number {
  const [, day = '', hour = '', minute = '', second = '', ms = ''] =
    /^(.{10})T(..)-(..)-(..)-(...)Z/.exec(name) ?? [];
  return Date.parse(`${day}T${hour}:${minute}:${second}.${ms}Z`);
}

/**
 * Returns true for the name of a segment. This also prevents foreign names from being used as
 * paths.
 */
export function isSegmentName(name: string): boolean {
  return namePattern.test(name);
}

/** Returns the segments of a folder in the order of their beginning; none if there is no folder. */
export async function listSegments(folder: string): Promise<readonly Segment[]> {
  const names = await readdir(folder).catch(ifNotFound<string[]>([]));
  const segments: Segment[] = [];
  for (const name of names.filter(isSegmentName).toSorted()) {
    // The file is gone, because another window removed it.
    const facts = await stat(path.join(folder, name)).catch(ifNotFound(undefined));
    if (facts?.isFile() === true) {
      segments.push({ name, size: facts.size, modifiedAt: facts.mtimeMs });
    }
  }
  return segments;
}

/**
 * Returns an error handler that returns `value` for a missing file or folder, and rethrows other
 * errors.
 */
export function ifNotFound<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (errorCodeOf(error) === 'ENOENT') return value;
    throw error;
  };
}

export function errorCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

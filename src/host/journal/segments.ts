import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** One file of the journal, written by one window. */
export interface Segment {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Epoch ms; no entry in it is later. */
  readonly modifiedAt: number;
}

const namePattern = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-[0-9a-f]{8}\.jsonl$/;

/** `2026-01-31T09-30-00-000Z-1f2e3d4c.jsonl`: in order of their beginning, and never twice. */
export function newSegmentName(at: number): string {
  const time = new Date(at).toISOString().replaceAll(/[:.]/g, '-');
  return `${time}-${randomBytes(4).toString('hex')}.jsonl`;
}

/** When the segment was begun by its name, epoch ms. */
export function segmentStart(name: string): number {
  const [, day = '', hour = '', minute = '', second = '', ms = ''] =
    /^(.{10})T(..)-(..)-(..)-(...)Z/.exec(name) ?? [];
  return Date.parse(`${day}T${hour}:${minute}:${second}.${ms}Z`);
}

/** Whether a file of the folder is a segment; also what keeps foreign names from being paths. */
export function isSegmentName(name: string): boolean {
  return namePattern.test(name);
}

/** The segments of a folder in the order in which they were begun; none where there is no folder. */
export async function listSegments(folder: string): Promise<readonly Segment[]> {
  const names = await readdir(folder).catch(ifNotFound<string[]>([]));
  const segments: Segment[] = [];
  for (const name of names.filter(isSegmentName).toSorted()) {
    // Gone meanwhile: another window keeps the journal small.
    const facts = await stat(path.join(folder, name)).catch(ifNotFound(undefined));
    if (facts?.isFile() === true) {
      segments.push({ name, size: facts.size, modifiedAt: facts.mtimeMs });
    }
  }
  return segments;
}

/** A handler that makes `value` of a missing file or folder, and leaves other errors. */
export function ifNotFound<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (codeOf(error) === 'ENOENT') return value;
    throw error;
  };
}

export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

import { stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { maxStringChars, type NoteEntry } from './entry';
import { mayBeWriting, type SegmentEnds } from './segmentEnds';

/**
 * Cuts off the half line that a window left when it died, after `note` wrote down what it was, so
 * that nothing is lost. Leaves segments alone that somebody may still be writing. What `note`
 * rejects with stops it. @throws what the file system throws
 */
export async function repairTornLine(
  folder: string,
  ends: SegmentEnds,
  now: number,
  note: (entry: NoteEntry) => Promise<void>,
): Promise<void> {
  const { torn, segment } = ends;
  if (torn === undefined || mayBeWriting(ends, now)) return;
  const file = path.join(folder, segment.name);
  await note({
    kind: 'note',
    note: 'tornLine',
    segment: segment.name,
    bytes: segment.size - torn.offset,
    text: Buffer.from(torn.bytes).toString('utf8').slice(0, maxStringChars),
  });
  // Another window may have been faster, and its cut must not be followed by a second one.
  const { size } = await stat(file);
  if (size === segment.size) await truncate(file, torn.offset);
}

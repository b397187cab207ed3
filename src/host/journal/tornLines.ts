import { stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { maxStringChars, type NoteEntry } from './entry';
import { mayBeWriting, type SegmentEnds } from './segmentEnds';

/**
 * Cuts off the partial line of a window that died, after `note` recorded it, so that nothing is
 * lost. Skips segments that may still be written. Stops if `note` rejects.
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
  // Another window may have cut it already, and it must not be cut twice.
  const { size } = await stat(file);
  if (size === segment.size) await truncate(file, torn.offset);
}

import path from 'node:path';
import type { DecisionEntry, SegmentTip } from './entry';
import { readLine } from './journalLine';
import { mayBeWriting, readEnds, type SegmentEnds } from './segmentEnds';
import { linesOf } from './segmentLines';
import { listSegments } from './segments';

/** Far more than the calls that run when a window ends. */
const maxOpenCalls = 10_000;

/**
 * Returns the ids of calls without an end, because their window ended. Reads the segments written
 * since another window last began, which `unnamed` names.
 * @throws what the file system throws for the folder
 */
export async function openCalls(
  folder: string,
  unnamed: readonly SegmentTip[],
  now: number,
): Promise<readonly string[]> {
  const names = new Set(unnamed.map(({ segment }) => segment));
  const all: SegmentEnds[] = [];
  for (const segment of await listSegments(folder)) {
    const ends = await readEnds(folder, segment).catch(() => undefined);
    if (ends?.header !== undefined) all.push(ends);
  }
  const isLeft = (ends: SegmentEnds): boolean =>
    names.has(ends.segment.name) && !mayBeWriting(ends, now);
  const windows = new Set(all.filter(isLeft).map(windowOf));
  const open = new Set<string>();
  // The decision and the end of a call may be in different segments of its window.
  for (const ends of all) {
    if (!windows.has(windowOf(ends))) continue;
    await follow(path.join(folder, ends.segment.name), open, !mayBeWriting(ends, now));
  }
  return [...open].slice(-maxOpenCalls);
}

function windowOf({ header }: SegmentEnds): string {
  return `${header?.pid} ${header?.host}`;
}

async function follow(file: string, open: Set<string>, isLeft: boolean): Promise<void> {
  for await (const lines of linesOf(file)) {
    for (const { bytes } of lines) {
      const read = readLine(bytes);
      if (read.kind !== 'entry') continue;
      const { content } = read.entry;
      if (isLeft && content.kind === 'decision' && runs(content)) open.add(content.callId);
      else if (content.kind === 'outcome') open.delete(content.callId);
    }
  }
}

/** Returns true if the call was made, so that it needs an end. */
function runs({ effect, answer }: DecisionEntry): boolean {
  return effect === 'allow' || (effect === 'ask' && answer === 'run');
}

import type { ToolEntry } from '../../connections/snapshot';
import { fingerprint as fingerprintOf, type Fingerprint } from '../facts/fingerprints';
import { isDistinctFingerprint, type ToolFingerprints } from './pinDefinition';
import { WorkTurns } from '../../../core/bounds/workTurns';

/** Differences between the tools of a running server and the accepted ones, by name. */
export interface ToolMarks {
  readonly new: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
  /** Accepted tools that are no longer listed, in the order of acceptance. */
  readonly gone: readonly string[];
}

export const noMarks: ToolMarks = { new: new Set(), changed: new Set(), gone: [] };

/** The accepted definition of one tool. */
export interface AcceptedTool {
  readonly fingerprint: Fingerprint;
}

/** Compares a definition with the accepted one of the same name. */
export function toolMark(
  accepted: AcceptedTool | undefined,
  fingerprint: Fingerprint,
): 'known' | 'new' | 'changed' {
  // Without a distinct fingerprint, it is unknown whether the definition is the accepted one.
  if (accepted === undefined || !isDistinctFingerprint(fingerprint)) return 'new';
  return accepted.fingerprint === fingerprint ? 'known' : 'changed';
}

export interface ToolsToMark {
  readonly entries: readonly ToolEntry[];
  /** False if the list is incomplete, so that missing tools may still exist. */
  readonly isComplete: boolean;
}

const maxKeyChars = 512;

/** Returns the name under which a tool is stored, because names have no length limit. */
export function pinName(name: string): string {
  return name.length <= maxKeyChars ? name : `${name.slice(0, 100)}… ${fingerprintOf(name)}`;
}

/** Compares a list with the accepted tools, in slices. */
export async function toolMarks(
  { entries, isComplete }: ToolsToMark,
  accepted: ReadonlyMap<string, AcceptedTool>,
  fingerprints: ToolFingerprints,
): Promise<ToolMarks> {
  const marks = { new: new Set<string>(), changed: new Set<string>() };
  const listed = new Set<string>();
  const turns = new WorkTurns();
  for (const { tool } of entries) {
    if (turns.isOver) await turns.giveWay();
    const name = pinName(tool.name);
    listed.add(name);
    if (!tool.callable) continue;
    const mark = toolMark(accepted.get(name), fingerprints.of(tool));
    if (mark !== 'known') marks[mark].add(tool.name);
  }
  const gone: string[] = [];
  for (const name of isComplete ? accepted.keys() : []) {
    if (turns.isOver) await turns.giveWay();
    if (!listed.has(name)) gone.push(name);
  }
  return { ...marks, gone };
}

export function isSameMarks(one: ToolMarks, other: ToolMarks): boolean {
  return (
    isSameSet(one.new, other.new) &&
    isSameSet(one.changed, other.changed) &&
    one.gone.length === other.gone.length &&
    one.gone.every((name, index) => name === other.gone[index])
  );
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one.size !== other.size) return false;
  for (const name of one) if (!other.has(name)) return false;
  return true;
}

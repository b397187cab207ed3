import type { ToolEntry } from '../../connections/snapshot';
import { fingerprint as fingerprintOf, type Fingerprint } from '../facts/fingerprints';
import { tellsApart, type ToolFingerprints } from './pinDefinition';
import { Turns } from './pinTurns';

/** What is different about a running server's tools from what was accepted, by name. */
export interface ToolMarks {
  readonly new: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
  /** Accepted once and not listed any more, in the order in which they were accepted. */
  readonly gone: readonly string[];
}

export const noMarks: ToolMarks = { new: new Set(), changed: new Set(), gone: [] };

/** What was accepted of one tool. */
export interface AcceptedTool {
  readonly fingerprint: Fingerprint;
}

/** How a definition compares with what was accepted under its name. */
export function markOf(
  accepted: AcceptedTool | undefined,
  fingerprint: Fingerprint,
): 'known' | 'new' | 'changed' {
  // Of such a definition nobody can tell whether it is the one that was accepted.
  if (accepted === undefined || !tellsApart(fingerprint)) return 'new';
  return accepted.fingerprint === fingerprint ? 'known' : 'changed';
}

export interface MarkedList {
  readonly entries: readonly ToolEntry[];
  /** Otherwise what is not listed may be there all the same. */
  readonly isComplete: boolean;
}

const maxKeyChars = 512;

/** The name under which a tool is kept; names have no bound of their own. */
export function pinName(name: string): string {
  return name.length <= maxKeyChars ? name : `${name.slice(0, 100)}… ${fingerprintOf(name)}`;
}

/** Compares a list with what was accepted, in slices. */
export async function marksOf(
  { entries, isComplete }: MarkedList,
  accepted: ReadonlyMap<string, AcceptedTool>,
  fingerprints: ToolFingerprints,
): Promise<ToolMarks> {
  const marks = { new: new Set<string>(), changed: new Set<string>() };
  const listed = new Set<string>();
  const turns = new Turns();
  for (const { tool } of entries) {
    if (turns.isOver) await turns.next();
    const name = pinName(tool.name);
    listed.add(name);
    if (!tool.callable) continue;
    const mark = markOf(accepted.get(name), fingerprints.of(tool));
    if (mark !== 'known') marks[mark].add(tool.name);
  }
  const gone: string[] = [];
  for (const name of isComplete ? accepted.keys() : []) {
    if (turns.isOver) await turns.next();
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

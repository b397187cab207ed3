import type { TreeItemLabel } from 'vscode';
import { matchRanges } from '../picking/toolFilter';

/** A label in which the words that the filter looks for are marked. */
export function highlighted(label: string, words: readonly string[]): string | TreeItemLabel {
  const highlights = matchRanges(label, words);
  return highlights.length === 0 ? label : { label, highlights: [...highlights] };
}

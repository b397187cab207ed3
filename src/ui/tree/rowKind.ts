import type { Command, MarkdownString, TreeItem, TreeItemLabel } from 'vscode';
import type { ProcessUsage } from '../../core/stdio/processFacts';
import type { TreeModel } from './treeModel';
import type { Row } from './treeRows';
import { matchRanges } from '../picking/toolFilter';

/**
 * Content and behavior of one kind of row. The model decides which rows exist, and below which
 * parent.
 */
export interface RowKind<Kind extends Row['kind']> {
  /** Is called for every visible row, so it must be fast. */
  readonly item: (row: RowOf<Kind>, model: TreeModel) => TreeItem;
  /** Is called when the pointer rests on the row. By default VS Code shows the label. */
  readonly tooltip?: (
    row: RowOf<Kind>,
    model: TreeModel,
    usage?: ProcessUsage,
  ) => MarkdownString | undefined;
  /** Command of Enter and a click. By default they open and close the row. */
  readonly command?: (row: RowOf<Kind>, model: TreeModel) => Command | undefined;
}

export type RowOf<Kind extends Row['kind']> = Extract<Row, { readonly kind: Kind }>;

/** Returns a label in which the words of the filter are highlighted. */
export function highlighted(label: string, words: readonly string[]): string | TreeItemLabel {
  const highlights = matchRanges(label, words);
  return highlights.length === 0 ? label : { label, highlights: [...highlights] };
}

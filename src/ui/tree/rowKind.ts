import type { Command, MarkdownString, TreeItem } from 'vscode';
import type { ProcessUsage } from '../../core/stdio/processFacts';
import type { TreeModel } from './treeModel';
import type { Row } from './treeRows';

/** What a row of one kind shows and does. The model knows which rows there are, and below which parent. */
export interface RowKind<Kind extends Row['kind']> {
  /** Drawn for every row that is in sight, so nothing slow belongs here. */
  readonly item: (row: RowOf<Kind>, model: TreeModel) => TreeItem;
  /** Made when the pointer rests on the row. Absent: VS Code shows the label. */
  readonly tooltip?: (
    row: RowOf<Kind>,
    model: TreeModel,
    usage?: ProcessUsage,
  ) => MarkdownString | undefined;
  /** What Enter and a click do. Absent: they open and close the row. */
  readonly command?: (row: RowOf<Kind>, model: TreeModel) => Command | undefined;
}

export type RowOf<Kind extends Row['kind']> = Extract<Row, { readonly kind: Kind }>;

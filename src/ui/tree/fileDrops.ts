import * as vscode from 'vscode';
import type { Row } from './treeRows';

/** Files that were dropped, and the tool on whose row. */
export interface DroppedFiles {
  readonly serverId: string;
  readonly toolName: string;
  readonly uris: readonly vscode.Uri[];
}

const uriList = 'text/uri-list';

/** Takes files from the explorer, from editors' tabs and from outside, on rows of tools only. */
export class FileDrops implements vscode.TreeDragAndDropController<Row> {
  readonly dropMimeTypes = [uriList];
  readonly dragMimeTypes = [];
  readonly #drop: (files: DroppedFiles) => Promise<void>;

  constructor(drop: (files: DroppedFiles) => Promise<void>) {
    this.#drop = drop;
  }

  async handleDrop(target: Row | undefined, transfer: vscode.DataTransfer): Promise<void> {
    const list = await transfer.get(uriList)?.asString();
    if (list === undefined || target?.kind !== 'tool') return;
    // Not waited for: the call may last for minutes, the drop is over.
    const { serverId, toolName } = target;
    void this.#drop({ serverId, toolName, uris: toUris(list) });
  }
}

/** One address on each line; lines with `#` are comments. */
function toUris(list: string): readonly vscode.Uri[] {
  const lines = list.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => vscode.Uri.parse(line));
}

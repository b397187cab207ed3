import * as vscode from 'vscode';
import type { DroppedFiles } from '../calls/sendToTool';
import type { Row } from './treeRows';

const uriList = 'text/uri-list';

/** Accepts files from the explorer, from editor tabs and from outside, on tool rows only. */
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
    // The call is not awaited: it may take minutes, and the drop is already over.
    const { serverId, toolName } = target;
    void this.#drop({ serverId, toolName, uris: toUris(list) });
  }
}

/** Parses a `text/uri-list`: one URI on each line; lines that begin with `#` are comments. */
function toUris(list: string): readonly vscode.Uri[] {
  const lines = list.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => vscode.Uri.parse(line));
}

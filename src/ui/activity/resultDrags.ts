import * as vscode from 'vscode';
import type { Results } from '../results/results';
import type { ActivityRow } from './callRows';

const uriList = 'text/uri-list';

/**
 * Hands on what calls brought by dragging their rows: to the editors, or to the row of a tool that
 * takes a file. Only what is kept as documents already; nothing is read for a drag.
 */
export class ResultDrags implements vscode.TreeDragAndDropController<ActivityRow> {
  readonly dragMimeTypes = [uriList];
  readonly dropMimeTypes = [];
  readonly #results: Pick<Results, 'uriOf'>;

  constructor(results: Pick<Results, 'uriOf'>) {
    this.#results = results;
  }

  handleDrag(rows: readonly ActivityRow[], transfer: vscode.DataTransfer): void {
    const uris = rows.flatMap((row) => {
      const uri = 'callId' in row ? this.#results.uriOf(row.callId) : undefined;
      return uri === undefined ? [] : [uri.toString()];
    });
    if (uris.length > 0) transfer.set(uriList, new vscode.DataTransferItem(uris.join('\r\n')));
  }
}

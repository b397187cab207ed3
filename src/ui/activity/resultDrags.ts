import * as vscode from 'vscode';
import type { Results } from '../results/results';
import type { ActivityRow } from './callRows';

const uriList = 'text/uri-list';

/**
 * Lets the user drag results from their rows into editors, or onto a tool that takes a file. Offers
 * only results that already have documents, so a drag reads nothing.
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

import * as vscode from 'vscode';
import type { TextRange } from '../../host/configuration/jsonTree';

/** Places in a text as lines and columns, for files that no document is open for. */
export class TextPlaces {
  /** Where each line begins. */
  readonly #lines: readonly number[];
  readonly #end: number;

  constructor(text: string) {
    const breaks = [...text.matchAll(/\r\n|\r|\n/g)];
    this.#lines = [0, ...breaks.map((found) => found.index + found[0].length)];
    this.#end = text.length;
  }

  /** What is behind the end of the text is at its end. */
  range({ offset, length }: TextRange): vscode.Range {
    return new vscode.Range(this.#position(offset), this.#position(offset + length));
  }

  #position(given: number): vscode.Position {
    const offset = Math.min(given, this.#end);
    let low = 0;
    let high = this.#lines.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#lines[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return new vscode.Position(low, offset - (this.#lines[low] ?? 0));
  }
}

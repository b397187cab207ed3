import * as vscode from 'vscode';
import type { TextRange } from '../../host/configuration/jsonTree';

/** Converts offsets of a text to lines and columns, for files that are not open as documents. */
export class TextPlaces {
  /** Offset of each line's start. */
  readonly #lines: readonly number[];
  readonly #end: number;

  constructor(text: string) {
    const breaks = [...text.matchAll(/\r\n|\r|\n/g)];
    this.#lines = [0, ...breaks.map((found) => found.index + found[0].length)];
    this.#end = text.length;
  }

  /** An offset beyond the end becomes the end. */
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

export function rangeOf(document: vscode.TextDocument, place: TextRange): vscode.Range {
  const { offset, length } = place;
  return new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
}

/** Creates a problem, by default an error. */
export function problemAt(
  range: vscode.Range,
  sentence: string,
  code?: string,
  severity = vscode.DiagnosticSeverity.Error,
): vscode.Diagnostic {
  const problem = new vscode.Diagnostic(range, sentence, severity);
  problem.source = 'Toolgate';
  if (code !== undefined) problem.code = code;
  return problem;
}

/** VS Code collapses a plain space after an icon at the start of a lens. */
const iconAndSpace = /^(\$\([\w~-]+\)) /;

/** Creates a code lens whose text keeps its distance from the icon before it. */
export function codeLens(range: vscode.Range, command: vscode.Command): vscode.CodeLens {
  const title = command.title.replace(iconAndSpace, '$1\u00A0');
  return new vscode.CodeLens(range, { ...command, title });
}

/** Creates a code lens above a line, counted from 0, whose command gets `rest`. */
export function lensAtLine(
  line: number,
  title: string,
  command: string,
  ...rest: unknown[]
): vscode.CodeLens {
  return codeLens(new vscode.Range(line, 0, line, 0), { title, command, arguments: rest });
}

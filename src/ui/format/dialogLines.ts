import { dialogText } from './dialogText';

/** So many lines of detail does a dialog show in a window of 640 x 400, below a title of one line. */
export const dialogLines = 13;

/** Pixels, where three buttons make the dialog as narrow as it gets. */
const lineWidth = 360;
/** Of the same window, whose letters are larger and bold. */
const titleWidth = 300;

/**
 * How many lines a text takes in a dialog of VS Code, in a font that is wide: rather too many than
 * too few. Lines are broken at blanks, perhaps behind hyphens, and inside a word that is longer than
 * a line.
 */
export function drawnLines(text: string): number {
  return countLines(dialogText(text), lineWidth);
}

/** The same for the title. */
export function drawnTitleLines(title: string): number {
  return countLines(title, titleWidth);
}

/** What of `text` takes at most so many lines, with `…` in place of the rest. */
export function withinLines(text: string, lines: number): string {
  if (drawnLines(text) <= lines) return text;
  let [least, most] = [0, Math.min(text.length, lines * lineWidth)];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (drawnLines(`${text.slice(0, middle)}…`) <= lines) least = middle;
    else most = middle - 1;
  }
  return `${text.slice(0, least).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function countLines(text: string, width: number): number {
  let lines = 0;
  for (const line of text.split('\n')) {
    const words = line.split(' ').map((word) => ({ piece: word, blank: blankWidth }));
    const pieces = words.flatMap(({ piece }) => piecesOf(piece));
    lines += Math.max(countWrapped(words, width), countWrapped(pieces, width));
  }
  return lines;
}

function countWrapped(pieces: readonly Piece[], width: number): number {
  let lines = 1;
  let used = 0;
  for (const { piece, blank } of pieces) {
    let rest = widthOf(piece);
    if (used > 0 && used + blank + rest <= width) {
      used += blank + rest;
      continue;
    }
    if (used > 0) {
      lines += 1;
      used = 0;
    }
    // Each line that is filled may leave the room of one character.
    while (rest > width) {
      lines += 1;
      rest -= width - widest;
    }
    used = rest;
  }
  return lines;
}

const blankWidth = 5;

interface Piece {
  readonly piece: string;
  /** What stands before it in the same line. */
  readonly blank: number;
}

/** Behind some hyphens lines are broken, too; only before the first piece of a word is a blank. */
function piecesOf(word: string): Piece[] {
  const pieces = word.match(/[^-]*-+|[^-]+$/g) ?? [''];
  return pieces.map((piece, index) => ({ piece, blank: index === 0 ? blankWidth : 0 }));
}

const widest = 16;

function widthOf(word: string): number {
  let width = 0;
  for (const character of word) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  if (/[ijlftrI.,:;|!'()[\]/\u00A0]/.test(character)) return 5.5;
  if (/[mwMW@%]/.test(character)) return 13.5;
  if (/[A-Z]/.test(character)) return 10;
  return /[\x21-\x7e“”’]/.test(character) ? 8.5 : widest;
}

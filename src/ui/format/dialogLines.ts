/** Lines of detail that fit into a dialog in a window of 640 x 400, below a title of one line. */
export const dialogLines = 13;

/** Width in pixels; three buttons make a dialog this narrow. */
const lineWidth = 360;
/** Width of the title in the same dialog, whose font is larger and bold. */
const titleWidth = 300;

/**
 * Estimates how many lines a text takes in a dialog of VS Code with a wide font; rather too many
 * than too few. Lines break at spaces, possibly after hyphens, and inside a word that is longer
 * than a line.
 */
export function drawnLines(text: string): number {
  return countLines(dialogText(text), lineWidth);
}

/** Estimates the number of lines of a title. */
export function drawnTitleLines(title: string): number {
  return countLines(title, titleWidth);
}

/** Returns the part of `text` that fits into this many lines, with `…` in place of the rest. */
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
    // Each full line may leave the width of one character unused.
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
  /** Width of the space before it in the same line. */
  readonly blank: number;
}

/** Lines may also break after hyphens. Only the first piece of a word has a space before it. */
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

/**
 * Keeps indentation and runs of spaces of a text for a dialog. VS Code 1.110 renders each run as
 * one space, so the question would look different from what is sent.
 */
export function dialogText(text: string): string {
  return text.replaceAll(/^ | {2,}/gm, (spaces) => '\u00A0'.repeat(spaces.length));
}

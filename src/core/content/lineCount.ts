import { bufferOf } from '../json/bufferOf';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** With shorter lines than this, in bytes, searching costs more than looking at every byte. */
const minSearchedLine = 16;
/** After so many lines each time it is judged by those so far. */
const judgedLines = 256;

/** Counts the lines of UTF-8 that comes in pieces, as the editor does: LF, CR LF or CR ends one. */
export class LineCount {
  #ends = 0;
  #isAfterReturn = false;

  add(piece: Uint8Array): void {
    const ends = this.#isAfterReturn ? undefined : searchedEnds(piece);
    if (ends === undefined) this.#look(piece);
    else this.#ends += ends;
  }

  #look(piece: Uint8Array): void {
    let ends = 0;
    let isAfterReturn = this.#isAfterReturn;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      if (byte === lineFeed ? !isAfterReturn : byte === carriageReturn) ends += 1;
      isAfterReturn = byte === carriageReturn;
    }
    this.#ends += ends;
    this.#isAfterReturn = isAfterReturn;
  }

  /** Of all that was added; text that ends with a line end has an empty last line. */
  get lines(): number {
    return this.#ends + 1;
  }
}

/** Five times as fast for text as it is, and not slow before the engine knows the loop. */
function searchedEnds(piece: Uint8Array): number | undefined {
  const bytes = bufferOf(piece);
  if (bytes.includes(carriageReturn)) return undefined;
  let ends = 0;
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
    ends += 1;
    if (ends % judgedLines === 0 && at < ends * minSearchedLine) return undefined;
  }
  return ends;
}

import type { TextPiece } from './serverConfig';

/** Puts a text together, and remembers what of it comes from elsewhere. */
export class TextPieces {
  readonly #pieces: TextPiece[] = [];
  #plain = '';

  add(text: string): void {
    this.#plain += text;
  }

  /** `reference` as it is written, and what it stands for now. */
  refer(reference: string, value: string): void {
    this.#close();
    this.#pieces.push({ reference, value });
  }

  /** Pieces of a part that was put together before. */
  append(pieces: readonly TextPiece[]): void {
    for (const piece of pieces) {
      if ('text' in piece) this.add(piece.text);
      else this.refer(piece.reference, piece.value);
    }
  }

  /** No two plain texts follow each other, and none is empty. */
  get all(): readonly TextPiece[] {
    this.#close();
    return this.#pieces;
  }

  /** With what the references stand for. */
  get text(): string {
    return this.all.map((piece) => ('text' in piece ? piece.text : piece.value)).join('');
  }

  #close(): void {
    if (this.#plain !== '') this.#pieces.push({ text: this.#plain });
    this.#plain = '';
  }
}

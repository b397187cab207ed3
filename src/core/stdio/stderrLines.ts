import type { Readable } from 'node:stream';

const maxLineChars = 8_192;
const maxTailLines = 40;
const maxTailChars = 4_096;
/** More lines than this in one second are counted, not handed on: nobody reads them. */
const maxLinesPerSecond = 1_000;

/**
 * Reads what a process writes to stderr, always, because an unread pipe stops its writer.
 * Lines are decoded as UTF-8 over chunk borders and cut to 8,192 characters.
 */
export class StderrLines {
  readonly #onLine: (line: string) => void;
  #open = '';
  #tail: string[] = [];
  #second = 0;
  #linesThisSecond = 0;
  #leftOut = 0;

  constructor(stream: Readable, onLine: (line: string) => void) {
    this.#onLine = onLine;
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => this.#take(chunk));
    stream.once('end', () => this.#finish());
    stream.on('error', () => {
      // A pipe that breaks with its process; the exit is what gets reported.
    });
  }

  /** The last lines, at most 4,096 characters; `''` when there were none. Untrusted. */
  tail(): string {
    const lines = this.#open.trim() === '' ? this.#tail : [...this.#tail, this.#open];
    return lines.join('\n').slice(-maxTailChars).trim();
  }

  #take(chunk: string): void {
    const lines = chunk.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      this.#emit(this.#open + line);
      this.#open = '';
    }
    // A line without end is cut where it gets too long; the rest of it is dropped.
    if (this.#open.length < maxLineChars) this.#open += last;
  }

  #finish(): void {
    if (this.#open !== '') this.#emit(this.#open);
    this.#open = '';
    this.#reportLeftOut();
  }

  #emit(raw: string): void {
    const line = (raw.endsWith('\r') ? raw.slice(0, -1) : raw).slice(0, maxLineChars);
    this.#tail.push(line);
    if (this.#tail.length > 2 * maxTailLines) this.#tail = this.#tail.slice(-maxTailLines);

    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) {
      this.#reportLeftOut();
      this.#second = second;
      this.#linesThisSecond = 0;
    }
    this.#linesThisSecond += 1;
    if (this.#linesThisSecond > maxLinesPerSecond) this.#leftOut += 1;
    else this.#onLine(line);
  }

  #reportLeftOut(): void {
    if (this.#leftOut === 0) return;
    this.#onLine(`[… ${this.#leftOut} lines left out]`);
    this.#leftOut = 0;
  }
}

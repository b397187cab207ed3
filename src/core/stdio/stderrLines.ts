import type { Readable } from 'node:stream';
import { ReadingTurns } from '../rpc/readingTurns';

const maxLineChars = 8_192;
const maxTailLines = 40;
const maxTailChars = 4_096;
/** More lines than this in one second are counted, not delivered. */
const maxLinesPerSecond = 1_000;

export interface StderrSink {
  readonly onLine: (line: string) => void;
  /** Called once for each second in which lines were omitted. */
  readonly onLeftOut: (lines: number) => void;
}

/**
 * Reads the stderr of a process continuously, because an unread pipe stops its writer.
 * Lines are decoded as UTF-8 across chunk borders and cut to 8,192 characters.
 */
export class StderrLines {
  readonly #sink: StderrSink;
  #open = '';
  #tail: string[] = [];
  #second = 0;
  #linesThisSecond = 0;
  #leftOut = 0;

  constructor(stream: Readable, sink: StderrSink) {
    this.#sink = sink;
    stream.setEncoding('utf8');
    const turns = new ReadingTurns(stream);
    stream.on('data', (chunk: string) => {
      turns.begin();
      this.#take(chunk);
      turns.took(chunk);
    });
    // Without an end, because another process holds the pipe, the last line would be missing.
    stream.once('close', () => this.#finish());
    stream.on('error', () => {
      // The pipe breaks with its process; the exit is reported instead.
    });
  }

  /**
   * Returns the last lines, at most 4,096 characters; `''` if there were none. Untrusted. Lines are
   * whole except for the end of a long one: a secret whose beginning is cut off could not be
   * recognized.
   */
  tail(): string {
    const kept: string[] = [];
    let chars = 0;
    for (const line of [...this.#tail, this.#open].toReversed()) {
      if (kept.length === 0 && line.trim() === '') continue;
      chars += line.length + 1;
      if (kept.length > 0 && chars > maxTailChars) break;
      kept.unshift(line.slice(0, maxTailChars));
    }
    return kept.join('\n').trim();
  }

  #take(chunk: string): void {
    const lines = chunk.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      this.#emit(this.#open + line);
      this.#open = '';
    }
    // A line that grows too long is cut; the rest of it is dropped.
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
    else this.#sink.onLine(line);
  }

  #reportLeftOut(): void {
    if (this.#leftOut === 0) return;
    this.#sink.onLine(`[… ${this.#leftOut} lines left out]`);
    this.#sink.onLeftOut(this.#leftOut);
    this.#leftOut = 0;
  }
}

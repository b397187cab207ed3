import type { Readable, Writable } from 'node:stream';

// Lines over a bare pipe without any safety, but as fast as we know how: the messages of a turn go out
// in one write, and the lines of a chunk are made text together.

/** Hands over every line that comes, without its newline. */
export function takeLines(stream: Readable, take: (line: string) => void): void {
  let parts: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(10);
    if (end < 0) {
      parts.push(chunk);
      return;
    }
    let start = 0;
    if (parts.length > 0) {
      start = chunk.indexOf(10) + 1;
      const line = Buffer.concat([...parts, chunk.subarray(0, start - 1)]);
      parts = [];
      take(line.toString());
    }
    if (start <= end) for (const line of chunk.toString('utf8', start, end).split('\n')) take(line);
    if (end + 1 < chunk.length) parts.push(chunk.subarray(end + 1));
  });
}

/** What writes a line, together with the others of its turn. */
export function lineWriter(stream: Writable): (line: string) => void {
  let queued = '';
  const flush = (): void => {
    stream.write(queued);
    queued = '';
  };
  return (line) => {
    if (queued === '') process.nextTick(flush);
    queued += line + '\n';
  };
}

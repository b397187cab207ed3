import type { Readable } from 'node:stream';

/** Settles when the stream has been read to its end or was destroyed. */
export function streamClosed(stream: Readable): Promise<void> {
  return stream.closed
    ? Promise.resolve()
    : new Promise((resolve) => stream.once('close', () => resolve()));
}

/** Resolves with true if `event` settles within the time; leaves no timer behind. */
export async function settlesWithin(event: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const came = await Promise.race([event.then(() => true), timeIsUp]);
  clearTimeout(timer);
  return came;
}

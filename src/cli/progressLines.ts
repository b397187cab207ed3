import type { Progress } from '../core/types';
import type { CliOutput } from './cliOutput';

/** Servers may report at any rate; this limits the lines to what a person reads. */
const leastMs = 1_000;

/**
 * Returns a function that writes the progress of a call to a terminal: the first report at once, then
 * at most one a second. Writes nothing elsewhere, where nobody waits in front of it.
 */
export function progressLines(output: CliOutput): (progress: Progress) => void {
  let shownAt = Number.NEGATIVE_INFINITY;
  return (progress) => {
    const now = performance.now();
    if (!output.isTerminal || now - shownAt < leastMs) return;
    shownAt = now;
    output.notify(lineOf(progress));
  };
}

function lineOf({ progress, total, message }: Progress): string {
  const amount = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === undefined ? amount : `${amount}: ${message}`;
}

/** How long a person would wait for the window to show something, with much else on the machine. */
export const patienceMs = 30_000;
/** After this a person would do it once more: what came of it may be lost. */
export const retryMs = 5_000;
/** At first, for what is there at once; then longer and longer, to leave the window its processor. */
const firstPollMs = 25;
const lastPollMs = 150;
const pollGrowth = 1.4;

/** Exactly this text, whatever white space VS Code puts around it. */
export function exactly(text: string): RegExp {
  return new RegExp(`^\\s*${text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}\\s*$`);
}

/** What `read` gives as soon as `isEnough` holds for it. */
export async function eventually<T>(
  read: () => T | PromiseLike<T>,
  isEnough: (value: T) => boolean,
  timeoutMs = patienceMs,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(lastPollMs, pollMs * pollGrowth)) {
    const value = await read();
    if (isEnough(value)) return value;
    if (performance.now() > end) {
      throw new Error(`After ${timeoutMs} ms it is still: ${JSON.stringify(value, undefined, 2)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

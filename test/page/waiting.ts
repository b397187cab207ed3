/** How long a person would wait for the window to show something. */
export const patienceMs = 15_000;
const pollMs = 50;

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
  for (;;) {
    const value = await read();
    if (isEnough(value)) return value;
    if (performance.now() > end) {
      throw new Error(`After ${timeoutMs} ms it is still: ${JSON.stringify(value, undefined, 2)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

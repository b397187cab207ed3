/** Milliseconds. A frame has 16 ms, and the rest is left for other drawing. */
const longestTurnMs = 8;

/**
 * Works in turns so that the window stays responsive. Resolves to `undefined` once `goesOn` returns
 * false.
 */
export async function inTurns<T>(
  work: Generator<void, T>,
  goesOn: () => boolean = () => true,
): Promise<T | undefined> {
  let startedAt = performance.now();
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    if (performance.now() - startedAt < longestTurnMs) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (!goesOn()) return undefined;
    startedAt = performance.now();
  }
}

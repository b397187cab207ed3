/** A frame has 16 ms; the rest of it belongs to whatever else draws. */
const longestTurnMs = 8;

/** Works in turns, so that the window is never held up; ends without a value once it goes on no more. */
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

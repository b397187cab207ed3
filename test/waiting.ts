/** How long a person would wait for the window to show something, with much else on the machine. */
export const patienceMs = 60_000;
/** After this a person would do it once more: what came of it may be lost. */
export const retryMs = 5_000;
/** At first, for what is there at once; then longer and longer, to leave the machine its processor. */
const firstPollMs = 25;
/** For what costs nothing to look at. */
const firstCheckMs = 5;
const lastPollMs = 150;
const pollGrowth = 1.4;

/** Exactly this text, whatever white space VS Code puts around it. */
export function exactly(text: string): RegExp {
  return new RegExp(`^\\s*${text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}\\s*$`);
}

/** The real clock, also in tests that stop it. */
const startTimer = globalThis.setTimeout;
const now = performance.now.bind(performance);

/** What `read` gives as soon as `isEnough` holds for it. */
export function eventually<T>(
  read: () => T | PromiseLike<T>,
  isEnough: (value: T) => boolean,
  timeoutMs = patienceMs,
): Promise<T> {
  const notify = (value: T) => `it is still: ${JSON.stringify(value, undefined, 2)}`;
  return poll({ read, isEnough, firstMs: firstPollMs, timeoutMs, notify });
}

/** Resolves as soon as `isSo`. */
export async function until(isSo: () => boolean | PromiseLike<boolean>): Promise<void> {
  const notify = () => `it is not so: ${String(isSo)}`;
  const times = { firstMs: firstCheckMs, timeoutMs: patienceMs };
  await poll({ read: isSo, isEnough: Boolean, ...times, notify });
}

interface EventWait {
  readonly timeoutMs?: number;
  /** What else an error says. */
  readonly notify?: () => string;
}

/** Resolves as soon as `isSo`, which only changes with `event`. */
export async function untilEvent(
  event: (listener: () => void) => { dispose(): unknown },
  isSo: () => boolean,
  { timeoutMs = patienceMs, notify = () => '' }: EventWait = {},
): Promise<void> {
  let stop = (): unknown => undefined;
  await new Promise<void>((resolve, reject) => {
    const late = () => `After ${timeoutMs} ms it is not so: ${String(isSo)} ${notify()}`;
    const timer = startTimer(() => reject(new Error(late())), timeoutMs);
    const subscription = event(() => isSo() && resolve());
    stop = () => {
      clearTimeout(timer);
      subscription.dispose();
    };
    if (isSo()) resolve();
  }).finally(() => stop());
}

interface Poll<T> {
  readonly read: () => T | PromiseLike<T>;
  readonly isEnough: (value: T) => boolean;
  readonly firstMs: number;
  readonly timeoutMs: number;
  readonly notify: (value: T) => string;
}

async function poll<T>({ read, isEnough, firstMs, timeoutMs, notify }: Poll<T>): Promise<T> {
  const end = now() + timeoutMs;
  for (let pollMs = firstMs; ; pollMs = Math.min(lastPollMs, pollMs * pollGrowth)) {
    const value = await read();
    if (isEnough(value)) return value;
    if (now() > end) throw new Error(`After ${timeoutMs} ms ${notify(value)}`);
    await new Promise((resolve) => startTimer(resolve, pollMs));
  }
}

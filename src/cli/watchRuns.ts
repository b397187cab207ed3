import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CliOutput } from './cliOutput';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';
import { ownStamps, stampsBeside, type FileStamps, type WatchedFiles } from './watchedFiles';

/** Files are looked at so often, or after ten times as long as that takes. */
const lookMs = 200;
const stillMs = 100;
/** What never stands still is read as it is. */
const maxLooks = 20;

export interface WatchRunsOptions {
  readonly folder: string;
  readonly output: CliOutput;
  /** What the next run reads. @throws {UsageError} */
  readonly look: () => Promise<WatchedFiles>;
  /** Runs everything once; hands over what cancels the run. @throws {UsageError} */
  readonly runOnce: (onCancel: (cancel: () => void) => void) => Promise<ExitCode>;
  readonly onCancel: (cancel: () => void) => void;
}

/** Runs again whenever something that a run reads was changed, until it is cancelled. @throws {UsageError} of the first run */
export async function watchRuns(options: WatchRunsOptions): Promise<ExitCode> {
  const { folder, output, look, runOnce } = options;
  const ending = new AbortController();
  let cancelRun: (() => void) | undefined;
  options.onCancel(() => {
    ending.abort();
    cancelRun?.();
  });
  let watched = await look();
  for (let count = 1; ; count += 1) {
    const before = await ownStamps(watched);
    try {
      await runOnce((cancel) => (cancelRun = cancel));
    } catch (error) {
      if (count === 1 || !(error instanceof UsageError)) throw error;
      output.tell(error.message);
    }
    if (ending.signal.aborted) return exitCodes.cancelled;
    const beside = await stampsBeside(watched);
    output.tell('Waiting for changes. Ctrl+C ends this.');
    const changed = await nextChange(watched, before, beside, ending.signal);
    if (changed === undefined) return exitCodes.cancelled;
    output.tell(`Changed: ${path.relative(folder, changed)}`);
    // While a file is half written, what it names is not known.
    watched = await look().catch(() => watched);
  }
}

/** A file that is not as it was; `undefined`: it was cancelled before. */
async function nextChange(
  watched: WatchedFiles,
  own: FileStamps,
  beside: FileStamps,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (;;) {
    const startedAt = performance.now();
    const changed =
      firstChange(own, await ownStamps(watched)) ??
      firstChange(beside, await stampsBeside(watched));
    if (changed !== undefined) await untilStill(watched, signal);
    if (signal.aborted || changed !== undefined) return signal.aborted ? undefined : changed;
    const pause = Math.max(lookMs, 10 * (performance.now() - startedAt));
    await delay(pause, undefined, { signal }).catch(() => undefined);
  }
}

/** Waits until nothing changes between two looks: a file is emptied before it is written anew. */
async function untilStill(watched: WatchedFiles, signal: AbortSignal): Promise<void> {
  let last = await ownStamps(watched);
  for (let looks = 0; looks < maxLooks && !signal.aborted; looks += 1) {
    await delay(stillMs, undefined, { signal }).catch(() => undefined);
    const now = await ownStamps(watched);
    if (firstChange(last, now) === undefined) return;
    last = now;
  }
}

function firstChange(before: FileStamps, now: FileStamps): string | undefined {
  const files = new Set([...before.keys(), ...now.keys()]);
  return [...files].find((file) => before.get(file) !== now.get(file));
}

import type { Disposable, Event } from 'vscode';
import { settlesWithin } from '../../core/bounds/valueWithin';

/** Resolves with true if `isSo` holds now, or at one of these events within `ms` milliseconds. */
export async function isSoWithin(
  ms: number,
  event: Event<unknown>,
  isSo: () => boolean,
): Promise<boolean> {
  if (isSo()) return true;
  let listener: Disposable | undefined;
  const heard = new Promise<void>((resolve) => {
    listener = event(() => isSo() && resolve());
  });
  await settlesWithin(heard, ms);
  listener?.dispose();
  return isSo();
}

import type { Progress } from '../core/types';
import type { ServerRegistry } from '../host/connections/registry';
import type { CliOutput } from './cliOutput';
import { inLine } from './errorMessage';

/** Servers may report at any rate; this limits the lines to what a person reads. */
const leastMs = 1_000;

/**
 * Returns a function that writes the progress of a call to a terminal: the first report at once, then
 * at most one a second. Writes nothing if standard error is no terminal.
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

/** Says once on a terminal that a package manager installs a server, which can take minutes. */
export function notifyInstalling(
  registry: Pick<ServerRegistry, 'find' | 'onDidChange'>,
  output: CliOutput,
): void {
  const told = new Set<string>();
  if (!output.isTerminal) return;
  registry.onDidChange((change) => {
    if (change.kind !== 'state') return;
    const { id } = change;
    const state = registry.find(id)?.state;
    if (state?.kind !== 'starting' || state.isInstalling !== true || told.has(id)) return;
    told.add(id);
    output.notify(`Server "${inLine(id)}": a package manager installs it. Ctrl+C cancels.`);
  });
}

function lineOf({ progress, total, message }: Progress): string {
  const amount = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === undefined ? amount : `${amount}: ${message}`;
}

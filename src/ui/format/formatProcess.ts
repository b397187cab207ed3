import * as l10n from '@vscode/l10n';
import type { ProcessUsage } from '../../core/stdio/processFacts';
import type { ProcessNotice } from '../../core/stdio/stdioProcess';
import { formatProcessNotice, type ProcessNoticeTexts } from '../../texts/processNotices';
import type { RestartCount } from '../../host/processes/crashRestarts';
import { formatSize } from './formatFile';
import { quoted } from './sentences';
import { formatUptime } from './formatTime';

/** Describes a problem of a process besides its messages, as a short title and a sentence. */
export function formatNotice(label: string, notice: ProcessNotice): ProcessNoticeTexts {
  return formatProcessNotice(quoted(label), notice);
}

/** Formats the row of a server that crashed and will be restarted. */
export function formatRestart({ attempts, limit }: RestartCount): string {
  return l10n.t('exited, restarting ({0} of {1})', attempts + 1, limit);
}

/** Is added to the reason of the crash. Returns `undefined` if there is nothing to say. */
export function restartSentence({ attempts, limit, nextAt }: RestartCount): string | undefined {
  if (nextAt !== undefined) {
    return l10n.t(
      'Restarting automatically, attempt {0} of {1}. Stop Server cancels.',
      attempts + 1,
      limit,
    );
  }
  return attempts < limit
    ? undefined
    : l10n.t('It exited {0} times in a row. Start it yourself.', attempts + 1);
}

/** Formats the tooltip of a server that was restarted. */
export function formatRestarted({ attempts }: RestartCount): string | undefined {
  if (attempts === 0) return undefined;
  return attempts === 1
    ? l10n.t('Restarted once after it exited unexpectedly.')
    : l10n.t('Restarted {0} times after it exited unexpectedly.', attempts);
}

/** Formats the tooltip with the process id, and with the resource usage if it was measured. */
export function formatProcess(pid: number, usage: ProcessUsage | undefined): string {
  if (usage === undefined) return l10n.t('Process: {0}', String(pid));
  const { memoryBytes, uptimeMs, processes } = usage;
  const memory = formatSize(memoryBytes);
  const up = formatUptime(uptimeMs);
  return processes === 1
    ? l10n.t('Process {0}: {1} of memory, running for {2}', String(pid), memory, up)
    : l10n.t(
        'Process {0} (child processes: {1}): {2} of memory, running for {3}',
        String(pid),
        processes - 1,
        memory,
        up,
      );
}

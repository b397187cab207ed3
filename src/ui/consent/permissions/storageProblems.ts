import * as l10n from '@vscode/l10n';
import type { ConnectionLog } from '../../../core/log';
import type { JournalProblem } from '../../../host/journal/journal';
import type { StorageProblem } from '../../../host/storage/recordStore';
import { notify } from '../../editor/messages';
import { quoted } from '../../format/sentences';

type Log = Pick<ConnectionLog, 'warn'>;

/** Reports that a stored consent file cannot be read, so that the user is asked again. */
export function notifyStorageProblem(log: Log): (problem: StorageProblem) => void {
  return ({ file, code, setAsideAs, detail }) => {
    const aside = setAsideAs === undefined ? '' : `, kept as ${setAsideAs}`;
    log.warn(`${file}: ${code}${aside} (${detail})`);
    const sentence =
      setAsideAs === undefined
        ? l10n.t('Your permissions cannot be read from “{0}”, so you are asked.', quoted(file))
        : l10n.t(
            'Your permissions could not be read, so you are asked again. The file was kept as “{0}”.',
            quoted(setAsideAs),
          );
    notify('warning', sentence);
  };
}

/** Reports when the audit journal cannot be written, and when it can be written again. */
export function notifyJournalProblem(log: Log): (problem: JournalProblem) => void {
  return (problem) => {
    if (problem.kind === 'writableAgain') {
      const sentence = l10n.t(
        'The audit journal is writable again. Entries lost meanwhile: {0}.',
        problem.lost,
      );
      log.warn(sentence);
      notify('information', sentence);
      return;
    }
    log.warn(problem.error.message);
    if (problem.kind === 'untidy') return;
    const detail = quoted(problem.error.detail);
    notify('error', l10n.t('The audit journal cannot be written: “{0}”.', detail));
  };
}

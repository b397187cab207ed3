import * as l10n from '@vscode/l10n';
import { assertNever } from '../core/errors';
import type { ProcessNotice } from '../core/stdio/stdioProcess';

export interface ProcessNoticeTexts {
  readonly title: string;
  readonly sentence: string;
}

/** What a process did that a person should know; `server` is its name as it can stand where this is shown. */
export function formatProcessNotice(server: string, notice: ProcessNotice): ProcessNoticeTexts {
  switch (notice.kind) {
    case 'stderrFlood':
      return {
        title: l10n.t('Too much on stderr'),
        sentence: l10n.t(
          'Server “{0}” writes too much to stderr: {1} lines of one second were left out.',
          server,
          notice.leftOut,
        ),
      };
    case 'killed':
      return {
        title: l10n.t('Had to be killed'),
        sentence: l10n.t(
          'Server “{0}” did not end when asked, so it was killed. Unsaved data of it may be lost.',
          server,
        ),
      };
    case 'leftBehind':
      return {
        title: l10n.t('Left processes running'),
        sentence: l10n.t(
          'Server “{0}” ended and left processes running. They were ended too; see its log.',
          server,
        ),
      };
    default:
      return assertNever(notice);
  }
}

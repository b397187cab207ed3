import * as l10n from '@vscode/l10n';
import { assertNever } from '../core/errors';
import type { ProcessNotice } from '../core/stdio/stdioProcess';

export interface ProcessNoticeTexts {
  readonly title: string;
  readonly sentence: string;
}

/**
 * Returns the texts of an event that the user should know; `server` is its name, ready to display.
 */
export function formatProcessNotice(server: string, notice: ProcessNotice): ProcessNoticeTexts {
  switch (notice.kind) {
    case 'stderrFlood':
      return {
        title: l10n.t('Too much on stderr'),
        sentence: l10n.t(
          'Server “{0}” writes too much to stderr: {1} lines in one second were dropped.',
          server,
          notice.leftOut,
        ),
      };
    case 'killed':
      return {
        title: l10n.t('Killed'),
        sentence: l10n.t(
          'Server “{0}” did not stop when asked, so it was killed. Unsaved data may be lost.',
          server,
        ),
      };
    case 'leftBehind':
      return {
        title: l10n.t('Child processes left'),
        sentence: l10n.t(
          'Server “{0}” left child processes running. They were stopped; see its log.',
          server,
        ),
      };
    default:
      return assertNever(notice);
  }
}

import * as l10n from '@vscode/l10n';
import { assertNever } from '../../../core/errors';
import type { LockProblem } from '../../../host/consent/pins/lockFile';
import type { LockMismatch } from '../../../host/consent/pins/lockFiles';
import { quoted } from '../../format/sentences';

/** Explains at the tool's entry in the lock file why its calls ask. */
export function mismatchSentence({ kind, toolName }: LockMismatch): string {
  const tool = quoted(toolName);
  switch (kind) {
    case 'changed':
      return l10n.t(
        'The running server has a different definition of “{0}”, so calls ask you.',
        tool,
      );
    case 'missing':
      return l10n.t(
        'The running server has a tool “{0}” that is not listed here, so calls ask you.',
        tool,
      );
    case 'gone':
      return l10n.t('The running server has no usable tool “{0}”.', tool);
    default:
      return assertNever(kind);
  }
}

/** Explains what is wrong with a lock file, and what applies because of it. */
export function lockProblemSentence(code: LockProblem['code']): string {
  switch (code) {
    case 'notJson':
      return l10n.t('This is not valid JSON, so calls of this folder’s servers ask you.');
    case 'wrongForm':
      return l10n.t(
        'Not valid in a lock file ({0}). The tool is treated as not reviewed, so calls ask you.',
        '{ "version": 1, "servers": { "<id>": { "tools": { "<name>": "sha256:<hex>" } } } }',
      );
    case 'otherVersion':
      return l10n.t(
        'Unknown version of the lock file, so calls of this folder’s servers ask you. Update Toolgate.',
      );
    case 'notAFingerprint':
      return l10n.t(
        'Use a definition, or “sha256:” with 64 hexadecimal digits. Until then, calls of the tool ask you.',
      );
    case 'duplicateKey':
      return l10n.t('Duplicate name. Neither entry is used, so calls ask you.');
    default:
      return assertNever(code);
  }
}

/** The system could not read the file. */
export function lockFailureSentence(failure: string): string {
  return l10n.t(
    'The lock file cannot be read, so calls of this folder’s servers ask you. Details: “{0}”',
    quoted(failure),
  );
}

import * as l10n from '@vscode/l10n';

/** For a schema that names no arguments but allows any. */
export function unnamedSentence(): string {
  return l10n.t('The schema of this tool has no parameters.');
}

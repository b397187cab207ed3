import * as l10n from '@vscode/l10n';

/** Said where a schema tells neither which arguments there are nor that there are none. */
export function unnamedSentence(): string {
  return l10n.t('The schema of this tool has no parameters.');
}

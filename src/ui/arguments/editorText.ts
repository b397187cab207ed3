import * as l10n from '@vscode/l10n';
import { tell } from '../editor/messages';

/** Longer texts are not sent from an editor. */
export const maxTextChars = 1_000_000;

export function tellTooLarge(): undefined {
  tell('warning', l10n.t('Too large to send from here: more than 1,000,000 characters.'));
}

import * as l10n from '@vscode/l10n';
import { tell } from '../editor/messages';

/** More is nothing that a person sends on purpose from an editor. */
export const maxTextChars = 1_000_000;

export function tellTooLarge(): undefined {
  tell(
    'warning',
    l10n.t('This is too large to be sent from here: at most 1,000,000 characters are.'),
  );
}

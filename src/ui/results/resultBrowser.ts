import * as vscode from 'vscode';
import { hasHiddenCharacters } from '../../core/visibleText';
import { tell } from '../messages';
import { openAddress } from '../openAddress';

/** Longer addresses do not fit a dialog, and nobody reads them. */
const maxAddressChars = 1_000;

/** Shows `detail` and asks; `true` only if the person presses the button. */
export type AskToOpen = (message: string, detail: string, button: string) => Promise<boolean>;

export async function askInDialog(
  message: string,
  detail: string,
  button: string,
): Promise<boolean> {
  const options = { modal: true, detail };
  return (await vscode.window.showWarningMessage(message, options, button)) === button;
}

/** Only these are ever handed to a browser; `command:`, `file:`, `data:` and the rest never. */
export function isWebAddress(uri: string): boolean {
  return /^https?:\/\//i.test(uri) && URL.canParse(uri);
}

/**
 * Opens an address that a server named, after showing all of it and asking. Says no, with the
 * reason, to an address that cannot be shown as it is.
 */
export async function openInBrowser(uri: string, ask: AskToOpen): Promise<void> {
  if (!isWebAddress(uri)) return;
  if (uri.length > maxAddressChars || hasHiddenCharacters(uri, maxAddressChars) || /\s/.test(uri)) {
    tell(
      'warning',
      vscode.l10n.t(
        'This address was not opened: it is too long, or has characters that cannot be seen.',
      ),
    );
    return;
  }
  // Behind a user name and look-alike letters the host is easily missed; here it stands alone.
  const { host } = new URL(uri);
  const detail = vscode.l10n.t('Host: {0}\nAddress: {1}', host, uri);
  const question = vscode.l10n.t('Open this address, which the server named, in your browser?');
  if (!(await ask(question, detail, vscode.l10n.t('Open in Browser')))) return;
  await openAddress(uri);
}

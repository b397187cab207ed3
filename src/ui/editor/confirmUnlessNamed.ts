import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

/** A confirmation of the document in front. */
export interface NamedConfirmation {
  /** True if the command got the name of the question, which cannot be guessed. */
  readonly isNamed: boolean;
  /** Describes in a short question what will happen. */
  readonly question: string;
  /** Label of the button. */
  readonly yes: string;
}

/**
 * Returns true if the user confirms. Code lenses, editor titles and links of our notifications name
 * what they answer. A keyboard shortcut, the command palette and a task that runs the command name
 * nothing. Then a modal dialog asks again, because no command can press its button. Closing it
 * means no.
 */
export async function confirmUnlessNamed({
  isNamed,
  question,
  yes,
}: NamedConfirmation): Promise<boolean> {
  if (isNamed) return true;
  const detail = l10n.t('Keyboard commands can also be run by other extensions, so this one asks.');
  const options = { modal: true, detail };
  const pressed = await vscode.window.showWarningMessage(question, options, { title: yes });
  return pressed?.title === yes;
}

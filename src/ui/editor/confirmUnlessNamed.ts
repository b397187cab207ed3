import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

/** A yes to what the person has in front. */
export interface NamedConfirmation {
  /** Whether the command was told the name of what it answers, which nobody can guess. */
  readonly isNamed: boolean;
  /** What will happen, as a short question. */
  readonly question: string;
  /** The button. */
  readonly yes: string;
}

/**
 * Whether it is the person who says yes. Lenses, the titles of editors and the links of our
 * notifications name what they answer. A key and the palette name nothing, nor does a task that runs
 * the command: a modal dialog asks once more, because no command of the editor can press one. Closing
 * it means no.
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

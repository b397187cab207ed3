import * as l10n from '@vscode/l10n';
import { unnamedSentence } from '../format/unnamedArguments';
import { chooseInQuickPick } from './rowPrompt';

/** `undefined` if the user cancels. */
export type UnnamedAnswer = 'document' | 'nothing' | 'back' | undefined;

/** Asks how to call a tool whose schema names no arguments but allows any. */
export async function askUnnamed(title: string, hasBack: boolean): Promise<UnnamedAnswer> {
  const chosen = await chooseInQuickPick<'document' | 'nothing'>({
    title,
    message: '',
    placeholder: unnamedSentence(),
    groups: [
      {
        heading: '',
        rows: [
          { icon: 'json', label: l10n.t('Enter as JSON'), answer: 'document' },
          { icon: 'play', label: l10n.t('Call Without Arguments'), answer: 'nothing' },
        ],
      },
    ],
    hasBack,
  });
  if (chosen.kind === 'chosen') return chosen.answer;
  return chosen.kind === 'back' ? 'back' : undefined;
}

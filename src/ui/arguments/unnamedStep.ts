import * as vscode from 'vscode';
import { unnamedSentence } from '../format/unnamedArguments';

/** `undefined` when the person gave up. */
export type UnnamedAnswer = 'document' | 'nothing' | undefined;

interface AnswerItem extends vscode.QuickPickItem {
  readonly answer: UnnamedAnswer;
}

/**
 * Asks how to call a tool whose schema says neither which arguments there are nor that there are
 * none: only the person can know what it takes.
 */
export async function askUnnamed(title: string): Promise<UnnamedAnswer> {
  const items: AnswerItem[] = [
    { label: vscode.l10n.t('$(json) Enter as JSON'), answer: 'document' },
    { label: vscode.l10n.t('$(play) Call without Arguments'), answer: 'nothing' },
  ];
  const placeHolder = unnamedSentence();
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder,
    ignoreFocusOut: true,
  });
  return picked?.answer;
}

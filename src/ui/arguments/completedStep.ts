import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isEnteredText } from '../../core/arguments/fieldDrafts';
import type { TextField } from '../../core/arguments/inputField';
import { createPicker } from '../editor/picker';
import { Completions, type Complete } from './completions';
import { ask, withNote, type FieldStep, type StepAnswer } from './fieldStep';
import { fieldPrompt, quickInputText } from './formatField';

/** How the text of a field is completed. */
export interface FieldCompletion {
  readonly complete: Complete;
  /** Returns what a text leads to, for its row. */
  readonly describe?: (text: string) => string;
}

interface TextItem extends vscode.QuickPickItem {
  readonly text?: string;
}

const maxChars = 300;

/** Asks for one line. The typed text is the first row, and the server's completions follow. */
export async function askCompleted(
  field: TextField,
  step: FieldStep,
  problemOf: (text: string) => string | undefined,
  { complete, describe }: FieldCompletion,
): Promise<StepAnswer> {
  const pick = textPick(field, step);
  const isUsable = (text: string) => !isMissing(field, text) && problemOf(text) === undefined;
  const completions = new Completions(complete, () => show());
  const show = (): void => {
    const texts = [pick.value, ...completions.current.values].filter(isUsable);
    pick.busy = completions.isBusy;
    pick.items = [
      ...[...new Set(texts)].map((text) => textItem(text, describe)),
      ...(completions.current.hasMore ? [moreItem()] : []),
    ];
  };
  let chosen: string | undefined;
  pick.onDidChangeValue((text) => {
    completions.typed(text);
    show();
  });
  const isDone = (): boolean => {
    const text = pick.activeItems[0]?.text ?? pick.value;
    pick.prompt = problemOf(text) ?? withNote(step, '');
    if (isUsable(text)) chosen = text;
    return chosen !== undefined;
  };
  void completions.ask(pick.value);
  try {
    return await ask(pick, step, { isDone, draft: () => chosen ?? pick.value });
  } finally {
    completions.dispose();
  }
}

function isMissing({ required }: TextField, text: string): boolean {
  return required && text === '';
}

function textPick(field: TextField, step: FieldStep): vscode.QuickPick<TextItem> {
  const { draft } = step;
  return createPicker<TextItem>({
    value: isEnteredText(draft) ? draft.text : typeof draft === 'string' ? draft : '',
    placeholder: fieldPrompt(field),
    prompt: withNote(step, ''),
  });
}

function textItem(text: string, describe: FieldCompletion['describe']): TextItem {
  return {
    label: text === '' ? l10n.t('(leave out)') : plain(text),
    description: plain(describe?.(text) ?? ''),
    text,
    alwaysShow: true,
  };
}

function moreItem(): TextItem {
  return {
    label: l10n.t('More values: type to find them'),
    kind: vscode.QuickPickItemKind.Separator,
  };
}

function plain(text: string): string {
  return quickInputText(text, maxChars);
}

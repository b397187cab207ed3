import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { tell } from '../editor/messages';
import { dialogText } from '../format/dialogText';
import { ModalConfirm, type ModalConfirmOptions, type Press } from './confirm';
import { pickWish } from './rememberPicker';

type OfWindow = 'askForWish' | 'showModal' | 'tell' | 'now';

/** Asks about calls in modal dialogs of this window. */
export function confirmInWindow(options: Omit<ModalConfirmOptions, OfWindow>): ModalConfirm {
  return new ModalConfirm({
    ...options,
    askForWish: (question) => pickWish(question.offered, question),
    showModal: showModalDialog,
    tell: (sentence) => tell('information', sentence),
    now: () => performance.now(),
  });
}

async function showModalDialog(
  message: string,
  detail: string,
  buttons: readonly Press[],
): Promise<Press | undefined> {
  const items = buttons.map((press) => ({ title: formatPress(press), press }));
  const options = { modal: true, detail: dialogText(detail) };
  const picked = await vscode.window.showWarningMessage(message, options, ...items);
  return picked?.press;
}

function formatPress(press: Press): string {
  return {
    run: l10n.t('Run'),
    remember: l10n.t('Run and Remember…'),
    always: l10n.t('Always Allow This…'),
    review: l10n.t('Review'),
    edit: l10n.t('Edit Arguments'),
    together: l10n.t('Answer All…'),
  }[press];
}

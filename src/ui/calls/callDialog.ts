import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { notify } from '../editor/messages';
import { dialogText } from '../format/dialogLines';
import { pickAllowed, type CallRules } from './allowPicker';
import {
  ModalConfirm,
  type ModalConfirmOptions,
  type PressedButton,
  type QuestionDialog,
} from './confirm';

type OfWindow = 'askWhatToAllow' | 'showModal' | 'notify' | 'now';

/** Asks about calls in modal dialogs of this window. */
export function confirmInWindow({
  rules,
  ...options
}: Omit<ModalConfirmOptions, OfWindow> & { readonly rules: CallRules }): ModalConfirm {
  return new ModalConfirm({
    ...options,
    askWhatToAllow: (question) => pickAllowed(question, rules),
    showModal: showModalDialog,
    notify: (sentence) => notify('information', sentence),
    now: () => performance.now(),
  });
}

async function showModalDialog({
  message,
  detail,
  isWarning,
  buttons,
}: QuestionDialog): Promise<PressedButton | undefined> {
  const items = buttons.map((press) => ({ title: formatPress(press), press }));
  const options = { modal: true, detail: dialogText(detail) };
  const picked = isWarning
    ? await vscode.window.showWarningMessage(message, options, ...items)
    : await vscode.window.showInformationMessage(message, options, ...items);
  return picked?.press;
}

function formatPress(press: PressedButton): string {
  return {
    run: l10n.t('Run'),
    allow: l10n.t('Allow…'),
    review: l10n.t('Review'),
    edit: l10n.t('Edit Arguments'),
    together: l10n.t('Answer All…'),
  }[press];
}

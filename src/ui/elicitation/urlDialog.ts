import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ElicitationResult, UrlElicitation } from '../../core/input/elicitation';
import { assessUrl } from '../../core/input/elicitationUrl';
import { openAddress } from '../editor/messages';
import { urlDetail, urlMessage } from './formatElicitation';
import { dialogText } from '../format/dialogLines';

export interface OfferedButtons {
  readonly canOpen: boolean;
  readonly canWait: boolean;
}

/** Asks before a page is opened, and opens it in the browser. */
export interface UrlPrompts {
  /**
   * Resolves to `undefined` if the dialog is closed, or if Later is selected where the question can
   * wait.
   */
  ask(
    message: string,
    detail: string,
    offered: OfferedButtons,
  ): Promise<'open' | 'decline' | undefined>;
  /** Resolves to true if the system accepted the URL. */
  open(address: string): Promise<boolean>;
}

export interface UrlDialogOptions {
  readonly prompts: UrlPrompts;
  /** True if closing the dialog leaves the question for later. */
  readonly canWait: boolean;
}

export const modalUrlPrompts: UrlPrompts = { ask: askInModal, open: openAddress };

/**
 * Shows the whole URL, and opens it only when the user selects the button. `accept`
 * means that the page was opened, not that anything was done there.
 */
export async function askUrl(
  server: string,
  request: UrlElicitation,
  { prompts, canWait }: UrlDialogOptions,
  token: vscode.CancellationToken,
): Promise<ElicitationResult> {
  const assessment = assessUrl(request.url);
  const canOpen = assessment.refusal === undefined;
  const message = urlMessage(server, assessment);
  const pressed = await prompts.ask(message, urlDetail(request, assessment), { canOpen, canWait });
  // A modal dialog cannot be closed by code, so a late button press must not open anything.
  if (pressed === undefined || token.isCancellationRequested) return { action: 'cancel' };
  if (pressed === 'decline' || !canOpen) return { action: 'decline' };
  return { action: (await prompts.open(assessment.address)) ? 'accept' : 'cancel' };
}

async function askInModal(
  message: string,
  detail: string,
  { canOpen, canWait }: OfferedButtons,
): Promise<'open' | 'decline' | undefined> {
  const open = { title: l10n.t('Open in Browser') };
  const decline = { title: l10n.t('Decline') };
  const later = { title: l10n.t('Later'), isCloseAffordance: true };
  const buttons = [...(canOpen ? [open] : []), decline, ...(canWait ? [later] : [])];
  const options = { modal: true, detail: dialogText(detail) };
  const picked = await vscode.window.showWarningMessage(message, options, ...buttons);
  if (picked === open) return 'open';
  return picked === decline ? 'decline' : undefined;
}

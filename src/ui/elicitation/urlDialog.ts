import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ElicitationResult, UrlElicitation } from '../../core/input/elicitation';
import { assessUrl } from '../../core/input/elicitationUrl';
import { openAddress } from '../editor/openAddress';
import { urlDetail, urlMessage } from './formatElicitation';
import { dialogText } from '../format/dialogText';

/** How the question before a page reaches the person, and the page the browser. */
export interface UrlPrompts {
  /** Offers to open only if `canOpen`; `undefined` is also what closing means. */
  ask(message: string, detail: string, canOpen: boolean): Promise<'open' | 'decline' | undefined>;
  /** Whether the system took the address. */
  open(address: string): Promise<boolean>;
}

export const modalUrlPrompts: UrlPrompts = { ask: askInModal, open: openAddress };

/**
 * Shows the whole address and opens it only on the press. `accept` means that the
 * page was opened, and says nothing about what was done there.
 */
export async function askUrl(
  server: string,
  request: UrlElicitation,
  prompts: UrlPrompts,
  token: vscode.CancellationToken,
): Promise<ElicitationResult> {
  const assessment = assessUrl(request.url);
  const canOpen = assessment.refusal === undefined;
  const message = urlMessage(server, assessment);
  const pressed = await prompts.ask(message, urlDetail(request, assessment), canOpen);
  // A modal dialog cannot be taken away; whoever presses later opens nothing.
  if (pressed === undefined || token.isCancellationRequested) return { action: 'cancel' };
  if (pressed === 'decline' || !canOpen) return { action: 'decline' };
  return { action: (await prompts.open(assessment.address)) ? 'accept' : 'cancel' };
}

async function askInModal(
  message: string,
  detail: string,
  canOpen: boolean,
): Promise<'open' | 'decline' | undefined> {
  const open = { title: l10n.t('Open in Browser') };
  const decline = { title: l10n.t('Decline') };
  const buttons = canOpen ? [open, decline] : [decline];
  const options = { modal: true, detail: dialogText(detail) };
  const picked = await vscode.window.showWarningMessage(message, options, ...buttons);
  if (picked === open) return 'open';
  return picked === decline ? 'decline' : undefined;
}

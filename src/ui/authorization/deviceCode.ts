import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isSameSite } from '../../core/auth/serverMetadata';
import type { SignInQuestion } from '../../core/auth/ports';
import { McpError } from '../../core/errors';
import { raceCancellation } from '../../core/rpc/cancellation';
import { visibleText } from '../../core/visibleText';
import { openAddress } from '../editor/messages';
import { quoted } from '../format/sentences';
import type { OpenSignIns, SignInSteps } from './openSignIns';
import { isUnusualSignIn, signInDetail } from './formatSignIn';
import { internalCommands } from '../../ids';

export interface DeviceCode {
  readonly userCode: string;
  readonly verificationUri: string;
  readonly verificationUriComplete?: string;
}

export interface DeviceSignIn {
  readonly serverId: string;
  readonly label: string;
  readonly question: SignInQuestion;
  readonly device: DeviceCode;
  readonly openSignIns: OpenSignIns;
  /** Settles when the server reports the sign-in, or after its time limit. */
  readonly done: Promise<unknown>;
  readonly tokens: readonly (vscode.CancellationToken | undefined)[];
}

const maxCodeChars = 40;

/**
 * Signs in with a code that the user types on another page, possibly on another device. Shows the
 * code in a modal dialog, which has the largest letters, and then a notification until the server
 * reports the sign-in.
 * @throws {McpError} cancelled
 */
export async function deviceSignIn(parts: DeviceSignIn): Promise<void> {
  const { serverId, label, question, device, openSignIns, done } = parts;
  const source = new vscode.CancellationTokenSource();
  const subscriptions = parts.tokens.map((each) =>
    each?.onCancellationRequested(() => source.cancel()),
  );
  const code = visibleText(device.userCode, maxCodeChars);
  const copyCode = async () => vscode.env.clipboard.writeText(device.userCode);
  const copyLink = async () => vscode.env.clipboard.writeText(device.verificationUri);
  try {
    const open = { title: l10n.t('Copy Code and Open Browser') };
    const copy = { title: l10n.t('Copy Code') };
    const page = l10n.t('Enter the code at: {0}', visibleText(device.verificationUri, 300));
    const detail = `${page}\n${signInDetail(question)}`;
    const options = { modal: true, detail };
    // The code comes first, so that no line break splits it.
    const message = l10n.t('Use {1} to sign in to server “{0}”', visibleText(label, 200), code);
    // As before any other page, Enter opens nothing if the site is unexpected.
    const isForeign =
      isUnusualSignIn(question) || !isSameSite(question.serverUrl, device.verificationUri);
    const asked = isForeign
      ? vscode.window.showWarningMessage(message, options, copy, open)
      : vscode.window.showInformationMessage(message, options, open, copy);
    const pressed = await raceCancellation(Promise.resolve(asked), source.token);
    if (pressed === undefined) throw new McpError('cancelled');
    await copyCode();
    if (pressed === open) void openAddress(device.verificationUri).then(undefined, () => undefined);
    const title = l10n.t('Signing in to “{0}” with the code {1}', quoted(label), code);
    const steps = { copyCode, copyLink, cancel: () => source.cancel() };
    const waiting = raceCancellation(done, source.token);
    await whileWaiting(openSignIns, { serverId, title, steps }, waiting);
  } finally {
    for (const subscription of subscriptions) subscription?.dispose();
    source.dispose();
  }
}

/** Returns the link of each step, with its internal command. */
function linksOf(steps: SignInSteps, id: string): readonly string[] {
  const link = (title: string, command: string) =>
    `[${title}](command:${command}?${encodeURIComponent(JSON.stringify([id]))})`;
  return [
    ...(steps.copyCode ? [link(l10n.t('Copy Code'), internalCommands.copySignInCode)] : []),
    ...(steps.copyLink ? [link(l10n.t('Copy Link'), internalCommands.copySignInLink)] : []),
    ...(steps.pasteAddress
      ? [link(l10n.t('Paste URL…'), internalCommands.pasteSignInAddress)]
      : []),
    ...(steps.takeOver ? [link(l10n.t('Take Over'), internalCommands.takeOverSignIn)] : []),
  ];
}

/**
 * Shows a notification with Cancel and a link for each step until `work` has settled. Only a
 * progress notification can be closed from code, and it has no buttons, so it has links.
 */
export function whileWaiting<T>(
  open: OpenSignIns,
  { serverId, title, steps }: { serverId: string; title: string; steps: SignInSteps },
  work: Promise<T>,
): Promise<T> {
  const entry = open.add(serverId, steps);
  const location = vscode.ProgressLocation.Notification;
  void vscode.window.withProgress({ location, title, cancellable: true }, async (out, token) => {
    const subscription = token.onCancellationRequested(() => steps.cancel());
    out.report({ message: linksOf(steps, entry.id).join(' · ') });
    // The caller that awaits the work gets its error.
    await work.then(undefined, () => undefined);
    subscription.dispose();
  });
  return work.finally(() => entry.dispose());
}

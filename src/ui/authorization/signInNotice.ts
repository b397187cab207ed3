import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { internalCommands } from '../../ids';
import type { OpenSignIns, SignInSteps } from './openSignIns';

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

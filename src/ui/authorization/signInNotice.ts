import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { internalCommands } from '../../ids';
import type { OpenSignIns, SignInSteps } from './openSignIns';

/** A step with its words and the internal command behind its link. */
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
 * Shows a notification while `work` goes on, with Cancel and a link for each step, and takes it away
 * when `work` has settled. Only a notification of progress can be taken away, and it has no buttons.
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
    // Whoever awaits the work hears how it went.
    await work.then(undefined, () => undefined);
    subscription.dispose();
  });
  return work.finally(() => entry.dispose());
}

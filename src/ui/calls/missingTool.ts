import * as l10n from '@vscode/l10n';
import type { Server } from '../../host/connections/snapshot';
import { commands } from '../../ids';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';

/** True if the server runs and does not list the tool. */
export function isToolGone(server: Server | undefined, toolName: string): boolean {
  if (server?.state.kind !== 'running') return false;
  return server.tools.every(({ tool }) => tool.name !== toolName);
}

/** Says that a tool from the last run of its server no longer exists. */
export function notifyToolGone(toolName: string, label: string): void {
  const sentence = l10n.t(
    '“{0}” no longer exists: server “{1}” does not list it.',
    quoted(toolName),
    quoted(label),
  );
  notify('warning', sentence);
}

export function notifyNotCallable(toolName: string, isListed: boolean): void {
  const name = quoted(toolName);
  const sentence = isListed
    ? l10n.t('“{0}” cannot be called because its definition is not valid.', name)
    : l10n.t('“{0}” no longer exists. Refresh the tools of its server.', name);
  notify('warning', sentence, {
    title: l10n.t('Refresh Tools'),
    command: commands.refreshTools,
  });
}

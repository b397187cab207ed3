import * as l10n from '@vscode/l10n';
import type { Command } from 'vscode';
import { commands } from '../../ids';
import { windowFacts } from './windowFacts';

/** In Restricted Mode no server starts, so commands lead to this one. */
export function manageTrustCommand(): Command {
  return {
    title: l10n.t('Manage Workspace Trust'),
    command: 'workbench.trust.manage',
    arguments: [],
  };
}

/** Starts a server if possible; in Restricted Mode it leads to workspace trust. */
export function startCommand(
  serverId?: string,
  title: string = l10n.t('Start Server'),
  command: string = commands.startServer,
): Command {
  if (!windowFacts().isTrusted()) return manageTrustCommand();
  return serverId === undefined ? { title, command } : { title, command, arguments: [serverId] };
}

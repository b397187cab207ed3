import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { McpError, McpErrorCode } from '../../core/errors';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import { commands } from '../../ids';
import { markOwnArgument } from './ownArguments';
import { errorAction, signInInsteadAction } from '../format/errorActions';
import { errorSentence } from '../format/sentences';
import { startCommand } from '../format/startCommand';

/** A button of a message: its title and what it runs. */
export type MessageAction = Pick<vscode.Command, 'title' | 'command' | 'arguments'>;

/**
 * Shows a message about the person's own act. Returns at once: the message may stay for ever.
 * Text from outside must have gone through `quoted`, or a notification makes links of it.
 */
export function tell(
  severity: 'information' | 'warning' | 'error',
  sentence: string,
  ...actions: readonly MessageAction[]
): void {
  const show = {
    information: vscode.window.showInformationMessage,
    warning: vscode.window.showWarningMessage,
    error: vscode.window.showErrorMessage,
  }[severity];
  void show(sentence, ...actions.map(({ title }) => title)).then(async (chosen) => {
    const action = actions.find(({ title }) => title === chosen);
    if (action) await vscode.commands.executeCommand(action.command, ...(action.arguments ?? []));
  });
}

/** Shows why something about a server did not work, with what to do next. Cancelled says nothing. */
export function tellServerError(
  server: Pick<ServerConfig, 'id' | 'label' | 'inputs'> & Partial<Pick<ServerConfig, 'transport'>>,
  error: McpError,
): void {
  if (error.code === 'cancelled') return;
  const best = errorAction(error, server);
  const instead = signInInsteadAction(error, server);
  const actions: MessageAction[] = [
    ...(best
      ? [{ ...best, arguments: best.arguments ?? [markOwnArgument({ serverId: server.id })] }]
      : []),
    ...(instead ? [{ ...instead, arguments: [markOwnArgument({ serverId: server.id })] }] : []),
    showLogAction(server.id),
    openConfigurationAction(server.id),
    ...(isOfStarting.has(error.code) ? [diagnoseAction(server.id)] : []),
  ];
  // An untrusted workspace has nothing in its log or its configuration to look for.
  const useful =
    error.code === 'untrustedWorkspace'
      ? actions.slice(0, 1)
      : actions.filter(
          (action, index) => actions.findIndex((a) => a.command === action.command) === index,
        );
  tell('error', errorSentence(server.label, error), ...useful);
}

/** What a walk step by step says more about. */
const isOfStarting: ReadonlySet<McpErrorCode> = new Set([
  'exitedEarly',
  'spawnFailed',
  'unreachable',
  'tlsError',
  'unauthorized',
  'unexpectedContentType',
  'signInFailed',
]);

function diagnoseAction(serverId: string): MessageAction {
  return {
    title: l10n.t('Diagnose Server…'),
    command: commands.diagnoseServer,
    arguments: [serverId],
  };
}

export function addServerActions(): MessageAction[] {
  return [
    { title: l10n.t('Add Server…'), command: commands.addServer },
    { title: l10n.t('Add Demo Server'), command: commands.addDemoServer },
  ];
}

/** In Restricted Mode it leads to the trust instead. */
export function startServerAction(serverId?: string): MessageAction {
  return startCommand(serverId);
}

export function showLogAction(serverId: string): MessageAction {
  return {
    title: l10n.t('Show Log'),
    command: commands.showServerLog,
    arguments: [serverId],
  };
}

function openConfigurationAction(serverId: string): MessageAction {
  return {
    title: l10n.t('Open Configuration'),
    command: commands.openServerConfiguration,
    arguments: [serverId],
  };
}

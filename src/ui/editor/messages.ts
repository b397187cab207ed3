import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { McpError, McpErrorCode } from '../../core/errors';
import { escapeIcons } from '../../core/visibleText';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import { commands } from '../../ids';
import { markOwnArgument } from './ownArguments';
import { errorAction, signInInsteadAction } from '../format/errorActions';
import { errorSentence } from '../format/sentences';
import { startCommand } from '../format/startCommand';

/** VS Code cuts the titles of more buttons. */
const maxActions = 3;

/** A button of a message: its title and its command. */
export type MessageAction = Pick<vscode.Command, 'title' | 'command' | 'arguments'>;

/**
 * Shows a message about the user's own action. Returns immediately, because a message may stay
 * open. Foreign text must have gone through `quoted`, because a notification would turn it into
 * links.
 */
export function notify(
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

/** Shows a sentence in the status bar for a moment. */
export function showStatus(sentence: string, ms = 5_000): void {
  vscode.window.setStatusBarMessage(escapeIcons(sentence), ms);
}

/**
 * Shows why a server failed and what to do next. Shows nothing for `cancelled`.
 * @param best Defaults to the action for the error.
 */
export function notifyServerError(
  server: Pick<ServerConfig, 'id' | 'label' | 'inputs'> & Partial<Pick<ServerConfig, 'transport'>>,
  error: McpError,
  best: MessageAction | undefined = errorAction(error, server),
): void {
  if (error.code === 'cancelled') return;
  const instead = signInInsteadAction(error, server);
  const actions: MessageAction[] = [
    ...(best
      ? [{ ...best, arguments: best.arguments ?? [markOwnArgument({ serverId: server.id })] }]
      : []),
    ...(instead ? [{ ...instead, arguments: [markOwnArgument({ serverId: server.id })] }] : []),
    ...(isOfStarting.has(error.code) ? [diagnoseAction(server.id)] : []),
    showLogAction(server.id),
    // The configuration has nothing to do with an error that the server answers.
    ...(error.code === 'serverError' ? [] : [openConfigurationAction(server.id)]),
  ];
  // In an untrusted workspace the log and the configuration explain nothing.
  const useful =
    error.code === 'untrustedWorkspace'
      ? actions.slice(0, 1)
      : actions.filter(
          (action, index) => actions.findIndex((a) => a.command === action.command) === index,
        );
  notify('error', errorSentence(server.label, error), ...useful.slice(0, maxActions));
}

/** Errors about which Diagnose Server… says more. */
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

/** In Restricted Mode it leads to workspace trust instead. */
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

/** The signature at run time; VS Code's types do not accept a string. */
interface Opener {
  openExternal(target: vscode.Uri | string): Thenable<boolean>;
}

/**
 * Opens the URL unchanged in the system's browser and returns whether it was opened. VS Code may
 * ask whether the host is trusted; a no there returns false.
 */
export async function openAddress(address: string): Promise<boolean> {
  // A `Uri` loses which characters were escaped: `?next=a%26b` would become another URL.
  const opener: Opener = vscode.env;
  return opener.openExternal(address);
}

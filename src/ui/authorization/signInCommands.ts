import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isMcpError, toMcpError } from '../../core/errors';
import type { SignInOccasions, SignInStates } from '../../host/authorization/signInTiming';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import { type CommandId, commands, internalCommands } from '../../ids';
import { commandTarget } from '../editor/ownArguments';
import { notify, notifyServerError } from '../editor/messages';
import { registerRowCommand } from '../editor/rowCommands';
import { namedServer } from '../servers/serverPicker';
import type { ServerActions } from '../servers/serverActions';
import type { OpenSignIns, SignInSteps } from './openSignIns';
import type { SignIns } from './signIns';

export interface SignInCommandsOptions {
  readonly registry: ServerRegistry;
  readonly actions: Pick<ServerActions, 'start' | 'restart' | 'stop'>;
  readonly signIns: SignIns;
  readonly states: SignInStates;
  readonly occasions: SignInOccasions;
  readonly openSignIns: OpenSignIns;
}

/** Registers Sign In, Cancel Sign-In, and the commands behind the links of notifications. */
export function registerSignInCommands(parts: SignInCommandsOptions): vscode.Disposable {
  const { openSignIns } = parts;
  const step = (command: string, act: (steps: SignInSteps) => unknown) =>
    vscode.commands.registerCommand(command, async (id: unknown) => {
      const steps = openSignIns.find(id);
      if (steps !== undefined) await act(steps);
    });
  return vscode.Disposable.from(
    registerHttpServerCommand(parts, commands.signIn, l10n.t('Sign In'), (server) =>
      signIn(parts, server),
    ),
    registerRowCommand(commands.cancelSignIn, (argument: unknown) => {
      const { serverId } = commandTarget(argument);
      for (const { config } of parts.registry.servers) {
        if (serverId === undefined || serverId === config.id) openSignIns.cancel(config.id);
      }
    }),
    step(internalCommands.copySignInLink, (steps) => steps.copyLink?.()),
    step(internalCommands.copySignInCode, (steps) => steps.copyCode?.()),
    step(internalCommands.pasteSignInAddress, (steps) => steps.pasteAddress?.()),
    step(internalCommands.takeOverSignIn, (steps) => steps.takeOver?.()),
  );
}

/**
 * Signs in at a server; a question comes before the browser. A stopped server is started to find
 * out what it requires. Never rejects.
 */
async function signIn(
  { signIns, occasions, actions, registry }: SignInCommandsOptions,
  { config, state }: Server,
): Promise<void> {
  if (state.kind !== 'running') {
    await actions.start(config.id);
    return;
  }
  const known = signIns.find(config.id);
  try {
    await occasions.during(config.id, async () => {
      await known?.signIn.signIn();
      await registry.refreshTools(config.id);
    });
  } catch (error) {
    if (!isMcpError(error, 'cancelled')) notifyServerError(config, toMcpError(error));
  }
}

/** Registers a command for one HTTP server: the server of a row or a picked one. */
export function registerHttpServerCommand(
  { registry }: Pick<SignInCommandsOptions, 'registry'>,
  command: CommandId,
  title: string,
  act: (server: Server) => Promise<unknown>,
): vscode.Disposable {
  return vscode.commands.registerCommand(command, async (argument: unknown) => {
    const none = [l10n.t('No configured server has a URL.')] as const;
    const server = await namedServer(argument, { registry, title, fits: hasUrl, none });
    if (server === undefined) return;
    if (hasUrl(server)) await act(server);
    else notify('information', l10n.t('“{0}” has no URL to sign in to.', server.config.label));
  });
}

function hasUrl({ config }: Server): boolean {
  return config.transport.kind !== 'stdio';
}

import * as vscode from 'vscode';
import type { ServerRegistry } from '../../host/connections/registry';
import type { InputDefinition, ServerConfig } from '../../host/configuration/serverConfig';
import type { RememberedInputs } from '../../host/secrets/rememberedInputs';
import { commands } from '../../ids';
import { commandTarget } from '../editor/commandTarget';
import { markOwnArgument } from '../editor/ownArguments';
import { askFor, isSecret, placeOf, remember } from './inputQuestions';

export interface AskAgainOptions {
  readonly registry: Pick<ServerRegistry, 'find'>;
  readonly remembered: RememberedInputs;
}

/**
 * Asks again for the typed values that a server did not accept, and starts it with the new ones.
 * Closing a question cancels and keeps the stored values.
 */
export async function askAgain(
  { registry, remembered }: AskAgainOptions,
  argument: unknown,
): Promise<void> {
  const { serverId } = commandTarget(argument);
  const server = serverId === undefined ? undefined : registry.find(serverId);
  if (server === undefined) return;
  for (const input of credentialsOf(server.config)) {
    const value = await askFor(input);
    if (value === undefined) return;
    await remember(remembered, placeOf(input), isSecret(input), value);
  }
  const isRunning = server.state.kind === 'running';
  const command = isRunning ? commands.restartServer : commands.startServer;
  await vscode.commands.executeCommand(command, markOwnArgument({ serverId }));
}

/** Returns the secret inputs, or all inputs if none is secret. */
function credentialsOf({ inputs = [] }: ServerConfig): readonly InputDefinition[] {
  const secrets = inputs.filter(isSecret);
  return secrets.length > 0 ? secrets : inputs.filter(({ kind }) => kind !== 'command');
}

import * as vscode from 'vscode';
import type { ServerRegistry } from '../host/registry';
import type { Server } from '../host/snapshot';
import { commands } from '../ids';
import { commandTarget } from './commandTarget';
import { addServerActions, type MessageAction, startServerAction, tell } from './messages';
import type { ServerActions } from './serverActions';
import type { ServerLogs } from './serverLogs';
import { pickServer } from './serverPicker';

export interface ServerCommandParts {
  readonly registry: ServerRegistry;
  readonly actions: ServerActions;
  readonly logs: ServerLogs;
}

/** What the picker offers, and what to say when that is nothing. */
interface Choice {
  readonly title: string;
  readonly isFor: (server: Server) => boolean;
  readonly nothing: string;
  readonly nextSteps: readonly MessageAction[];
}

/** Start, stop, restart, refresh and log: from a row, or from the palette by a picker. */
export function registerServerCommands(parts: ServerCommandParts): vscode.Disposable {
  const { registry, actions, logs } = parts;
  const isIdle = ({ state }: Server) => state.kind === 'stopped' || state.kind === 'failed';
  const isActive = (server: Server) => !isIdle(server);
  const isRunning = ({ state }: Server) => state.kind === 'running';
  const nothingRuns = {
    nothing: vscode.l10n.t('No server is running.'),
    nextSteps: [startServerAction()],
  };
  const allRun = { nothing: vscode.l10n.t('Every server is running already.'), nextSteps: [] };

  const onServer = (
    choice: Choice,
    act: (id: string) => Promise<unknown> | void,
  ): ((argument: unknown) => Promise<void>) => {
    return async (argument) => {
      const id = commandTarget(argument).serverId ?? (await chooseServer(registry, choice));
      if (id !== undefined) await act(id);
    };
  };

  const startServer = onServer(
    { title: vscode.l10n.t('Start Server'), isFor: isIdle, ...allRun },
    (id) => actions.start(id),
  );
  const stopServer = onServer(
    { title: vscode.l10n.t('Stop Server'), isFor: isActive, ...nothingRuns },
    (id) => actions.stop(id),
  );
  const restartServer = onServer(
    {
      title: vscode.l10n.t('Restart Server'),
      isFor: ({ state }) => state.kind === 'running' || state.kind === 'failed',
      ...nothingRuns,
    },
    (id) => actions.restart(id),
  );
  const showServerLog = onServer(
    { title: vscode.l10n.t('Show Server Log'), isFor: () => true, ...allRun },
    (id) => {
      const server = registry.find(id);
      (server === undefined ? logs.extension : logs.of(server.config)).show();
    },
  );

  /** Without a row every running server: the title bar's button is about the whole view. */
  const refreshTools = async (argument: unknown): Promise<void> => {
    const { serverId } = commandTarget(argument);
    const running = registry.servers.filter(isRunning).map(({ config }) => config.id);
    const ids = serverId === undefined ? running : [serverId];
    if (ids.length === 0) tellNothing(registry, nothingRuns);
    await Promise.all(ids.map((id) => actions.refreshTools(id)));
  };

  const startAllServers = async (): Promise<void> => {
    const idle = registry.servers.filter(isIdle);
    if (idle.length === 0) tellNothing(registry, allRun);
    else await actions.startAll(idle);
  };

  return vscode.Disposable.from(
    vscode.commands.registerCommand(commands.startServer, startServer),
    vscode.commands.registerCommand(commands.stopServer, stopServer),
    vscode.commands.registerCommand(commands.restartServer, restartServer),
    vscode.commands.registerCommand(commands.showServerLog, showServerLog),
    vscode.commands.registerCommand(commands.refreshTools, refreshTools),
    vscode.commands.registerCommand(commands.startAllServers, startAllServers),
  );
}

async function chooseServer(registry: ServerRegistry, choice: Choice): Promise<string | undefined> {
  const servers = registry.servers.filter(choice.isFor);
  if (servers.length === 0) {
    tellNothing(registry, choice);
    return undefined;
  }
  return (await pickServer(servers, choice.title))?.config.id;
}

function tellNothing(
  registry: ServerRegistry,
  { nothing, nextSteps }: Pick<Choice, 'nothing' | 'nextSteps'>,
): void {
  if (registry.servers.length > 0) tell('information', nothing, ...nextSteps);
  else tell('information', vscode.l10n.t('No server is configured.'), ...addServerActions());
}

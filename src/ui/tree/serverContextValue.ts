import { assertNever } from '../../core/errors';
import type { Server } from '../../host/connections/snapshot';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import { contextValues } from '../../ids';
import { canWatch } from '../configuration/restartOnSave';
import { signInContextValue } from '../authorization/formatSignInRow';

/** What the menus of the row of a server are chosen by. */
export function serverContextValue(server: Server): string {
  const value = signInContextValue(server) ?? stateContextValue(server);
  if (server.config.source.kind === 'recording') return replayContextValue(value);
  if (server.isRecorded !== true) return value;
  if (value === contextValues.serverRunning) return contextValues.serverRecorded;
  return value === contextValues.serverSignedIn ? contextValues.serverSignedInRecorded : value;
}

/** What does not run can be taken off the list. */
function replayContextValue(value: string): string {
  if (value === contextValues.serverStopped) return contextValues.serverReplayStopped;
  return value === contextValues.serverFailed ? contextValues.serverReplayFailed : value;
}

function stateContextValue({ state, config, isRecorded }: Server): string {
  switch (state.kind) {
    case 'stopped':
      return contextValues.serverStopped;
    case 'starting':
      return contextValues.serverStarting;
    case 'running':
      if (isRecorded === true) return contextValues.serverRunning;
      return runningContextValue(config);
    case 'failed':
      return contextValues.serverFailed;
    default:
      return assertNever(state);
  }
}

/** Whether _Restart on Save_ can be switched on or off. */
function runningContextValue(config: ServerConfig): string {
  if (!canWatch(config)) return contextValues.serverRunning;
  return config.watch === undefined
    ? contextValues.serverRunningLocal
    : contextValues.serverRunningWatched;
}

import { assertNever } from '../../core/errors';
import type { Server, ServerState } from '../../host/connections/snapshot';
import { contextValues } from '../../ids';
import { signInContextValue } from '../authorization/formatSignInRow';

/** What the menus of the row of a server are chosen by. */
export function serverContextValue(server: Server): string {
  const value = signInContextValue(server) ?? stateContextValue(server.state);
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

function stateContextValue(state: ServerState): string {
  switch (state.kind) {
    case 'stopped':
      return contextValues.serverStopped;
    case 'starting':
      return contextValues.serverStarting;
    case 'running':
      return contextValues.serverRunning;
    case 'failed':
      return contextValues.serverFailed;
    default:
      return assertNever(state);
  }
}

import type { McpClient } from '../../core/client';
import type { ConnectStage } from '../../core/connect';
import type { ServerState } from './snapshot';

/** What a start shows that has come so far; `undefined` where that is what it showed `before`. */
export function startingState(before: ServerState, stage: ConnectStage): ServerState | undefined {
  if (stage.kind !== 'installing' || before.kind !== 'starting') return undefined;
  return { kind: 'starting', ...(stage.isInstalling ? { isInstalling: true } : {}) };
}

/** What a run shows that has shaken hands, from now on. */
export function runningState(client: McpClient): ServerState {
  return {
    kind: 'running',
    revision: client.revision,
    serverInfo: client.serverInfo,
    ...(client.pid === undefined ? {} : { pid: client.pid }),
    startedAt: Date.now(),
  };
}

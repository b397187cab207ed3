import type { Disabled } from '../configuration/disabledItems';
import { configHash } from '../configuration/configurationHash';
import type { ConfigProblem, ServerConfig } from '../configuration/serverConfig';
import { type Connection, noListProblems, noNotices, noTools } from './connection';
import { isSameJson } from '../../core/json/sameJson';
import type { Server, ServerState } from './snapshot';

/** One configured server: its latest run, if it had any, and the picture of it all. */
export interface Entry {
  readonly hash: string;
  connection: Connection | undefined;
  snapshot: Server;
}

/** The entry for `config`: with the run of `before` if that would be started the same way. */
export function reconcile(
  before: Entry | undefined,
  config: ServerConfig,
  configProblems: readonly ConfigProblem[],
  disabled: Disabled | undefined,
): Entry {
  const hash = configHash(config);
  if (before === undefined || before.hash !== hash) {
    const snapshot = withDisabled(stopped(config, configProblems), disabled);
    return { hash, connection: undefined, snapshot };
  }
  const { snapshot } = before;
  const isSame =
    isSameJson(config, snapshot.config) && isSameJson(configProblems, snapshot.configProblems);
  if (!isSame) before.snapshot = { ...snapshot, config, configProblems };
  before.snapshot = withDisabled(before.snapshot, disabled);
  return before;
}

/** `server`, or what it is now that it is disabled, or no more. */
export function withDisabled(server: Server, disabled: Disabled | undefined): Server {
  const isDisabled = disabled?.isServerDisabled(server.config) === true;
  if (isDisabled === (server.isDisabled === true)) return server;
  const { isDisabled: _, ...rest } = server;
  return isDisabled ? { ...rest, isDisabled } : rest;
}

/** The snapshots in their order; `before` if it is the same ones. */
export function pictureOf(entries: Iterable<Entry>, before: readonly Server[]): readonly Server[] {
  const servers = [...entries].map(({ snapshot }) => snapshot);
  const isSame = servers.every((server, index) => server === before[index]);
  return isSame && servers.length === before.length ? before : servers;
}

/** A no is no failure: the server is as it was before somebody wished to start it. */
export function shownState({ state }: Connection): ServerState {
  const isRefused = state.kind === 'failed' && state.error.code === 'notApproved';
  return isRefused ? { kind: 'stopped' } : state;
}

function stopped(config: ServerConfig, configProblems: readonly ConfigProblem[]): Server {
  return {
    config,
    state: { kind: 'stopped' },
    tools: noTools,
    listProblems: noListProblems,
    configProblems,
    garbageLines: 0,
    notices: noNotices,
  };
}

import type { McpErrorCode } from '../../core/errors';
import { configHash } from '../configuration/configurationHash';
import type { ConfigProblem, ServerConfig } from '../configuration/serverConfig';
import { type Connection, noListProblems, noNotices, noTools } from './connection';
import { isSameJson } from '../../core/json/shapes';
import type { SignInStates } from '../authorization/signInTiming';
import type { ClientProfiles } from '../configuration/clientProfiles';
import type { Disabled } from '../configuration/toolChoices';
import type { Server, ServerState } from './snapshot';

/** A configured server with its latest run, if any, and its snapshot. */
export interface Entry {
  readonly hash: string;
  connection: Connection | undefined;
  snapshot: Server;
}

/**
 * Returns the entry for `config`. It keeps the run of `before` if that would be started the same
 * way.
 */
export function reconcile(
  before: Entry | undefined,
  config: ServerConfig,
  configProblems: readonly ConfigProblem[],
  marks: ServerMarks,
): Entry {
  const hash = configHash(config);
  if (before === undefined || before.hash !== hash) {
    const snapshot = withMarks(stopped(config, configProblems), marks);
    return { hash, connection: undefined, snapshot };
  }
  const { snapshot } = before;
  const isSame =
    isSameJson(config, snapshot.config) && isSameJson(configProblems, snapshot.configProblems);
  if (!isSame) before.snapshot = { ...snapshot, config, configProblems };
  before.snapshot = withMarks(before.snapshot, marks);
  return before;
}

/** Properties of a server that do not depend on its run. */
export interface ServerMarks {
  /** Servers and tools that the user has disabled. Defaults to none. */
  readonly disabled?: Disabled;
  /** State of the sign-in at each server. Defaults to none. */
  readonly signIns?: Pick<SignInStates, 'of'>;
  /** Servers that are shown another client. Defaults to none. */
  readonly profiles?: Pick<ClientProfiles, 'of'>;
  /** Servers whose messages are recorded. Defaults to none. */
  readonly recordings?: { isRecording(id: string): boolean };
}

/**
 * Returns `server` with its current marks (disabled, recorded, sign-in, client), or itself if none
 * changed.
 */
export function withMarks(server: Server, marks: ServerMarks): Server {
  const { disabled, signIns, recordings, profiles } = marks;
  const isDisabled = disabled?.isServerDisabled(server.config) === true;
  const isRecorded = recordings?.isRecording(server.config.id) === true;
  const signIn = signIns?.of(server.config.id);
  const client = profiles?.of(server.config);
  const isSame =
    isDisabled === (server.isDisabled === true) && isRecorded === (server.isRecorded === true);
  if (isSame && signIn === server.signIn && client === server.client) return server;
  const {
    isDisabled: _disabled,
    isRecorded: _recorded,
    signIn: _signIn,
    client: _client,
    ...rest
  } = server;
  return {
    ...rest,
    ...(isDisabled ? { isDisabled } : {}),
    ...(isRecorded ? { isRecorded } : {}),
    ...(signIn === undefined ? {} : { signIn }),
    ...(client === undefined ? {} : { client }),
  };
}

/** Returns the snapshots in order, or `before` if they are the same. */
export function toSnapshots(
  entries: Iterable<Entry>,
  before: readonly Server[],
): readonly Server[] {
  const servers = [...entries].map(({ snapshot }) => snapshot);
  const isSame = servers.every((server, index) => server === before[index]);
  return isSame && servers.length === before.length ? before : servers;
}

/** Errors that are no failures: the user declined, cancelled, or has not signed in yet. */
const harmless: ReadonlySet<McpErrorCode> = new Set(['notApproved', 'cancelled', 'signInNeeded']);

/** A declined start is no failure, so the server shows its previous state. */
export function shownState({ state }: Connection): ServerState {
  return state.kind === 'failed' && harmless.has(state.error.code) ? { kind: 'stopped' } : state;
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

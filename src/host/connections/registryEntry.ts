import type { McpErrorCode } from '../../core/errors';
import { configHash } from '../configuration/configurationHash';
import type { ConfigProblem, ServerConfig } from '../configuration/serverConfig';
import { type Connection, noListProblems, noNotices, noTools } from './connection';
import { isSameJson } from '../../core/json/sameJson';
import type { SignInStates } from '../authorization/signInState';
import type { Disabled } from '../configuration/toolChoices';
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

/** What else is known of a server, beside its run. */
export interface ServerMarks {
  /** Servers and tools that the user has disabled. Defaults to none. */
  readonly disabled?: Disabled;
  /** State of the sign-in at each server. Defaults to none. */
  readonly signIns?: Pick<SignInStates, 'of'>;
  /** Servers whose messages are recorded. Defaults to none. */
  readonly recordings?: { isRecording(id: string): boolean };
}

/**
 * `server`, or what it is now that it is disabled or recorded, or no more, or its sign-in got
 * further.
 */
export function withMarks(server: Server, { disabled, signIns, recordings }: ServerMarks): Server {
  const isDisabled = disabled?.isServerDisabled(server.config) === true;
  const isRecorded = recordings?.isRecording(server.config.id) === true;
  const signIn = signIns?.of(server.config.id);
  const isSame =
    isDisabled === (server.isDisabled === true) && isRecorded === (server.isRecorded === true);
  if (isSame && signIn === server.signIn) return server;
  const { isDisabled: _disabled, isRecorded: _recorded, signIn: _signIn, ...rest } = server;
  return {
    ...rest,
    ...(isDisabled ? { isDisabled } : {}),
    ...(isRecorded ? { isRecorded } : {}),
    ...(signIn === undefined ? {} : { signIn }),
  };
}

/** The snapshots in their order; `before` if it is the same ones. */
export function pictureOf(entries: Iterable<Entry>, before: readonly Server[]): readonly Server[] {
  const servers = [...entries].map(({ snapshot }) => snapshot);
  const isSame = servers.every((server, index) => server === before[index]);
  return isSame && servers.length === before.length ? before : servers;
}

/** The person has not agreed, has called it off, or has yet to sign in: nothing is broken. */
const harmless: ReadonlySet<McpErrorCode> = new Set(['notApproved', 'cancelled', 'signInNeeded']);

/** A no is no failure: the server is as it was before somebody wished to start it. */
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

import type { ElicitationBroker } from '../input/elicitationBroker';
import { tasksExtension } from '../parse/parseResults';
import type { ClaimedCapabilities, Revision, ServerCapabilities } from '../types';
import type { EraContext } from './era';
import type { JsonObject } from '../json/jsonValue';

/**
 * Returns the client capabilities in the form of `revision`: only those that it has, and that this
 * connection can serve unless the user claims others. Sampling is
 * never among them.
 */
export function clientCapabilities(
  { input, claimed = {}, extensions }: Pick<EraContext, 'input' | 'claimed' | 'extensions'>,
  revision: Revision,
): JsonObject {
  const elicitation =
    (claimed.elicitation ?? input !== undefined) ? elicitationIn(revision) : undefined;
  return {
    ...(extensions === undefined ? {} : { extensions }),
    ...(elicitation === undefined ? {} : { elicitation }),
    ...((claimed.roots ?? input?.hasRoots === true) ? { roots: rootsIn(input, revision) } : {}),
  };
}

/** Returns the capabilities of requests that may be answered with a task (2026-07-28). */
export function withTaskExtension(
  { claimed, extensions }: Pick<EraContext, 'claimed' | 'extensions'>,
  declared: JsonObject,
): JsonObject {
  if (claimed?.tasks === false) return declared;
  return { ...declared, extensions: { ...extensions, [tasksExtension]: {} } };
}

/** Returns the capabilities of the server that a client with these claims uses. */
export function usableCapabilities<Session extends { readonly capabilities: ServerCapabilities }>(
  session: Session,
  claimed: ClaimedCapabilities = {},
): Session {
  if (claimed.tasks !== false) return session;
  return { ...session, capabilities: { ...session.capabilities, ...noTasks } };
}

const noTasks = {
  taskCalls: false,
  taskLists: false,
  taskCancellations: false,
  taskExtension: false,
};

const withModes: readonly Revision[] = ['2026-07-28', '2025-11-25'];

function elicitationIn(revision: Revision): JsonObject | undefined {
  if (withModes.includes(revision)) return { form: {}, url: {} };
  return revision === '2025-06-18' ? {} : undefined;
}

function rootsIn(input: ElicitationBroker | undefined, revision: Revision): JsonObject {
  const tellsChanges = input?.onDidChangeRoots !== undefined && revision !== '2026-07-28';
  return tellsChanges ? { listChanged: true } : {};
}

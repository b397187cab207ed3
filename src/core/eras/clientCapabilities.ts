import type { ElicitationBroker } from '../input/elicitationBroker';
import type { Revision } from '../types';
import type { EraContext } from './era';
import type { JsonObject } from '../json/jsonValue';

/**
 * Returns the client capabilities in the form of `revision`: only those that it has and that this
 * connection can serve. Sampling is never among them.
 */
export function clientCapabilities(
  { input, extensions }: Pick<EraContext, 'input' | 'extensions'>,
  revision: Revision,
): JsonObject {
  const declared = extensions === undefined ? {} : { extensions };
  if (input === undefined) return declared;
  const elicitation = elicitationIn(revision);
  return {
    ...declared,
    ...(elicitation === undefined ? {} : { elicitation }),
    ...(input.hasRoots ? { roots: rootsIn(input, revision) } : {}),
  };
}

const withModes: readonly Revision[] = ['2026-07-28', '2025-11-25'];

function elicitationIn(revision: Revision): JsonObject | undefined {
  if (withModes.includes(revision)) return { form: {}, url: {} };
  return revision === '2025-06-18' ? {} : undefined;
}

function rootsIn(input: ElicitationBroker, revision: Revision): JsonObject {
  const tellsChanges = input.onDidChangeRoots !== undefined && revision !== '2026-07-28';
  return tellsChanges ? { listChanged: true } : {};
}

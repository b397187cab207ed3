import { planFields } from '../../core/arguments/inputFields';
import { draftsOf } from '../../core/arguments/fieldDrafts';
import type { JsonObject } from '../../core/json/jsonValue';
import { isByHand } from '../../host/consent/facts/callOrigin';
import type { History } from '../../host/history/history';
import { withoutMarkers } from '../../host/history/keptArguments';
import type { Remembered } from './argumentMemory';
import { argumentsText } from './argumentText';

/**
 * Returns the arguments of the user's last call of the tool from the history, which outlives the
 * window. They are fields if the schema allows it, otherwise a document. Omitted secrets and calls
 * by other extensions and agents are not used.
 */
export async function fromLastTime(
  history: Pick<History, 'read' | 'calls'>,
  schema: JsonObject,
  serverId: string,
  toolName: string,
): Promise<Remembered | undefined> {
  await history.read();
  const last = history.calls.find(
    ({ server, tool, sentAt, origin, isOfOthers }) =>
      server === serverId &&
      tool === toolName &&
      sentAt !== undefined &&
      isByHand(origin) &&
      isOfOthers !== true,
  );
  if (last?.arguments === undefined) return undefined;
  const known = last.hasSecrets === true ? withoutMarkers(last.arguments) : last.arguments;
  const plan = planFields(schema);
  if (plan.kind === 'fields') {
    const { drafts, isAll } = draftsOf(plan.fields, known);
    if (isAll) return { kind: 'drafts', drafts };
  } else if (plan.kind !== 'document' || Object.keys(known).length === 0) return undefined;
  return { kind: 'text', text: argumentsText(schema, known) };
}

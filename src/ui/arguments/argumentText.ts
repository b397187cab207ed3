import * as l10n from '@vscode/l10n';
import { optionalNames, toSkeleton } from '../../core/arguments/argumentsSkeleton';
import { mayHaveSecrets } from '../../core/arguments/argumentSecrets';
import type { JsonObject } from '../../core/json/jsonValue';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { visibleText } from '../../core/visibleText';
import { unnamedSentence } from '../format/formatArguments';
import { planFields } from '../../core/arguments/inputFields';
import { draftsOf } from '../../core/arguments/fieldDrafts';
import { isFromUser } from '../../host/consent/facts/callOrigin';
import type { History } from '../../host/history/history';
import { withoutMarkers } from '../../host/history/storedArguments';
import type { RememberedArguments } from './argumentMemory';

const maxOptionalNames = 20;
const maxNameChars = 80;

/**
 * Returns the initial text of a document: the required properties with the values known so far. A
 * comment names the optional properties and warns that secrets are not masked.
 */
export function argumentsText(schema: JsonObject, known: JsonObject): string {
  const optional = optionalNames(schema).filter((name) => !Object.hasOwn(known, name));
  const shown = optional
    .slice(0, maxOptionalNames)
    .map((name) => visibleText(JSON.stringify(name), maxNameChars));
  const names = optional.length > shown.length ? [...shown, '…'] : shown;
  const skeleton = toSkeleton(schema);
  const isUnnamed = names.length === 0 && Object.keys({ ...skeleton, ...known }).length === 0;
  const unnamed = isUnnamed ? `// ${unnamedSentence()}\n` : '';
  const comment =
    names.length === 0 ? unnamed : `// ${l10n.t('Optional: {0}', names.join(', '))}\n`;
  // A document masks nothing, so the comment warns about it.
  const secrets = mayHaveSecrets(schema)
    ? `// ${l10n.t('Secrets are plain text here. They are not kept and start empty.')}\n`
    : '';
  return `${comment}${secrets}${stringifyExactly({ ...skeleton, ...known }, 2)}\n`;
}

/**
 * Returns the arguments of the user's last call of the tool from the history, which outlives the
 * window. They are fields if the schema allows it, otherwise a document. Omitted secrets and calls
 * by other extensions and agents are not used.
 */
export async function lastArgumentsOf(
  history: Pick<History, 'read' | 'calls'>,
  schema: JsonObject,
  serverId: string,
  toolName: string,
): Promise<RememberedArguments | undefined> {
  await history.read();
  const last = history.calls.find(
    ({ server, tool, sentAt, origin, isForeign, isPrompt }) =>
      server === serverId &&
      tool === toolName &&
      sentAt !== undefined &&
      isFromUser(origin) &&
      isForeign !== true &&
      isPrompt !== true,
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

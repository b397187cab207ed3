import * as l10n from '@vscode/l10n';
import {
  textWithoutSecrets,
  mayHaveSecrets,
  optionalNames,
  toSkeleton,
} from '../../core/arguments/argumentsText';
import { type Drafts, draftsOf } from '../../core/arguments/fieldDrafts';
import { draftKey, type FormField } from '../../core/arguments/inputField';
import { planFields } from '../../core/arguments/inputFields';
import { dropOldest } from '../../core/bounds/shortLivedMap';
import type { JsonObject } from '../../core/json/jsonValue';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { visibleText } from '../../core/visibleText';
import { isFromUser } from '../../host/consent/facts/callFacts';
import type { History } from '../../host/history/history';
import { withoutMarkers } from '../../host/history/storedArguments';
import { unnamedSentence } from '../format/formatArguments';

/** The arguments that the user entered for a tool, complete or not. */
export type RememberedArguments =
  | { readonly kind: 'drafts'; readonly drafts: Drafts }
  | { readonly kind: 'text'; readonly text: string };

/** Returns the schema of a tool's arguments, or `undefined` if the tool no longer exists. */
type SchemaOf = (serverId: string, toolName: string) => JsonObject | undefined;

/** Reads the arguments of a tool from before this window. */
type ReadLastArguments = (
  schema: JsonObject,
  serverId: string,
  toolName: string,
) => Promise<RememberedArguments | undefined>;

/** Maximum number of tools whose arguments are remembered. */
const maxTools = 200;
/** Longer texts are not remembered; they usually come from a file, which still exists. */
const maxTextChars = 1_000_000;

/**
 * Remembers the last arguments of each tool, to offer them the next time. They are kept in memory
 * only, because they may contain secrets that the schema does not mark. Secrets that the schema
 * marks are not kept at all. If nothing was entered for a tool in this window, it returns the
 * arguments of the last call in the history.
 */
export class ArgumentMemory {
  readonly #remembered = new Map<string, RememberedArguments>();
  readonly #schemaOf: SchemaOf;
  readonly #lastTime: ReadLastArguments | undefined;

  constructor(schemaOf: SchemaOf, lastTime?: ReadLastArguments) {
    this.#schemaOf = schemaOf;
    this.#lastTime = lastTime;
  }

  /** Returns the remembered arguments, or the ones from before this window. */
  async recall(serverId: string, toolName: string): Promise<RememberedArguments | undefined> {
    const schema = this.#schemaOf(serverId, toolName);
    if (schema !== undefined && this.get(serverId, toolName) === undefined) {
      const before = await this.#lastTime?.(schema, serverId, toolName);
      // Arguments that were entered meanwhile are newer.
      const isNew = this.get(serverId, toolName) === undefined;
      if (before !== undefined && isNew) this.set(serverId, toolName, before);
    }
    return this.get(serverId, toolName);
  }

  get(serverId: string, toolName: string): RememberedArguments | undefined {
    return this.#remembered.get(keyOf(serverId, toolName));
  }

  set(serverId: string, toolName: string, remembered: RememberedArguments): void {
    const key = keyOf(serverId, toolName);
    const schema = this.#schemaOf(serverId, toolName);
    // Without the schema it is unknown which arguments are secrets.
    const kept = schema === undefined ? undefined : withoutSecrets(schema, remembered);
    if (kept === undefined) return;
    this.#remembered.delete(key);
    this.#remembered.set(key, kept);
    dropOldest(this.#remembered, maxTools);
  }
}

function withoutSecrets(
  schema: JsonObject,
  remembered: RememberedArguments,
): RememberedArguments | undefined {
  if (remembered.kind === 'text') {
    if (remembered.text.length > maxTextChars) return undefined;
    const text = textWithoutSecrets(schema, remembered.text);
    return text === undefined ? undefined : { kind: 'text', text };
  }
  const plan = planFields(schema);
  const fields = plan.kind === 'fields' ? plan.fields : [];
  return { kind: 'drafts', drafts: withoutSecretDrafts(fields, remembered.drafts) };
}

/** Secrets have to be entered each time. */
export function withoutSecretDrafts(fields: readonly FormField[], known: Drafts): Drafts {
  const drafts = new Map(known);
  for (const field of fields) if (field.isSecret === true) drafts.delete(draftKey(field));
  return drafts;
}

function keyOf(serverId: string, toolName: string): string {
  return JSON.stringify([serverId, toolName]);
}

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
  history: Pick<History, 'read' | 'knownCalls'>,
  schema: JsonObject,
  serverId: string,
  toolName: string,
): Promise<RememberedArguments | undefined> {
  await history.read();
  const last = history.knownCalls.find(
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

import { textWithoutSecrets } from '../../core/arguments/argumentSecrets';
import { draftKey, type Drafts } from '../../core/arguments/fieldDrafts';
import type { FormField } from '../../core/arguments/inputField';
import { planFields } from '../../core/arguments/inputFields';
import { dropOldest } from '../../core/bounds/dropOldest';
import type { JsonObject } from '../../core/json/jsonValue';

/** What a person entered for a tool, as far as it went. */
export type Remembered =
  | { readonly kind: 'drafts'; readonly drafts: Drafts }
  | { readonly kind: 'text'; readonly text: string };

/** The schema of a tool's arguments; nothing where the tool is not there any more. */
export type SchemaOf = (serverId: string, toolName: string) => JsonObject | undefined;

/** What is known of a tool from before this window. */
export type LastTime = (
  schema: JsonObject,
  serverId: string,
  toolName: string,
) => Promise<Remembered | undefined>;

/** Whoever comes back to a tool after so many others begins anew. */
const maxTools = 200;
/** What is longer came out of a file, which is still there. */
const maxTextChars = 1_000_000;

/**
 * The last arguments entered for each tool, to offer them the next time; in memory only, because
 * they may hold secrets that nobody called so. What the schema calls a secret is not kept at all. Of
 * a tool for which nothing was entered in this window yet, what it was called with before.
 */
export class ArgumentMemory {
  readonly #remembered = new Map<string, Remembered>();
  readonly #schemaOf: SchemaOf;
  readonly #lastTime: LastTime | undefined;

  constructor(schemaOf: SchemaOf, lastTime?: LastTime) {
    this.#schemaOf = schemaOf;
    this.#lastTime = lastTime;
  }

  /** What was entered, or what there is from before. */
  async recall(serverId: string, toolName: string): Promise<Remembered | undefined> {
    const schema = this.#schemaOf(serverId, toolName);
    if (schema !== undefined && this.get(serverId, toolName) === undefined) {
      const before = await this.#lastTime?.(schema, serverId, toolName);
      // What was entered meanwhile is newer.
      const isNew = this.get(serverId, toolName) === undefined;
      if (before !== undefined && isNew) this.set(serverId, toolName, before);
    }
    return this.get(serverId, toolName);
  }

  get(serverId: string, toolName: string): Remembered | undefined {
    return this.#remembered.get(keyOf(serverId, toolName));
  }

  set(serverId: string, toolName: string, remembered: Remembered): void {
    const key = keyOf(serverId, toolName);
    const schema = this.#schemaOf(serverId, toolName);
    // Without the schema nobody knows what in it is a secret.
    const kept = schema === undefined ? undefined : withoutSecrets(schema, remembered);
    if (kept === undefined) return;
    this.#remembered.delete(key);
    this.#remembered.set(key, kept);
    dropOldest(this.#remembered, maxTools);
  }
}

function withoutSecrets(schema: JsonObject, remembered: Remembered): Remembered | undefined {
  if (remembered.kind === 'text') {
    if (remembered.text.length > maxTextChars) return undefined;
    const text = textWithoutSecrets(schema, remembered.text);
    return text === undefined ? undefined : { kind: 'text', text };
  }
  const plan = planFields(schema);
  const fields = plan.kind === 'fields' ? plan.fields : [];
  return { kind: 'drafts', drafts: withoutSecretDrafts(fields, remembered.drafts) };
}

/** What the schema calls a secret is entered anew each time. */
export function withoutSecretDrafts(fields: readonly FormField[], known: Drafts): Drafts {
  const drafts = new Map(known);
  for (const field of fields) if (field.isSecret === true) drafts.delete(draftKey(field));
  return drafts;
}

function keyOf(serverId: string, toolName: string): string {
  return JSON.stringify([serverId, toolName]);
}

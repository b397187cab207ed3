import { mayHaveSecrets } from '../../core/arguments/argumentsText';
import { splitName } from '../../core/arguments/contentFields';
import { dropOldest } from '../../core/bounds/shortLivedMap';
import type { JsonValue } from '../../core/json/jsonValue';
import { isJsonObject } from '../../core/json/shapes';
import { isNumber, type WrittenNumber } from '../../core/json/writtenNumber';
import type { Tool } from '../../core/types';
import type { CallOutcome, CallRequest } from '../calls/call';
import type { CallJournal } from '../calls/callJournal';
import { isKnownToken, looksSecret } from '../configuration/secretNames';
import type { SecretValues } from '../secrets/secretValues';

/** A value in an answer, such as the id of a created object. */
export interface AnswerValue {
  /** The value as the server sent it: untrusted. */
  readonly value: string | number | WrittenNumber;
  /** Display title of the tool that returned it: untrusted. */
  readonly toolTitle: string;
  /** When it was received, in milliseconds since the epoch. */
  readonly at: number;
}

interface NamedValue extends AnswerValue {
  readonly name: string;
}

const maxServers = 50;
/** Limit for one server; the newest values stay. */
const maxValues = 500;
/** Limit for one answer. The id of a created object is usually among the first values. */
const maxLookedAt = 300;
const maxDepth = 6;
const maxTextChars = 200;
/** Longer lists are not useful in a picker. */
const maxFound = 20;

/**
 * Values in answers of this session by name, to suggest when a tool of the same server asks for a
 * value of that name. In memory only, limited, and without values with names of secrets.
 */
export class AnswerValues implements CallJournal {
  readonly #byServer = new Map<string, readonly NamedValue[]>();
  readonly #titleOf: (tool: Tool) => string;
  readonly #known: Pick<SecretValues, 'redact'>;

  /**
   * @param resultTitle returns the display title of a tool
   * @param known secrets from other sources
   */
  constructor(titleOf: (tool: Tool) => string, known: Pick<SecretValues, 'redact'>) {
    this.#titleOf = titleOf;
    this.#known = known;
  }

  decided(): Promise<void> {
    return Promise.resolve();
  }

  ended(_callId: string, request: CallRequest, outcome: CallOutcome): Promise<void> {
    if (outcome.kind !== 'result') return Promise.resolve();
    const { structuredContent } = outcome.result;
    const { tool } = outcome.entry;
    // Names of tools that may return a secret under any name.
    const isSecretive =
      (request.secrets ?? []).length > 0 ||
      mayHaveSecrets(tool.inputSchema) ||
      (isJsonObject(tool.outputSchema) && mayHaveSecrets(tool.outputSchema));
    if (!isJsonObject(structuredContent) || isSecretive) return Promise.resolve();
    const shared = { toolTitle: this.#titleOf(tool), at: Date.now() };
    const found = valuesIn(structuredContent).filter(({ value }) => {
      return this.#known.redact(String(value)) === String(value);
    });
    this.#add(
      request.server,
      found.map((each) => ({ ...each, ...shared })),
    );
    return Promise.resolve();
  }

  /** Returns each value once, at most 20, those of the last answer first. */
  find(serverId: string, name: string): readonly AnswerValue[] {
    const wanted = plainName(name);
    const found = new Map<string | number, AnswerValue>();
    for (const { name: known, ...value } of this.#byServer.get(serverId) ?? []) {
      if (found.size === maxFound) break;
      const key = typeof value.value === 'object' ? String(value.value) : value.value;
      if (known === wanted && !found.has(key)) found.set(key, value);
    }
    return [...found.values()];
  }

  #add(server: string, values: readonly NamedValue[]): void {
    if (values.length === 0) return;
    const before = this.#byServer.get(server) ?? [];
    this.#byServer.delete(server);
    this.#byServer.set(server, [...values, ...before].slice(0, maxValues));
    dropOldest(this.#byServer, maxServers);
  }
}

/** Makes `sessionId`, `session_id` and `SESSION-ID` equal. */
function plainName(name: string): string {
  return splitName(name).join(' ');
}

type Found = Pick<NamedValue, 'name' | 'value'>;

/** Returns the values in order; `{"session": {"id": 1}}` also has a `session id`. */
function valuesIn(structured: JsonValue): readonly Found[] {
  const found: Found[] = [];
  let lookedAt = 0;
  const look = (value: JsonValue, name: string, parent: string, depth: number): void => {
    lookedAt += 1;
    if (lookedAt > maxLookedAt || depth > maxDepth) return;
    if (Array.isArray(value)) {
      for (const item of value.slice(0, maxLookedAt)) look(item, name, parent, depth + 1);
      return;
    }
    if (isJsonObject(value)) {
      for (const [key, child] of Object.entries(value)) {
        // Everything below such a name counts as secret.
        if (!looksSecret(key)) look(child, key, name, depth + 1);
      }
      return;
    }
    if (!isOffered(value)) return;
    found.push({ name: plainName(name), value });
    const owner = plainName(parent).replace(/s$/, '');
    if (plainName(name) === 'id' && owner !== '') found.push({ name: `${owner} id`, value });
  };
  look(structured, '', '', 0);
  return found;
}

function isOffered(value: JsonValue): value is AnswerValue['value'] {
  if (isNumber(value)) return true;
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= maxTextChars &&
    !isKnownToken(value)
  );
}

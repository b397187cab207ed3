import { parseElicitationField } from './elicitationField';
import type { ElicitationField } from './elicitationField';
import { isJsonObject, isObject, stringOrAbsent } from '../json/shapes';
import type { UnknownObject } from '../json/shapes';
import type { JsonObject } from '../json/jsonValue';

/** Larger forms are refused. */
const maxFields = 100;

/** A server's question to the user, in either era. All text is untrusted. */
export type ElicitationRequest = FormElicitation | UrlElicitation;

/** The call that waits for the answer, if it is known. */
export interface ElicitationOrigin {
  readonly tool?: string;
  /** Secret. The task during which the server asks, whose answer may take long. */
  readonly taskId?: string;
}

export interface FormElicitation extends ElicitationOrigin {
  readonly mode: 'form';
  readonly message: string;
  /** In the server's order. */
  readonly fields: readonly ElicitationField[];
  /** `requestedSchema` as received, which the answer has to satisfy. */
  readonly schema: JsonObject;
}

export interface UrlElicitation extends ElicitationOrigin {
  readonly mode: 'url';
  readonly message: string;
  /** URL as received. It has to be shown completely before it is opened. */
  readonly url: string;
  /** Opaque; only in 2025-11-25. */
  readonly elicitationId?: string;
}

/**
 * The user's answer. Closing the dialog means `cancel`. `content` is for forms only and
 * omits fields that were left empty.
 */
export type ElicitationResult =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/**
 * Parses the params of `elicitation/create`, or says why the user cannot be asked. A field of an
 * unsupported kind is asked for as JSON instead of guessing. Never throws.
 *
 * Spec: 2025-11-25 client/elicitation; R-508
 */
export function parseElicitation(params: unknown): ElicitationRequest | string {
  if (!isObject(params)) return 'params are not an object';
  const { message, mode } = params;
  if (typeof message !== 'string') return 'message is not a string';
  if (mode === undefined || mode === null || mode === 'form') {
    return parseForm(params.requestedSchema, message);
  }
  if (mode === 'url') return parseUrl(params, message);
  return 'unknown mode';
}

/**
 * Parses `data.elicitations` of the error -32042. Leaves out what is not a URL elicitation.
 */
export function parseRequiredElicitations(data: unknown): readonly UrlElicitation[] {
  if (!isObject(data) || !Array.isArray(data.elicitations)) return [];
  return data.elicitations
    .map((item: unknown) => parseElicitation(item))
    .filter((item): item is UrlElicitation => typeof item !== 'string' && item.mode === 'url');
}

/** Converts the result for the wire, whatever members the handler left in it. */
export function toElicitResult(request: ElicitationRequest, result: ElicitationResult): object {
  if (result.action !== 'accept') return { action: result.action };
  if (request.mode === 'url') return { action: 'accept' };
  return { action: 'accept', content: result.content ?? {} };
}

function parseUrl(params: UnknownObject, message: string): UrlElicitation | string {
  const { url } = params;
  if (typeof url !== 'string' || !URL.canParse(url)) return 'url is not a URL';
  const elicitationId = stringOrAbsent(params.elicitationId);
  return { mode: 'url', message, url, ...(elicitationId === undefined ? {} : { elicitationId }) };
}

/** Keywords that allow any object, or that fields enforce anyway. */
const formKeywords: ReadonlySet<string> = new Set(
  '$schema $id $comment $defs definitions type properties required title description additionalProperties'.split(
    ' ',
  ),
);

function parseForm(schema: unknown, message: string): FormElicitation | string {
  if (!isObject(schema) || !isJsonObject(schema)) return 'requestedSchema is not an object';
  if (schema.type !== undefined && schema.type !== 'object') return 'requestedSchema is no object';
  const odd = Object.keys(schema).find((key) => !formKeywords.has(key));
  if (odd !== undefined) return `requestedSchema has the keyword ${odd.slice(0, 100)}`;
  const properties = schema.properties ?? {};
  if (!isObject(properties)) return 'properties are not an object';
  const required = schema.required ?? [];
  if (!Array.isArray(required)) return 'required is not an array';
  const orphan = required.findIndex(
    (name) => typeof name !== 'string' || !Object.hasOwn(properties, name),
  );
  if (orphan !== -1) return 'required names a property that is not there';
  const entries = Object.entries(properties);
  if (entries.length > maxFields) return `more than ${maxFields} properties`;
  const fields: ElicitationField[] = [];
  for (const [name, property] of entries) {
    const field = parseElicitationField(name, property, required.includes(name), schema);
    if (typeof field === 'string') return `${name.slice(0, 100)}: ${field}`;
    fields.push(field);
  }
  return { mode: 'form', message, fields, schema };
}

/** Words that mean a secret in the name or title of a field. */
const secretNames = new RegExp(
  String.raw`\b(?:pass(?:word|wd|phrase|code)s?|pwd|secrets?|credentials?|pin|otp|cvv|cvc|` +
    String.raw`(?:one time|recovery|security|verification|backup) codes?|seed phrase|mnemonic|` +
    String.raw`(?:api|access|private|secret|encryption|signing|ssh|license) ?keys?|` +
    String.raw`(?:credit |debit )?card number|bearer|` +
    String.raw`tokens?(?! (?:count|limit|budget|usage|size)))\b`,
);

/** Phrases that mean a secret in a sentence. Other words often say that none is wanted. */
const secretPhrases =
  /\b(?:your|the|an?|enter|type|provide) (?:[\w-]+ ){0,3}?(?:password|passphrase|api key|access token|private key|secret key)\b/;

/**
 * Finds the fields that seem to ask for a secret, which a server must not do in a form. It
 * is a guess by English words and only causes a warning. If only the message asks, every text field
 * counts.
 */
export function findSecretFields(request: FormElicitation): ReadonlySet<string> {
  const isAskedByMessage = secretPhrases.test(request.message.toLowerCase());
  const found = request.fields.filter(
    (field) => isTyped(field) && (isAskedByMessage || asksForSecret(field)),
  );
  return new Set(found.map(({ name }) => name));
}

function isTyped({ kind }: ElicitationField): boolean {
  return kind === 'string' || kind === 'texts' || kind === 'json';
}

function asksForSecret({ name, label, description = '' }: ElicitationField): boolean {
  return (
    secretNames.test(toWords(name)) ||
    secretNames.test(toWords(label)) ||
    secretPhrases.test(description.slice(0, maxChars).toLowerCase())
  );
}

const maxChars = 1_000;

/** Converts `accessToken`, `ACCESS_TOKEN` and `access-token` to `access token`. */
function toWords(name: string): string {
  return name
    .slice(0, maxChars)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .toLowerCase();
}

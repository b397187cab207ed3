import { mapTexts } from '../../core/json/shapes';
import { inputPattern, inputVariable } from '../configuration/inputs';
import { isKnownToken, looksSecret, withoutScheme } from '../configuration/secretNames';
import { inputIdOf } from './clientEntry';
import type { DraftEntry, DraftInput, ServerDraft } from './draft';
import { freeName } from '../../core/nearestName';

/** A value in a draft that looks like a secret. */
export interface FoundSecret {
  readonly place: 'variable' | 'header' | 'argument' | 'address';
  /** Name of the variable, header, option or parameter. */
  readonly name: string;
  readonly value: string;
  /** True for a placeholder such as `<YOUR_TOKEN>`, for which the user is asked. */
  readonly isPlaceholder: boolean;
  /** Path of the containing text within the entry. */
  readonly path: readonly [keyof DraftEntry, (string | number)?];
  /** Offset in that text. */
  readonly start: number;
}

const placeholder =
  /^<.*>$|^\[.*\]$|^\{.*\}$|^x{3,}$|^\*{3,}$|^\.{3}$|your[-_ ]?|placeholder|replace[-_ ]?me|change[-_ ]?me|insert[-_ ]|^(?:token|api[-_]?key|password|secret)$/i;

/** Finds literal secrets in a draft by names and well-known prefixes. */
export function findDraftSecrets({ entry }: ServerDraft): readonly FoundSecret[] {
  return [
    ...namedSecrets('variable', 'env', entry.env ?? {}),
    ...namedSecrets('header', 'headers', entry.headers ?? {}),
    ...(entry.args ?? []).flatMap((arg, index) =>
      argumentSecrets(arg, entry.args?.[index - 1] ?? '', index),
    ),
    ...addressSecrets(entry.url ?? '', 'address', ['url']),
  ];
}

/**
 * Returns the same key for equal secrets. Equal placeholders of different names stand for different
 * values.
 */
export function secretKey({ isPlaceholder, name, value }: FoundSecret): string {
  return JSON.stringify([value, isPlaceholder ? name : '']);
}

/**
 * Replaces each of these secrets by an input, one for equal secrets, and returns the value of each
 * input. Ids begin with the server's name and differ from `taken`, and inputs of the draft whose ids
 * are taken get others.
 */
export function withInputs(
  draft: ServerDraft,
  secrets: readonly FoundSecret[],
  taken: ReadonlySet<string>,
): { readonly draft: ServerDraft; readonly values: ReadonlyMap<string, string> } {
  const used = new Set([...taken, ...draft.inputs.map(({ id }) => id)]);
  const ids = new Map<string, string>();
  const values = new Map<string, string>();
  const inputs: DraftInput[] = [];
  for (const found of secrets) {
    const { name, value, isPlaceholder } = found;
    const key = secretKey(found);
    if (ids.has(key)) continue;
    const id = freeName(inputIdOf(`${draft.name ?? ''} ${name}`), used);
    used.add(id);
    ids.set(key, id);
    inputs.push({
      id,
      type: 'promptString',
      description: draft.name === undefined ? name : `${name} (${draft.name})`,
      password: true,
    });
    if (!isPlaceholder) values.set(id, value);
  }
  // Edits from the end of each text, so that earlier offsets stay valid.
  const entry = secrets
    .toSorted((one, other) => other.start - one.start)
    .reduce((before, each) => {
      const variable = inputVariable(ids.get(secretKey(each)) ?? '');
      return edited(before, each.path, (text) => {
        return text.slice(0, each.start) + variable + text.slice(each.start + each.value.length);
      });
    }, draft.entry);
  // Renaming comes last, because it moves the secrets within their texts.
  const made = { ...draft, entry, inputs: [...draft.inputs, ...inputs] };
  return { draft: withFreeInputs(made, taken), values };
}

/** Renames inputs whose ids are taken. If two inputs have the same id, the last one counts. */
export function withFreeInputs(draft: ServerDraft, taken: ReadonlySet<string>): ServerDraft {
  const own = new Map(draft.inputs.map((input) => [input.id, input]));
  const used = new Set([...taken, ...own.keys()]);
  const renamed = new Map<string, string>();
  const inputs = [...own.values()].map((input) => {
    if (!taken.has(input.id)) return input;
    const id = freeName(input.id, used);
    used.add(id);
    renamed.set(input.id, id);
    return { ...input, id };
  });
  // Replaces all at once, so that a new id is not mistaken for an old one.
  const entry = withTexts(draft.entry, (text) =>
    text.replaceAll(inputPattern, (_, id: string) => inputVariable(renamed.get(id) ?? id)),
  );
  return { ...draft, entry, inputs };
}

function namedSecrets(
  place: 'variable' | 'header',
  key: 'env' | 'headers',
  record: Readonly<Record<string, string | number | null>>,
): FoundSecret[] {
  return Object.entries(record).flatMap(([name, given]) => {
    const text = given === null ? '' : String(given);
    const value = withoutScheme(text);
    if (!looksSecret(name) && !isKnownToken(value)) return [];
    return secret({ place, name, value, path: [key, name], start: text.length - value.length });
  });
}

function argumentSecrets(arg: string, before: string, index: number): FoundSecret[] {
  const path = ['args', index] as const;
  const ending = (name: string, text: string): FoundSecret[] => {
    const value = withoutScheme(text);
    return secret({ place: 'argument', name, value, path, start: arg.length - value.length });
  };
  // `--api-key value`, but not an option that follows it.
  if (/^--?[\w-]+$/.test(before) && looksSecret(before) && !arg.startsWith('-')) {
    return ending(before, arg);
  }
  // `--token=value`, `API_KEY=value` after `-e`, `Authorization: Bearer value` after `--header`.
  const [, name, rest] = /^([\w-]+)(?:=|:\s*)(.+)$/s.exec(arg) ?? [];
  if (name !== undefined && rest !== undefined && looksSecret(name)) return ending(name, rest);
  if (URL.canParse(arg)) return addressSecrets(arg, 'argument', path);
  return isKnownToken(arg) ? ending(before === '' ? 'token' : before, arg) : [];
}

function addressSecrets(
  address: string,
  place: FoundSecret['place'],
  path: FoundSecret['path'],
): FoundSecret[] {
  // As in the URL standard, the last @ ends the password.
  const [, user = '', password = ''] =
    /^([a-z][\w+.-]*:\/\/[^/?#@:]*:)([^/?#]+)@/i.exec(address) ?? [];
  const [, scheme = '', token = ''] = /^([a-z][\w+.-]*:\/\/)([^/?#@:]+)@/i.exec(address) ?? [];
  const parameters = [...address.matchAll(/([?&]([^?=&#]+)=)([^&#]+)/g)];
  return [
    // A password is a secret even if it is short.
    ...(password === '' || password.includes('${')
      ? []
      : [foundSecret({ place, name: 'password', value: password, path, start: user.length })]),
    // A token can stand in place of the user.
    ...(isKnownToken(token)
      ? secret({ place, name: 'token', value: token, path, start: scheme.length })
      : []),
    ...parameters.flatMap((match) => {
      const [, before = '', name = '', value = ''] = match;
      const start = match.index + before.length;
      const isSecret = looksSecret(name) || isKnownToken(value);
      return isSecret ? secret({ place, name, value, path, start }) : [];
    }),
  ];
}

function secret(found: Omit<FoundSecret, 'isPlaceholder'>): FoundSecret[] {
  const { name, value } = found;
  // Values with variables are stored elsewhere, and shorter values are no secrets.
  if (value.length < 4 || value.includes('${')) return [];
  if (!looksSecret(name, value) && !isKnownToken(value)) return [];
  return [foundSecret(found)];
}

function foundSecret(found: Omit<FoundSecret, 'isPlaceholder'>): FoundSecret {
  const name = found.name.replace(/^-+/, '');
  return { ...found, name, isPlaceholder: placeholder.test(found.value) };
}

/** Returns the entry with one text changed. */
function edited(
  entry: DraftEntry,
  [key, name]: FoundSecret['path'],
  edit: (text: string) => string,
): DraftEntry {
  const inRecord = <T>(record: Readonly<Record<string, T>> = {}): Record<string, T | string> =>
    Object.fromEntries(
      Object.entries(record).map(([each, item]) => [
        each,
        each === name ? edit(String(item)) : item,
      ]),
    );
  if (key === 'env') return { ...entry, env: inRecord(entry.env) };
  if (key === 'headers') return { ...entry, headers: inRecord(entry.headers) };
  if (key === 'url') return { ...entry, url: edit(entry.url ?? '') };
  const args = (entry.args ?? []).map((arg, index) => (index === name ? edit(arg) : arg));
  return { ...entry, args };
}

/** Returns the entry with every text changed. */
function withTexts(entry: DraftEntry, change: (text: string) => string): DraftEntry {
  const { command, args, env, envFile, cwd, url, headers } = entry;
  return {
    ...entry,
    ...(command === undefined ? {} : { command: change(command) }),
    ...(args === undefined ? {} : { args: args.map(change) }),
    ...(env === undefined ? {} : { env: mapTexts(env, change) }),
    ...(envFile === undefined ? {} : { envFile: change(envFile) }),
    ...(cwd === undefined ? {} : { cwd: change(cwd) }),
    ...(url === undefined ? {} : { url: change(url) }),
    ...(headers === undefined ? {} : { headers: mapTexts(headers, change) }),
  };
}

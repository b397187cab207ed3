import { isObject, mapTexts, type UnknownObject } from '../../core/json/shapes';
import { isNumber } from '../../core/json/writtenNumber';
import type { DraftEntry, DraftInput, DraftNote, ServerDraft } from './draft';
import { containerNotes } from './programDraft';

/** Longer entries were not written by a human. */
const maxEntryChars = 64 * 1024;

/** Keys without effect on how a server runs. */
const silentKeys = ['name', 'title', 'description', 'icon', 'version', 'source', 'gallery'];
const readKeys =
  'type transport command args env environment envFile cwd url serverUrl httpUrl headers requestOptions disabled enabled tools'.split(
    ' ',
  );

const types: ReadonlyMap<string, DraftEntry['type']> = new Map([
  ['http', 'http'],
  ['remote', 'http'],
  ['streamable-http', 'http'],
  ['streamablehttp', 'http'],
  ['streamable_http', 'http'],
  ['sse', 'sse'],
]);

/**
 * Converts an entry in the format of any client, with its variables, into a draft. Options that
 * would relax questions are left out. Returns `undefined` if the value is no server.
 */
export function draftFromEntry(name: string | undefined, value: unknown): ServerDraft | undefined {
  if (!isObject(value) || JSON.stringify(value).length > maxEntryChars) return undefined;
  // Continue nests the transport one level deeper.
  const flat = isObject(value['transport']) ? { ...value, ...value['transport'] } : value;
  const translation = new Translation();
  const how = stdioEntry(flat, translation) ?? httpEntry(flat, translation);
  if (how === undefined) return undefined;
  const entry = { ...how, ...toolsOf(flat) };
  return {
    entry,
    inputs: translation.inputs,
    notes: [
      ...notesOfKeys(flat),
      ...containerNotes(entry.command ?? '', entry.args ?? []),
      ...translation.notes,
    ],
    ...(name === undefined || name === '' ? {} : { name }),
  };
}

function stdioEntry(value: UnknownObject, translation: Translation): DraftEntry | undefined {
  const { command } = value;
  // An older Zed nests the command. OpenCode puts the arguments into the same list.
  const inner = isObject(command) ? command : value;
  const words = textsOf(isObject(command) ? [command['path']] : [command].flat());
  const [program, ...first] = words;
  if (program === undefined || program === '') return undefined;
  const args = [...first, ...textsOf(inner['args'])];
  const env = variablesOf({ ...recordOf(inner['environment']), ...recordOf(inner['env']) });
  const { envFile, cwd } = value;
  return {
    command: translation.of(program),
    ...(args.length === 0 ? {} : { args: args.map((arg) => translation.of(arg)) }),
    ...(Object.keys(env).length === 0 ? {} : { env: translation.ofAll(env) }),
    ...(typeof envFile === 'string' ? { envFile: translation.of(envFile) } : {}),
    ...(typeof cwd === 'string' ? { cwd: translation.of(cwd) } : {}),
  };
}

function httpEntry(value: UnknownObject, translation: Translation): DraftEntry | undefined {
  const { url, serverUrl, httpUrl, headers, requestOptions } = value;
  const address = [url, serverUrl, httpUrl].find((each) => typeof each === 'string');
  if (typeof address !== 'string' || address === '') return undefined;
  const declared = [value['type'], value['transport']].find((each) => typeof each === 'string');
  const options = isObject(requestOptions) ? recordOf(requestOptions['headers']) : {};
  const all = textRecordOf({ ...options, ...recordOf(headers) });
  return {
    type: types.get(String(declared).toLowerCase()) ?? 'http',
    url: translation.of(address),
    ...(Object.keys(all).length === 0 ? {} : { headers: translation.ofAll(all) }),
  };
}

/** Returns Copilot's filter of tools; without one, or with `*`, all are offered. */
function toolsOf({ tools }: UnknownObject): Pick<DraftEntry, 'tools'> {
  if (!Array.isArray(tools) || tools.includes('*')) return {};
  return { tools: textsOf(tools) };
}

function notesOfKeys(value: UnknownObject): DraftNote[] {
  const known = [...silentKeys, ...readKeys];
  const keys = Object.keys(value).filter((key) => !known.includes(key) && !key.startsWith('$'));
  const isOff = value['disabled'] === true || value['enabled'] === false;
  return [
    ...(keys.length === 0 ? [] : [{ kind: 'leftOut', keys } as const]),
    ...(isOff ? [{ kind: 'disabled' } as const] : []),
  ];
}

/**
 * Matches `${NAME}` and `${NAME:-default}`. The variables of VS Code begin with a lowercase letter.
 */
const shellVariable = /\$\{([A-Z_][A-Z0-9_]*)(?::-([^}]*))?\}/g;
/** Matches Continue's `${{ secrets.NAME }}`. */
const secretVariable = /\$\{\{\s*(?:secrets|inputs)\.([\w.-]+)\s*\}\}/g;

/** Converts the variables of other clients into those of `.vscode/mcp.json`. */
class Translation {
  readonly #secrets = new Set<string>();
  readonly #lost = new Set<string>();

  of(text: string): string {
    return text
      .replaceAll(secretVariable, (_, name: string) => {
        const id = inputIdOf(name);
        this.#secrets.add(id);
        return `\${input:${id}}`;
      })
      .replaceAll(shellVariable, (_, name: string, fallback?: string) => {
        if (fallback !== undefined && fallback !== '') this.#lost.add(name);
        return `\${env:${name}}`;
      });
  }

  ofAll<T>(record: Readonly<Record<string, T>>): Record<string, T | string> {
    return mapTexts(record, (text) => this.of(text));
  }

  get inputs(): DraftInput[] {
    return [...this.#secrets].map((id) => ({ id, type: 'promptString', password: true }));
  }

  get notes(): DraftNote[] {
    const variables = [...this.#lost];
    return variables.length === 0 ? [] : [{ kind: 'defaultLost', variables }];
  }
}

/** Converts a name into an input id: `API_KEY` becomes `api-key`. */
export function inputIdOf(name: string): string {
  const id = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  return id === '' ? 'value' : id;
}

function textsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => textOf(item) ?? []);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return isNumber(value) || typeof value === 'boolean' ? String(value) : undefined;
}

function recordOf(value: unknown): UnknownObject {
  return isObject(value) ? value : {};
}

function textRecordOf(value: UnknownObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]): [string, string][] => {
      const text = textOf(item);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** Returns the variables; `null` unsets a variable. */
function variablesOf(value: UnknownObject): Record<string, string | null> {
  const gone = Object.entries(value).filter(([, item]) => item === null);
  return { ...textRecordOf(value), ...Object.fromEntries(gone.map(([name]) => [name, null])) };
}

import type { ServerConfig } from './serverConfig';
import { type ConfigFormat, serversKey } from './configurationFormats';

/** What other programs do not know stands under this key, where it does not disturb them. */
export const ownKey = 'toolgate';
export const oauthKey = 'oauth';
const stdioKeys = ['command', 'args', 'env', 'envFile', 'cwd', 'dev', ownKey];
const httpKeys = ['url', 'headers', oauthKey, 'dev', ownKey];
/** Say something about the entry, or to other programs, and nothing about how it runs. */
const neutralKeys = ['type', 'gallery', 'version', 'sandboxEnabled', 'tools'];
/** Of `dev`, of `oauth`, and of our own key, those that count. */
const devKeys = ['watch'];
export const oauthKeys = ['clientId', 'clientSecret'];
const stdioOwnKeys = ['era'];
/** Texts with variables: where the company says who the person is, and what it said. */
export const identityKeys = ['identityProvider', 'identityClientId', 'identityToken'];
const ownKeys = [
  ...stdioOwnKeys,
  'scopes',
  'redirectPort',
  'omitResource',
  'grant',
  ...identityKeys,
];
/** Known so that the note about each says more than that nobody knows it. */
export const debugKey = 'debug';
export const enterpriseKey = 'enterpriseManaged';

/** Those that an entry of this kind may have. */
export function entryKeysOf(kind: ServerConfig['transport']['kind']): readonly string[] {
  return [...(kind === 'stdio' ? stdioKeys : httpKeys), ...neutralKeys];
}

/** Those under our own key that say something of an entry of this kind. */
export function ownKeysOf(kind: ServerConfig['transport']['kind']): readonly string[] {
  return kind === 'stdio' ? stdioOwnKeys : ownKeys;
}

const inObjects: Readonly<Record<string, readonly string[]>> = {
  dev: [...devKeys, debugKey],
  [oauthKey]: [...oauthKeys, enterpriseKey],
  [ownKey]: ownKeys,
};

/** Every key that an entry can have and that is known here, those of its objects behind a dot. */
export const entryKeyPaths: readonly string[] = [
  ...new Set([...stdioKeys, ...httpKeys, ...neutralKeys]),
].flatMap((key) => inObjects[key]?.map((name) => `${key}.${name}`) ?? [key]);

/** The same thing under the name of another client's format. */
const namesakes: Readonly<Record<string, string>> = {
  cmd: 'command',
  arguments: 'args',
  environment: 'env',
  serverUrl: 'url',
  httpUrl: 'url',
  workingDirectory: 'cwd',
};

/** Longer names are no slip of the fingers. */
const maxNameChars = 40;

/**
 * The key that was meant where an unknown one stands: what another client calls so, or one that is
 * written nearly like it. `undefined` where nothing is near, or where the object has it already.
 */
export function meantKey(
  path: readonly (string | number)[],
  format: ConfigFormat,
  present: ReadonlySet<string>,
): string | undefined {
  const name = String(path.at(-1));
  const known = knownKeys(path, format);
  if (name.length > maxNameChars) return undefined;
  const names = new Map(known.map((key) => [key, key]));
  if (path.length === 1)
    names.set(format === 'vscode' ? 'mcpServers' : 'servers', serversKey(format));
  if (path.length === 3 && known === entryKeys) {
    for (const [other, own] of Object.entries(namesakes)) names.set(other, own);
  }
  const ranked = [...names]
    .map(([written, meant]) => ({ meant, slips: slipsBetween(name, written) }))
    .filter(({ slips }) => slips <= (name.length < 5 ? 1 : 2))
    .toSorted((one, other) => one.slips - other.slips);
  const meant = ranked[0]?.meant;
  return meant === undefined || present.has(meant) ? undefined : meant;
}

const entryKeys: readonly string[] = [...new Set([...stdioKeys, ...httpKeys, ...neutralKeys])];

function knownKeys(path: readonly (string | number)[], format: ConfigFormat): readonly string[] {
  const [top, , third] = path;
  if (path.length === 1) return format === 'vscode' ? ['servers', 'inputs'] : ['mcpServers'];
  if (top === serversKey(format) && path.length === 3) return entryKeys;
  if (top === serversKey(format) && path.length === 4 && third === 'dev') return devKeys;
  if (top === serversKey(format) && path.length === 4 && third === ownKey) return ownKeys;
  if (top === serversKey(format) && path.length === 4 && third === oauthKey) return oauthKeys;
  if (top === 'inputs' && path.length === 3) return inputKeys;
  return [];
}

const inputKeys: readonly string[] = [
  'id',
  'type',
  'description',
  'default',
  'password',
  'options',
  'command',
  'args',
];

/** How many letters to add, leave out or change between two names, in any case. */
function slipsBetween(one: string, other: string): number {
  const wanted = Array.from(other.toLowerCase());
  let row = [0, ...wanted.map((_, index) => index + 1)];
  for (const [index, letter] of Array.from(one.toLowerCase()).entries()) {
    const next = [index + 1];
    for (const [at, each] of wanted.entries()) {
      const changed = (row[at] ?? 0) + (letter === each ? 0 : 1);
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

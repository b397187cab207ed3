import { nearestName } from '../../core/nearestName';
import { getNodeValue, type Node } from 'jsonc-parser';
import type { ServerConfig } from './serverConfig';
import { type ConfigFormat, serversKey } from './configurationFormats';

/** Key for Toolgate's own options, which other programs ignore. */
export const toolgateKey = 'toolgate';
export const oauthKey = 'oauth';
const stdioKeys = ['command', 'args', 'env', 'envFile', 'cwd', 'tools', 'dev', toolgateKey];
const httpKeys = ['url', 'headers', oauthKey, 'tools', 'dev', toolgateKey];
/** Keys with metadata or options of other programs, without effect on how the server runs. */
const neutralKeys = ['type', 'gallery', 'version', 'sandboxEnabled'];
/** Supported members of `dev`, of `oauth`, and of Toolgate's own key. */
const devKeys = ['watch'];
export const oauthKeys = ['clientId', 'clientSecret'];
const stdioOwnKeys = ['era'];
/** Texts with variables: the company's identity provider and the token it issued. */
export const identityKeys = ['identityProvider', 'identityClientId', 'identityToken'];
const ownKeys = [
  ...stdioOwnKeys,
  'scopes',
  'redirectPort',
  'omitResource',
  'grant',
  ...identityKeys,
];
/** Known so that their problems can say more than that the key is unknown. */
export const debugKey = 'debug';
export const enterpriseKey = 'enterpriseManaged';

/** Returns the keys that an entry of this kind may have. */
export function entryKeysOf(kind: ServerConfig['transport']['kind']): readonly string[] {
  return [...(kind === 'stdio' ? stdioKeys : httpKeys), ...neutralKeys];
}

/** Returns the members of Toolgate's own key that apply to this kind of server. */
export function ownKeysOf(kind: ServerConfig['transport']['kind']): readonly string[] {
  return kind === 'stdio' ? stdioOwnKeys : ownKeys;
}

/**
 * Reads Copilot's filter of tools: the names of some, or `["*"]` for all, which is the default. For
 * another value it calls `refuse`, because the entry must not offer more than it was meant to.
 */
export function toolFilter(node: Node, refuse: () => void): readonly string[] | undefined {
  const names: unknown = getNodeValue(node);
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) {
    return names.includes('*') ? undefined : names;
  }
  refuse();
  return undefined;
}

const inObjects: Readonly<Record<string, readonly string[]>> = {
  dev: [...devKeys, debugKey],
  [oauthKey]: [...oauthKeys, enterpriseKey],
  [toolgateKey]: ownKeys,
};

/** Every known key of an entry; members of its objects follow a dot. */
export const entryKeyPaths: readonly string[] = [
  ...new Set([...stdioKeys, ...httpKeys, ...neutralKeys]),
].flatMap((key) => inObjects[key]?.map((name) => `${key}.${name}`) ?? [key]);

/** Keys of other clients' formats with the same meaning. */
const namesakes: Readonly<Record<string, string>> = {
  cmd: 'command',
  arguments: 'args',
  environment: 'env',
  serverUrl: 'url',
  httpUrl: 'url',
  workingDirectory: 'cwd',
};

/**
 * Suggests the key that was probably meant: the equivalent of another client's key, or a similarly
 * spelled one. Returns `undefined` if none is similar, or if the object has it already.
 */
export function suggestKey(
  path: readonly (string | number)[],
  format: ConfigFormat,
  present: ReadonlySet<string>,
): string | undefined {
  const name = String(path.at(-1));
  const known = knownKeys(path, format);
  const names = new Map(known.map((key) => [key, key]));
  if (path.length === 1)
    names.set(format === 'vscode' ? 'mcpServers' : 'servers', serversKey(format));
  if (path.length === 3 && known === entryKeys) {
    for (const [other, own] of Object.entries(namesakes)) names.set(other, own);
  }
  const meant = names.get(nearestName(name, [...names.keys()]) ?? '');
  return meant === undefined || present.has(meant) ? undefined : meant;
}

const entryKeys: readonly string[] = [...new Set([...stdioKeys, ...httpKeys, ...neutralKeys])];

function knownKeys(path: readonly (string | number)[], format: ConfigFormat): readonly string[] {
  const [top, , third] = path;
  if (path.length === 1) return format === 'vscode' ? ['servers', 'inputs'] : ['mcpServers'];
  if (top === serversKey(format) && path.length === 3) return entryKeys;
  if (top === serversKey(format) && path.length === 4 && third === 'dev') return devKeys;
  if (top === serversKey(format) && path.length === 4 && third === toolgateKey) return ownKeys;
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

import type { ServerConfig } from './serverConfig';

/** What other programs do not know stands under this key, where it does not disturb them. */
export const ownKey = 'toolgate';
export const oauthKey = 'oauth';
export const stdioKeys = ['command', 'args', 'env', 'envFile', 'cwd', 'dev', ownKey];
export const httpKeys = ['url', 'headers', oauthKey, 'dev', ownKey];
/** Say something about the entry, or to other programs, and nothing about how it runs. */
export const neutralKeys = ['type', 'gallery', 'version', 'sandboxEnabled', 'tools'];
/** Of `dev`, of `oauth`, and of our own key, those that count. */
export const devKeys = ['watch'];
export const oauthKeys = ['clientId', 'clientSecret'];
const stdioOwnKeys = ['era'];
/** Texts with variables: where the company says who the person is, and what it said. */
export const identityKeys = ['identityProvider', 'identityClientId', 'identityToken'];
export const ownKeys = [
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

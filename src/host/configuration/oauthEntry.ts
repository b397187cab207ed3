import { getNodeValue, type Node } from 'jsonc-parser';
import type { OAuthConfiguration } from '../../core/auth/ports';
import type { ProblemCode, Property } from './configurationProblems';
import { enterpriseKey, identityKeys, oauthKey, oauthKeys, toolgateKey } from './entryKeys';

/** The sign-in options of an entry, and callbacks to resolve texts and report problems. */
export interface OAuthEntry {
  /** The members of `oauth`, as in VS Code. */
  readonly oauth: readonly Property[];
  /** The members of Toolgate's own key. */
  readonly own: readonly Property[];
  /** Names of the headers that are sent with each request. */
  readonly headers: readonly string[];
  /** Returns the text with its variables resolved, and reports its problems. */
  readonly textOf: (node: Node) => string | undefined;
  readonly noteSecret: (name: string, value: Node) => void;
  readonly note: (code: ProblemCode, node: Node, fatal: boolean, detail?: string) => void;
}

type Grant = NonNullable<OAuthConfiguration['grant']>;

const grants: readonly Grant[] = ['authorization_code', 'client_credentials'];
const maxTextChars = 8_192;
const maxScopes = 200;
/**
 * RFC 6749 3.3. Variables are not allowed, so that no environment value is sent to a server
 * unnoticed.
 */
const scope = /^[!#-[\]-~]{1,1000}$/;

/**
 * Returns `undefined` if the entry has no sign-in options. Invalid ones are reported and left out.
 */
export function readOAuth(entry: OAuthEntry): OAuthConfiguration | undefined {
  const { clientId, clientSecret } = readClient(entry);
  const enterprise = readIdentity(entry, clientId);
  const values = new Map(entry.own.map(({ name, value }) => [name, value]));
  const read = <T>(name: string, expected: string, parse: (value: unknown) => T | undefined) => {
    const node = values.get(name);
    if (node === undefined) return undefined;
    const value = parse(getNodeValue(node));
    if (value === undefined) entry.note('wrongType', node, true, expected);
    return value;
  };
  const scopes = read('scopes', 'array of scopes', parseScopes);
  const redirectPort = read('redirectPort', '1 – 65535', parsePort);
  const omitResource = read('omitResource', 'true | false', (value) =>
    typeof value === 'boolean' ? value : undefined,
  );
  const grant = read('grant', grants.join(' | '), (value) => grants.find((each) => each === value));
  const oauth: OAuthConfiguration = {
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(redirectPort === undefined ? {} : { redirectPort }),
    ...(omitResource === undefined ? {} : { omitResource }),
    ...(grant === undefined ? {} : { grant }),
    ...(enterprise === undefined ? {} : { enterprise }),
  };
  if (Object.keys(oauth).length === 0) return undefined;
  noteUnused(entry);
  return oauth;
}

/** The header is sent instead, so there is no sign-in. */
function noteUnused({ headers, oauth, own, note }: OAuthEntry): void {
  if (!headers.some((name) => name.toLowerCase() === 'authorization')) return;
  for (const { name, node } of [...oauth, ...own]) {
    if (name !== 'era') note('signInUnused', node, false);
  }
}

/**
 * Returns the options of a configured sign-in by name, in a fixed order, for display and for
 * hashes.
 */
export function oauthTexts(oauth: OAuthConfiguration): readonly (readonly [string, string])[] {
  const { clientId, clientSecret, scopes, redirectPort, omitResource, grant, enterprise } = oauth;
  const texts = {
    clientId,
    clientSecret,
    scopes: scopes?.join(' '),
    redirectPort: redirectPort?.toString(),
    omitResource: omitResource?.toString(),
    grant,
    identityProvider: enterprise?.tokenEndpoint,
    identityClientId: enterprise?.clientId,
    identityToken: enterprise?.idToken,
  };
  return Object.entries(texts).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text] as const],
  );
}

/** Returns the sign-in options with the values of their inputs filled in. */
export function filledOAuth(
  { oauth }: { readonly oauth?: OAuthConfiguration },
  filled: (text: string) => string,
): { readonly oauth?: OAuthConfiguration } {
  if (oauth === undefined) return {};
  const { clientId, clientSecret, enterprise, ...rest } = oauth;
  return {
    oauth: {
      ...rest,
      ...(clientId === undefined ? {} : { clientId: filled(clientId) }),
      ...(clientSecret === undefined ? {} : { clientSecret: filled(clientSecret) }),
      ...(enterprise === undefined
        ? {}
        : {
            enterprise: {
              tokenEndpoint: filled(enterprise.tokenEndpoint),
              clientId: filled(enterprise.clientId),
              idToken: filled(enterprise.idToken),
            },
          }),
    },
  };
}

function readClient(entry: OAuthEntry): Pick<OAuthConfiguration, 'clientId' | 'clientSecret'> {
  const texts = readTexts(entry, entry.oauth, oauthKeys);
  for (const { name, node, value } of entry.oauth) {
    if (oauthKeys.includes(name)) continue;
    if (name !== enterpriseKey) {
      entry.note('unknownKey', node, false, `${oauthKey}.${name}`);
    } else if (getNodeValue(value) !== false) {
      entry.note('unsupportedKey', node, false, `${oauthKey}.${name}`);
    }
  }
  const [clientId, clientSecret] = oauthKeys.map((name) => texts.get(name));
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
  };
}

/** Reads the named texts and resolves their variables. Empty texts are ignored. */
function readTexts(
  entry: OAuthEntry,
  properties: readonly Property[],
  names: readonly string[],
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { name, value } of properties) {
    if (!names.includes(name)) continue;
    entry.noteSecret(name, value);
    const text = entry.textOf(value) ?? '';
    if (text.length > maxTextChars) entry.note('wrongType', value, true, 'string');
    else if (text !== '') texts.set(name, text);
  }
  return texts;
}

/**
 * Reads access by a company's identity provider: all of its options and the client id at the
 * server, or none.
 */
function readIdentity(
  entry: OAuthEntry,
  clientId: string | undefined,
): OAuthConfiguration['enterprise'] {
  const texts = readTexts(entry, entry.own, identityKeys);
  const [tokenEndpoint, identityClientId, idToken] = identityKeys.map((name) => texts.get(name));
  const first = entry.own.find(({ name }) => texts.has(name));
  if (first === undefined) return undefined;
  const all = { [`${oauthKey}.clientId`]: clientId, ...namedIdentity(texts) };
  const missing = Object.entries(all).find(([, text]) => text === undefined);
  if (missing !== undefined) entry.note('incompleteSignIn', first.node, true, missing[0]);
  if (tokenEndpoint === undefined || identityClientId === undefined || idToken === undefined) {
    return undefined;
  }
  return { tokenEndpoint, clientId: identityClientId, idToken };
}

function namedIdentity(texts: ReadonlyMap<string, string>): Record<string, string | undefined> {
  return Object.fromEntries(
    identityKeys.map((name) => [`${toolgateKey}.${name}`, texts.get(name)]),
  );
}

function parseScopes(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > maxScopes) return undefined;
  const scopes = value.filter(
    (item): item is string => typeof item === 'string' && scope.test(item) && !item.includes('${'),
  );
  return scopes.length === value.length ? scopes : undefined;
}

function parsePort(value: unknown): number | undefined {
  const isPort = typeof value === 'number' && Number.isInteger(value);
  return isPort && value >= 1 && value <= 65_535 ? value : undefined;
}

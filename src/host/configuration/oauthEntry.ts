import { getNodeValue, type Node } from 'jsonc-parser';
import type { OAuthConfiguration } from '../../core/auth/ports';
import type { ProblemCode, Property } from './configurationProblems';
import { enterpriseKey, identityKeys, oauthKey, oauthKeys, ownKey } from './entryKeys';

/** What an entry says of its sign-in, and who reads its texts and hears of its problems. */
export interface OAuthEntry {
  /** The members of `oauth`, as VS Code writes them. */
  readonly oauth: readonly Property[];
  /** Those of our own key. */
  readonly own: readonly Property[];
  /** The names of those that are sent with each request. */
  readonly headers: readonly string[];
  /** With its variables filled in; notes itself what is wrong. */
  readonly textOf: (node: Node) => string | undefined;
  readonly noteSecret: (name: string, value: Node) => void;
  readonly note: (code: ProblemCode, node: Node, fatal: boolean, detail?: string) => void;
}

type Grant = NonNullable<OAuthConfiguration['grant']>;

const grants: readonly Grant[] = ['authorization_code', 'client_credentials'];
const maxTextChars = 8_192;
const maxScopes = 200;
/** RFC 6749 3.3; without variables, so that no value of the environment goes to a server unseen. */
const scope = /^[!#-[\]-~]{1,1000}$/;

/** `undefined` where the entry says nothing of a sign-in. What is wrong is noted and left out. */
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

/** The header is what is sent, and nobody is asked to sign in. */
function noteUnused({ headers, oauth, own, note }: OAuthEntry): void {
  if (!headers.some((name) => name.toLowerCase() === 'authorization')) return;
  for (const { name, node } of [...oauth, ...own]) {
    if (name !== 'era') note('signInUnused', node, false);
  }
}

/** What a configured sign-in consists of, by name, in one order: for people, and for hashes. */
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

/** Of how a server is reached, what it says of a sign-in, with the values of its texts filled in. */
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

/** Those of the names that hold texts, with their variables; what is empty says nothing. */
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
 * Access by what the identity provider of a company says of the person: all of it, and the client id
 * at the server itself, or none of it.
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
  return Object.fromEntries(identityKeys.map((name) => [`${ownKey}.${name}`, texts.get(name)]));
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

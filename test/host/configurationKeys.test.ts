import assert from 'node:assert/strict';
import { parseMcpJson } from '../../src/host/configuration/configuration';
import { entryKeyPaths } from '../../src/host/configuration/entryKeys';
import { configHash } from '../../src/host/configuration/configurationHash';
import { startFacts } from '../../src/host/consent/trust/startFacts';
import { file, inApp, only, parseEntry } from './configurationCases';

const stdio = { command: 'node', args: ['a.js'] };
const http = { type: 'http', url: 'https://h/' };

const identity = {
  identityProvider: 'https://idp/token',
  identityClientId: 'a',
  identityToken: '${input:t}',
};
const byIdentity = { ...http, oauth: { clientId: 'a' }, toolgate: identity };

/** Of each key two entries that differ in nothing but it. */
const deciding: Readonly<Record<string, readonly [object, object]>> = {
  type: [http, { ...http, type: 'sse' }],
  command: [stdio, { ...stdio, command: 'deno' }],
  args: [stdio, { ...stdio, args: ['b.js'] }],
  env: [stdio, { ...stdio, env: { A: '1' } }],
  envFile: [stdio, { ...stdio, envFile: '.env' }],
  cwd: [stdio, { ...stdio, cwd: 'sub' }],
  url: [http, { ...http, url: 'https://i/' }],
  headers: [http, { ...http, headers: { A: '1' } }],
  'dev.watch': [stdio, { ...stdio, dev: { watch: 'src/**' } }],
  'oauth.clientId': [http, { ...http, oauth: { clientId: 'a' } }],
  'oauth.clientSecret': [
    { ...http, oauth: { clientId: 'a', clientSecret: 'one' } },
    { ...http, oauth: { clientId: 'a', clientSecret: 'two' } },
  ],
  'toolgate.scopes': [http, { ...http, toolgate: { scopes: ['files:write'] } }],
  'toolgate.redirectPort': [http, { ...http, toolgate: { redirectPort: 4711 } }],
  'toolgate.omitResource': [http, { ...http, toolgate: { omitResource: true } }],
  'toolgate.grant': [http, { ...http, toolgate: { grant: 'client_credentials' } }],
  ...Object.fromEntries(
    Object.keys(identity).map((key) => [
      `toolgate.${key}`,
      [byIdentity, { ...byIdentity, toolgate: { ...identity, [key]: 'https://other/' } }] as const,
    ]),
  ),
  'toolgate.era': [stdio, { ...stdio, toolgate: { era: 'stateful' } }],
};

/** What decides neither what runs nor when, and why. */
const decidingNothing: Readonly<Record<string, readonly [object, object]>> = {
  // Nobody signs in by the accounts of a company; a problem says so.
  'oauth.enterpriseManaged': [http, { ...http, oauth: { enterpriseManaged: {} } }],
  // Where the entry came from; VS Code's gallery writes both.
  // Which tools Copilot CLI takes; rules say here which are called.
  tools: [stdio, { ...stdio, tools: ['*'] }],
  gallery: [stdio, { ...stdio, gallery: 'https://g/' }],
  version: [stdio, { ...stdio, version: '1.0.0' }],
  // With true the server is not started at all; false is what is so without it.
  sandboxEnabled: [stdio, { ...stdio, sandboxEnabled: false }],
  // No debugger is attached; a problem says so.
  'dev.debug': [stdio, { ...stdio, dev: { debug: { type: 'node' } } }],
};

const picture = (entry: object) => {
  const config = only(parseEntry(entry));
  return { hash: configHash(config), facts: startFacts(config) };
};

describe('Trust in a server entry', () => {
  it('is defined for every key that an entry can have', () => {
    assert.deepEqual(
      [...Object.keys(deciding), ...Object.keys(decidingNothing)].toSorted(),
      [...entryKeyPaths].toSorted(),
    );
  });

  for (const [key, [before, after]] of Object.entries(deciding)) {
    it(`ends when “${key}” changes, which is shown`, () => {
      assert.notEqual(picture(after).hash, picture(before).hash);
      assert.notDeepEqual(picture(after).facts, picture(before).facts);
    });
  }

  for (const [key, [before, after]] of Object.entries(decidingNothing)) {
    it(`continues when “${key}” changes, which affects nothing`, () => {
      assert.deepEqual(picture(after), picture(before));
    });
  }

  it('covers every glob, in order, and nothing else that resembles one', () => {
    const hashes = [
      stdio,
      { ...stdio, dev: { watch: 'a' } },
      { ...stdio, dev: { watch: ['a', 'b'] } },
      { ...stdio, dev: { watch: ['b', 'a'] } },
      { ...stdio, toolgate: { era: 'stateful' } },
      { ...stdio, dev: { watch: ['stateful'] } },
      { ...stdio, dev: { watch: ['stateful'] }, toolgate: { era: 'stateful' } },
      { type: 'http', url: 'https://h/', dev: { watch: 'a' } },
      { type: 'http', url: 'https://h/' },
    ].map((entry) => picture(entry).hash);
    assert.equal(new Set(hashes).size, hashes.length);
    assert.equal(picture({ ...stdio, dev: { watch: [] } }).hash, picture(stdio).hash);
    assert.equal(
      picture({ ...stdio, dev: { watch: ['a'] } }).hash,
      picture({ ...stdio, dev: { watch: 'a' } }).hash,
    );
  });

  it('covers the command that provides an input, and its arguments', () => {
    const answered = (input: object) => {
      const servers = { a: { command: 'node', args: ['${input:x}'] } };
      const inputs = [{ id: 'x', type: 'command', ...input }];
      const config = only(parseMcpJson(JSON.stringify({ servers, inputs }), file, inApp));
      return { hash: configHash(config), facts: startFacts(config) };
    };
    const before = answered({ command: 'a.b' });
    for (const other of [{ command: 'a.c' }, { command: 'a.b', args: { c: 1 } }]) {
      assert.notEqual(answered(other).hash, before.hash);
      assert.notDeepEqual(answered(other).facts, before.facts);
    }
  });
});

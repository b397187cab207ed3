import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { parseMcpJson } from '../../src/host/configuration/configuration';
import { configHash } from '../../src/host/configuration/configurationHash';
import { fillInputs } from '../../src/host/configuration/inputs';
import { suggestKey } from '../../src/host/configuration/entryKeys';
import { startFacts } from '../../src/host/consent/trust/startFacts';
import { configuredSecrets } from '../../src/host/secrets/configuredSecrets';
import { file, inApp, only, parseEntry, told } from './configurationCases';

const http = { type: 'http', url: 'https://h/' };

const oauthOf = (entry: object) => {
  const { transport } = only(parseEntry({ ...http, ...entry }));
  return transport.kind === 'stdio' ? undefined : transport.oauth;
};
const problemsOf = (entry: object) => told(parseEntry({ ...http, ...entry }).problems);

describe('The sign-in of a server entry', () => {
  it('is empty if nothing is configured', () => {
    assert.equal(oauthOf({}), undefined);
    assert.equal(oauthOf({ oauth: {}, toolgate: { era: 'stateful' } }), undefined);
  });

  it('has the client ID as VS Code writes it, and the rest under our own key', () => {
    const entry = {
      oauth: { clientId: 'mine' },
      toolgate: {
        scopes: ['files:read', 'api://x/.default'],
        redirectPort: 4711,
        omitResource: true,
        grant: 'client_credentials',
      },
    };
    assert.deepEqual(problemsOf(entry), []);
    assert.deepEqual(oauthOf(entry), {
      clientId: 'mine',
      scopes: ['files:read', 'api://x/.default'],
      redirectPort: 4711,
      omitResource: true,
      grant: 'client_credentials',
    });
  });

  const wrong: readonly (readonly [object, readonly string[]])[] = [
    [{ oauth: 'mine' }, ['wrongType servers/a/oauth object !']],
    [{ oauth: { clientId: 7 } }, ['wrongType servers/a/oauth/clientId string !']],
    [{ oauth: { clientId: 'x'.repeat(9_000) } }, ['wrongType servers/a/oauth/clientId string !']],
    [{ oauth: { client: 'mine' } }, ['unknownKey servers/a/oauth/client oauth.client']],
    [
      { oauth: { clientId: 'mine', enterpriseManaged: true } },
      ['unsupportedKey servers/a/oauth/enterpriseManaged oauth.enterpriseManaged'],
    ],
    ...['files:read', [7], ['a b'], [''], ['${env:TOKEN}'], ['é'], Array(300).fill('a')].map(
      (scopes) =>
        [
          { toolgate: { scopes } },
          ['wrongType servers/a/toolgate/scopes array of scopes !'],
        ] as const,
    ),
    ...[0, 70_000, 1.5, '80', null].map(
      (redirectPort) =>
        [
          { toolgate: { redirectPort } },
          ['wrongType servers/a/toolgate/redirectPort 1 – 65535 !'],
        ] as const,
    ),
    [
      { toolgate: { omitResource: 'yes' } },
      ['wrongType servers/a/toolgate/omitResource true | false !'],
    ],
    [
      { oauth: { clientId: 'mine' }, toolgate: { identityProvider: 'https://idp/token' } },
      ['incompleteSignIn servers/a/toolgate/identityProvider toolgate.identityClientId !'],
    ],
    [
      {
        toolgate: {
          identityProvider: 'https://idp/token',
          identityClientId: 'there',
          identityToken: '${env:TOKEN}',
        },
      },
      ['incompleteSignIn servers/a/toolgate/identityProvider oauth.clientId !'],
    ],
    [{ toolgate: { identityToken: 7 } }, ['wrongType servers/a/toolgate/identityToken string !']],
    [
      { toolgate: { grant: 'password' } },
      ['wrongType servers/a/toolgate/grant authorization_code | client_credentials !'],
    ],
  ];
  for (const [entry, problems] of wrong) {
    it(`is invalid in ${JSON.stringify(entry).slice(0, 80)}`, () => {
      assert.deepEqual(problemsOf(entry), problems);
    });
  }

  it('is ignored for a program', () => {
    const { problems, servers } = parseEntry({
      command: 'x',
      oauth: { clientId: 'mine' },
      toolgate: { scopes: ['a'], era: 'stateful' },
    });
    assert.deepEqual(told(problems).toSorted(), [
      'unknownKey servers/a/oauth oauth',
      'unknownKey servers/a/toolgate/scopes toolgate.scopes',
    ]);
    assert.equal(servers[0]?.transport.era, 'stateful');
  });

  it('has no effect beside an Authorization header, which is marked', () => {
    const entry = {
      headers: { authorization: '${env:TOKEN}' },
      oauth: { clientId: 'mine' },
      toolgate: { era: 'stateful', scopes: ['a'] },
    };
    assert.deepEqual(problemsOf(entry), [
      'signInUnused servers/a/oauth/clientId',
      'signInUnused servers/a/toolgate/scopes',
    ]);
    assert.deepEqual(problemsOf({ ...entry, headers: { 'X-Key': '${env:TOKEN}' } }), []);
    assert.deepEqual(problemsOf({ headers: entry.headers, toolgate: { era: 'stateful' } }), []);
  });

  it('can use inputs, which are inserted at the start and are part of the trust', async () => {
    const servers = {
      a: { ...http, oauth: { clientId: '${input:id}', clientSecret: '${input:s}' } },
    };
    const inputs = ['id', 's'].map((id) => ({ id, type: 'promptString', password: id === 's' }));
    const parsed = parseMcpJson(JSON.stringify({ servers, inputs }), file, inApp);
    assert.deepEqual(parsed.problems, []);
    const config = only(parsed);
    const valueOf = ({ id }: { id: string }) => Promise.resolve(`value of ${id}`);
    const transport = await fillInputs(config, { valueOf }, new CancellationTokenSource().token);
    assert.deepEqual(transport.kind !== 'stdio' && transport.oauth, {
      clientId: 'value of id',
      clientSecret: 'value of s',
    });
    const values = startFacts(config).map(({ name, value, written }) => [name, value ?? written]);
    assert.ok(JSON.stringify(values).includes('["clientId","${input:id}"]'));
    assert.deepEqual(configuredSecrets(config, transport).literal, ['value of s']);
  });

  it('can use an identity provider, whose token is never shown or stored', async () => {
    const toolgate = {
      identityProvider: 'https://idp/token',
      identityClientId: '${input:id}',
      identityToken: '${input:s}',
    };
    const servers = { a: { ...http, oauth: { clientId: 'mine' }, toolgate } };
    const inputs = ['id', 's'].map((id) => ({ id, type: 'promptString', password: id === 's' }));
    const parsed = parseMcpJson(JSON.stringify({ servers, inputs }), file, inApp);
    assert.deepEqual(parsed.problems, []);
    const config = only(parsed);
    const valueOf = ({ id }: { id: string }) => Promise.resolve(`value of ${id}`);
    const transport = await fillInputs(config, { valueOf }, new CancellationTokenSource().token);
    assert.deepEqual(transport.kind !== 'stdio' && transport.oauth, {
      clientId: 'mine',
      enterprise: {
        tokenEndpoint: 'https://idp/token',
        clientId: 'value of id',
        idToken: 'value of s',
      },
    });
    assert.deepEqual(configuredSecrets(config, transport).literal, ['value of s']);
    const literal = { ...toolgate, identityClientId: 'x', identityToken: 'eyJ.very.secret' };
    const entry = { ...http, oauth: { clientId: 'mine' }, toolgate: literal };
    assert.deepEqual(problemsOf(entry), [
      'literalSecret servers/a/toolgate/identityToken identityToken',
    ]);
    const facts = JSON.stringify(startFacts(only(parseEntry(entry))));
    assert.ok(facts.includes('"https://idp/token"') && !facts.includes('eyJ.very.secret'), facts);
  });

  it('shows the variable of an identity token, and not its value', () => {
    const toolgate = {
      identityProvider: 'https://idp/token',
      identityClientId: 'x',
      identityToken: '${env:TOKEN}',
    };
    const config = only(parseEntry({ ...http, oauth: { clientId: 'mine' }, toolgate }));
    const fact = startFacts(config).find(({ name }) => name === 'identityToken');
    assert.deepEqual([fact?.written, fact?.value], ['${env:TOKEN}', undefined]);
    assert.deepEqual(configuredSecrets(config, config.transport).theirs, ['secret']);
  });

  it('is marked if it contains a secret, which is never shown', () => {
    const secret = 's3cr3t-of-the-client';
    const entry = { oauth: { clientId: 'mine', clientSecret: secret } };
    assert.deepEqual(problemsOf(entry), [
      'literalSecret servers/a/oauth/clientSecret clientSecret',
    ]);
    const config = only(parseEntry({ ...http, ...entry }));
    assert.ok(!JSON.stringify(startFacts(config)).includes(secret));
    assert.deepEqual(configuredSecrets(config, config.transport).literal, [secret]);
  });

  it('shows the environment variable that it sends, and not its value', () => {
    const config = only(parseEntry({ ...http, oauth: { clientSecret: '${env:TOKEN}' } }));
    const fact = startFacts(config).find(({ part }) => part === 'signIn');
    assert.deepEqual([fact?.written, fact?.value], ['${env:TOKEN}', undefined]);
    assert.deepEqual(configuredSecrets(config, config.transport).theirs, ['secret']);
  });

  it('changes nothing for users who agreed to an entry without it', () => {
    const plain = only(parseEntry(http));
    assert.equal(configHash(only(parseEntry({ ...http, oauth: {} }))), configHash(plain));
  });

  it('accepts other spellings', () => {
    const meant = (...path: string[]) => suggestKey(['servers', 'a', ...path], 'vscode', new Set());
    assert.equal(meant('oauth', 'client_id'), 'clientId');
    assert.equal(meant('toolgate', 'scope'), 'scopes');
    assert.equal(meant('oauth', 'scopes'), undefined);
  });
});

import { ClientCredentialsProvider as Machine1 } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { ClientCredentialsProvider as Machine2 } from '@modelcontextprotocol/client';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { inspect, promisify } from 'node:util';
import { OAuthAuthorization } from '../../src/core/auth/oauthAuthorization';
import type { OAuthConfiguration } from '../../src/core/auth/ports';
import { AuthorizationServer, machineClient } from '../fixtures/authorizationServer';
import { MemoryAuthorizationStore } from '../fixtures/memoryAuthorizationStore';
import { SignInPerson } from '../fixtures/signInPerson';
import { bundled } from '../servers/bundled';
import { NamingProxy } from '../servers/namingProxy';
import { end, odd } from '../servers/oddExchanges';
import { type Odd, OddHttp } from '../servers/oddHttp';
import { clients, type SignIns, type Use } from './oddClients';
import { printTable, tryWithAll, type Verdicts, verdict } from './oddTable';
import { RecordingLog } from './wire';

// What stands before a server that works, with our client and those of both SDKs: a sign-in whose issuer
// has two forms, a key that nobody was told of, a proxy that only the environment names.

const place = 'HTTP JSON, stateful';
const whoami = { kind: 'http', tool: 'whoami', says: ': files:read' } as const;
const words = 'Unauthorized: missing API key';
const proxied = path.resolve(__dirname, '../servers/oddProxied.ts');
const run = promisify(execFile);

function ourSignIn(serverUrl: string, configuration: OAuthConfiguration): SignIns['us'] {
  return new OAuthAuthorization({
    serverUrl,
    configuration,
    store: new MemoryAuthorizationStore(),
    agent: new SignInPerson(),
    description: { name: 'x' },
    log: new RecordingLog(),
  });
}

function machines(url: string, expectedIssuer: string): SignIns {
  const scope = 'files:read';
  return {
    us: ourSignIn(url, { ...machineClient, grant: 'client_credentials', scopes: [scope] }),
    sdk1: new Machine1({ ...machineClient, scope, expectedIssuer }),
    sdk2: new Machine2({ ...machineClient, scope, expectedIssuer }),
  };
}

/** A person who has never signed in. */
function people(url: string): SignIns {
  const sdk = {
    redirectUrl: 'http://127.0.0.1:43001/callback',
    clientMetadata: { client_name: 'x', redirect_uris: ['http://127.0.0.1:43001/callback'] },
    clientInformation: () => undefined,
    saveClientInformation: () => undefined,
    tokens: () => undefined,
    saveTokens: () => undefined,
    redirectToAuthorization: () => undefined,
    saveCodeVerifier: () => undefined,
    codeVerifier: () => '',
  };
  return { us: ourSignIn(url, {}), sdk1: sdk, sdk2: sdk };
}

/** Everything that an error tells, in whichever of its members. */
const toldBy = (error: unknown) => inspect(error, { depth: 6 });

describe('Access to a server that works elsewhere, compared with both SDKs:', () => {
  const marks = new Map<string, Verdicts>();
  after(() => printTable(marks));

  const toStop: { stop(): unknown }[] = [];
  afterEach(async () => {
    for (const each of toStop.splice(0)) await each.stop();
  });
  const start = async (oddity: Odd): Promise<OddHttp> => {
    const server = await OddHttp.start(place, oddity);
    toStop.unshift(server);
    return server;
  };

  async function judge(name: string, tryWith: (use: Use, name: string) => Promise<string>) {
    const tried = await tryWithAll(clients, tryWith);
    marks.set(name, tried);
    assert.equal(tried['us'], 'ok', JSON.stringify(tried));
  }

  describe('a sign-in', () => {
    let server: AuthorizationServer;
    before(async () => {
      server = await AuthorizationServer.start({ issuers: 2, withSlash: [1] });
    });
    after(() => server.stop());

    for (const [form, index, namesOtherForm] of [
      ['an issuer without a slash', 0, false],
      ['an issuer without a slash, named with one', 0, true],
      ['an issuer with a slash', 1, false],
      ['an issuer with a slash, named without', 1, true],
    ] as const) {
      it(form, async () => {
        await server.change({ announced: [index], namesOtherForm });
        const { mcpUrl: url } = server;
        const signIns = machines(url, server.issuers[index] ?? '');
        await judge(form, (use) => verdict(use({ ...whoami, url, signIns })));
      });
    }
  });

  describe('a key', () => {
    const refusal = end(401, { 'Content-Type': 'text/plain' }, words);
    const refuses = odd(
      '401',
      () => true,
      () => true,
      refusal,
    );
    for (const [name, signInsFor] of [
      ['a missing key is reported with the server’s message', () => ({})],
      [
        'a missing key is reported the same to a user who could sign in',
        (url: string) => ({ signIns: people(url) }),
      ],
    ] as const) {
      it(name, async () => {
        const { url } = await start({ exchanging: refuses });
        await judge(name, async (use) => {
          const error: unknown = await use({ kind: 'http', url, ...signInsFor(url) }).then(
            () => 'it works',
            (reason: unknown) => reason,
          );
          return toldBy(error).includes(words) ? 'ok' : toldBy(error);
        });
      });
    }
  });

  describe('a proxy', () => {
    for (const [name, envFor] of [
      ['a proxy in HTTP_PROXY', (url: URL) => ({ HTTP_PROXY: url.origin })],
      ['a proxy in ALL_PROXY, without a scheme', (url: URL) => ({ ALL_PROXY: url.host })],
    ] as const) {
      it(name, async () => {
        const server = await start({});
        const proxy = new NamingProxy(Number(new URL(server.url).port));
        toStop.unshift(proxy);
        const env = envFor(new URL(await proxy.start()));
        // No name server knows it.
        const url = 'http://mcp.invalid/mcp';
        await judge(name, async (_use, client) => {
          const { stdout } = await run(process.execPath, [bundled(proxied), client, url], { env });
          return stdout;
        });
      });
    }
  });
});

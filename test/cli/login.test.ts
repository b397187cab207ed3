import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { runCli } from '../../src/cli/runCli';
import { browserCommand } from '../../src/core/stdio/browser';
import { windowsProgram } from '../../src/core/stdio/findProgram';
import { signInFolder } from '../../src/cli/cliSignIns';
import { connectAgent } from '../host/agentClients';
import {
  AuthorizationServer,
  knownClient,
  machineClient,
  visitDevice,
  visitSignIn,
} from '../fixtures/authorizationServer';
import { splitLine, projectRoot, runCommand, startProgram, useWorkspaces } from './program';

const workspace = useWorkspaces();
const anything = ['--max-risk', 'destructive'];
const whoami = ['call', 'docs', 'whoami', ...anything];

/** With a server `docs` at this address. */
const folderFor = (url: string, rest: object = {}) =>
  workspace({ '.mcp.json': { mcpServers: { docs: { url, ...rest } } } });

const program = path.join(projectRoot, 'dist/toolgate.js');
const storeIn = (folder: string) => path.join(folder, '.local/share/toolgate/sign-ins');
const recordsIn = (folder: string) => {
  const store = storeIn(folder);
  if (!existsSync(store)) return [];
  return readdirSync(store).filter((name) => name.endsWith('.json'));
};

/** Every access token and refresh token that is kept. */
function tokensIn(folder: string): readonly string[] {
  return recordsIn(folder).flatMap((name) => {
    const record = JSON.parse(readFileSync(path.join(storeIn(folder), name), 'utf8'));
    return [record.accessToken, record.refreshToken].filter((each) => each !== undefined);
  });
}

/** Runs `login`, and hands each line of standard error to `look` with what types a line. */
async function login(
  folder: string,
  parameters: readonly string[],
  look: (line: string, type: (text: string) => void) => void,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  let [stdout, stderr] = ['', ''];
  const stdin = new PassThrough();
  const code = await runCli({
    argv: ['login', ...parameters, '--no-browser'],
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
    folder,
    streams: {
      stdin,
      stdout: { write: (text) => (stdout += text) },
      stderr: {
        write: (text) => {
          stderr += text;
          look(text.replace(/^toolgate: /, '').trim(), (line) => stdin.write(`${line}\n`));
        },
      },
    },
    agentStream: () => new PassThrough(),
    version: '0',
    program: '',
    demoServer: '',
    onCancel: () => undefined,
  });
  return { code, stdout, stderr };
}

/** A user whose browser comes back to this machine. */
const byBrowser = (line: string): void => {
  if (/^https?:\S+$/.test(line)) void visitSignIn(line).then((address) => fetch(address));
};

describe('toolgate login', () => {
  let server: AuthorizationServer;

  before(async () => {
    server = await AuthorizationServer.start({ issuers: 2 });
  });
  after(() => server.stop());
  beforeEach(() =>
    server.change({ accessTokenSeconds: 3600, challengeScopes: ['files:read'], announced: [0] }),
  );

  const signedIn = async (): Promise<string> => {
    const folder = folderFor(server.mcpUrl);
    const { code, stderr } = await login(folder, ['docs'], byBrowser);
    assert.equal(code, 0, stderr);
    return folder;
  };

  it('shows a device code if the server has no page, for any machine', async () => {
    await server.change({ hasPage: false });
    try {
      const folder = folderFor(server.mcpUrl);
      const { code, stdout, stderr } = await login(folder, ['docs'], (line) => {
        const [, shown] = /^Enter the code ([A-Z]{4}-[A-Z]{4}) on the page:$/.exec(line) ?? [];
        if (shown !== undefined) void visitDevice(`${server.issuer}/device`, shown);
      });
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^Signed in at http:/);
      assert.match(stderr, /^toolgate: Open this page:\ntoolgate: http:\S+\/device/m);
      assert.match((await runCommand(folder, whoami)).stdout, /ada: files:read/);
    } finally {
      await server.change({ hasPage: true });
    }
  });

  it('is sufficient for an agent behind the gateway, which never opens a browser', async () => {
    const folder = await signedIn();
    const args = [program, 'gateway', ...anything];
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    const command = { command: process.execPath, args, cwd: folder, env };
    const agent = await connectAgent('SDK 1', command);
    try {
      assert.match((await agent.call('docs__whoami')).text, /ada: files:read/);
    } finally {
      await agent.close();
    }
    const stranger = { ...command, args: [...args, '--no-store'] };
    const without = await connectAgent('SDK 1', stranger);
    try {
      assert.deepEqual(
        (await without.tools()).filter(({ name }) => name.startsWith('docs__')),
        [],
      );
    } finally {
      await without.close();
    }
  });

  it('signs in once for all later commands', async () => {
    const folder = folderFor(server.mcpUrl);
    const { code, stdout, stderr } = await login(folder, ['docs'], byBrowser);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Signed in at http:\/\/\S+.*, scopes: files:read/);
    assert.match(stderr, /Server "docs" \(http:\S+\) requires a sign-in at http:/);
    assert.match(stderr, /Scopes: files:read offline_access/);
    assert.ok(stderr.includes(`The token is for ${server.mcpUrl} and is sent nowhere else.`));
    assert.ok(stderr.includes(`kept in ${storeIn(folder)}, unencrypted, for your user only`));
    const called = await runCommand(folder, whoami);
    assert.match(called.stdout, /ada: files:read/, called.stderr);
    const again = await login(folder, ['docs'], () => undefined);
    assert.match(again.stdout, /^Already signed in at /);
    writeFileSync(
      path.join(folder, 'a.mcpcall'),
      JSON.stringify({
        server: 'docs',
        tool: 'whoami',
        expect: { contains: { '/content/0/text': 'ada' } },
      }),
    );
    assert.equal((await runCommand(folder, ['test', ...anything])).code, 0);
    assert.match((await runCommand(folder, ['list', 'docs'])).stdout, /whoami/);
  });

  it('opens the browser of the environment variable', async () => {
    const folder = folderFor(server.mcpUrl);
    const browser = path.join(folder, 'browser');
    const visit = path.join(projectRoot, 'test/fixtures/signInBrowser.ts');
    const words = [process.execPath, '--import', 'tsx', visit].map((word) => `'${word}'`);
    writeFileSync(browser, `#!/bin/sh\ncd '${projectRoot}' && exec ${words.join(' ')} "$1"\n`);
    chmodSync(browser, 0o700);
    const { code, stdout, stderr } = await startProgram(folder, ['login', 'docs'], {
      BROWSER: browser,
    }).ended;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Signed in at /);
  });

  it('accepts the pasted URL of this sign-in, and no other', async () => {
    const folder = folderFor(server.mcpUrl);
    const { code, stderr } = await login(folder, ['docs'], (line, type) => {
      if (!/^https?:\S+$/.test(line)) return;
      type('http://127.0.0.1:1/callback?code=a&state=b');
      void visitSignIn(line).then(type);
    });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /This URL belongs to a different sign-in\./);
    assert.equal((await runCommand(folder, whoami)).code, 0);
  });

  it('keeps tokens readable for this user only, and shows none', async () => {
    const folder = folderFor(server.mcpUrl);
    const first = await login(folder, ['docs'], byBrowser);
    const store = storeIn(folder);
    assert.equal(statSync(store).mode & 0o777, 0o700);
    for (const name of recordsIn(folder)) {
      assert.equal(statSync(path.join(store, name)).mode & 0o777, 0o600, name);
    }
    const tokens = tokensIn(folder);
    assert.equal(tokens.length, 2);
    const called = await runCommand(folder, [
      ...whoami,
      ...splitLine('--verbose --record run.mcprecord --journal journal'),
    ]);
    assert.equal(called.code, 0, called.stderr);
    const written = [
      'run.mcprecord',
      ...readdirSync(path.join(folder, 'journal')).map((each) => `journal/${each}`),
    ]
      .map((name) => path.join(folder, name))
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file, 'utf8'));
    const shown = [first.stdout, first.stderr, called.stdout, called.stderr, ...written].join('\n');
    for (const token of tokens) assert.equal(shown.includes(token), false);
  });

  it('is not started by any other command', async () => {
    const folder = folderFor(server.mcpUrl);
    const before = (await server.requests()).length;
    for (const words of [whoami, ['list', 'docs'], ['lock', 'docs']]) {
      const { stderr, code } = await runCommand(folder, words, { BROWSER: '/bin/false' });
      assert.match(stderr, /it requires a sign-in; run "toolgate login" for this server/);
      assert.equal(code, 5);
    }
    const since = (await server.requests()).slice(before);
    const asked = since.filter((each) => /^\/(reg|auth|token|device)/.test(each.path));
    assert.deepEqual(asked, []);
    assert.equal(existsSync(storeIn(folder)), false);
  });

  it('renews stored tokens, one process at a time', async () => {
    const folder = await signedIn();
    const [first] = tokensIn(folder);
    const [record = ''] = recordsIn(folder).filter((each) => each.includes('grant'));
    const file = path.join(storeIn(folder), record);
    const grant = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...grant, expiresAt: Date.now() }));
    const before = (await server.requests()).length;
    const runs = await Promise.all([1, 2, 3].map(() => startProgram(folder, whoami).ended));
    for (const { stdout, stderr } of runs) assert.match(stdout, /ada: files:read/, stderr);
    assert.notEqual(tokensIn(folder)[0], first);
    const since = (await server.requests()).slice(before);
    const renewals = since.filter(({ body }) => body.includes('grant_type=refresh_token'));
    assert.equal(renewals.length, 1);
    assert.deepEqual(
      readdirSync(path.join(storeIn(folder), 'locks')).filter((name) => name.endsWith('.lock')),
      [],
    );
  });

  it('sends nothing to a server of the same name at another URL, or in another folder', async () => {
    const folder = await signedIn();
    const seen: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(401).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const file = path.join(folder, '.mcp.json');
    const entry = readFileSync(file, 'utf8');
    const changed = { mcpServers: { docs: { url: `http://127.0.0.1:${port}/mcp` } } };
    writeFileSync(file, JSON.stringify(changed));
    await runCommand(folder, whoami);
    other.close();
    assert.ok(seen.length > 0);
    assert.deepEqual(new Set(seen), new Set([undefined]));
    writeFileSync(file, entry);
    const elsewhere = folderFor(server.mcpUrl);
    const { stderr } = await runCommand(elsewhere, whoami, { HOME: folder });
    assert.match(stderr, /it requires a sign-in/);
    assert.equal((await runCommand(folder, whoami)).code, 0);
  });

  it('is not used with --no-store', async () => {
    const folder = await signedIn();
    const { stderr } = await runCommand(folder, [...whoami, '--no-store']);
    assert.match(stderr, /it requires a sign-in/);
  });

  it('works for servers without a file, too', async () => {
    const folder = workspace({});
    const where = ['--url', server.mcpUrl];
    assert.equal((await login(folder, where, byBrowser)).code, 0);
    const { stdout } = await runCommand(folder, ['call', 'whoami', ...where, ...anything]);
    assert.match(stdout, /ada: files:read/);
    const diagnosed = await runCommand(folder, ['diagnose', ...where]);
    assert.equal(diagnosed.code, 0, diagnosed.stdout);
    assert.match(diagnosed.stdout, /Signed in at http.*scopes: files:read/);
  });

  it('signs in with the client ID that the user names, with its secret in a variable', async () => {
    const strict = await AuthorizationServer.start({ registration: false });
    await strict.change({ challengeScopes: ['files:read'] });
    try {
      const folder = folderFor(strict.mcpUrl);
      const refused = await login(folder, ['docs'], byBrowser);
      assert.match(refused.stderr, /registers no clients; name a client by --client-id/);
      const secret = '--client-secret=${env:APP_SECRET}';
      const client = [`--client-id=${knownClient.clientId}`, secret];
      const env = { APP_SECRET: knownClient.clientSecret };
      const { code, stdout, stderr } = await login(folder, ['docs', ...client], byBrowser, env);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^Signed in at /);
      assert.equal(`${stdout}${stderr}`.includes(knownClient.clientSecret), false);
      const [record = ''] = recordsIn(folder).filter((each) => each.includes('grant'));
      const file = path.join(storeIn(folder), record);
      const grant = JSON.parse(readFileSync(file, 'utf8'));
      writeFileSync(file, JSON.stringify({ ...grant, expiresAt: Date.now() }));
      const renewed = await runCommand(folder, whoami);
      assert.match(renewed.stdout, /ada: files:read/, renewed.stderr);
      const literal = await login(
        folder,
        ['docs', client[0] ?? '', '--client-secret=x'],
        byBrowser,
      );
      assert.equal(literal.code, 2);
      assert.match(
        literal.stderr,
        /--client-secret must be a variable, such as \$\{input:secret\}/,
      );
      const unnamed = await login(folder, ['docs', secret], byBrowser, env);
      assert.match(unnamed.stderr, /--client-secret requires --client-id/);
      const port = await login(folder, ['docs', '--redirect-port=0'], byBrowser);
      assert.match(port.stderr, /--redirect-port must be an integer from 1 to 65535/);
    } finally {
      await strict.stop();
    }
  });

  it('neither reads nor writes a place that is not private', async () => {
    const folder = await signedIn();
    const store = storeIn(folder);
    const refused = async (words: RegExp) => {
      const { stderr } = await runCommand(folder, whoami);
      assert.match(stderr, words);
      assert.match(stderr, /it requires a sign-in/);
    };
    chmodSync(store, 0o755);
    await refused(/other users can open \S+sign-ins; run chmod 700/);
    chmodSync(store, 0o700);
    const [record = ''] = recordsIn(folder).filter((name) => name.includes('grant'));
    chmodSync(path.join(store, record), 0o644);
    await refused(/other users can open \S+; run chmod 600/);
    renameSync(path.join(store, record), path.join(folder, 'grant'));
    symlinkSync(path.join(folder, 'grant'), path.join(store, record));
    await refused(/must be a file, not a link/);
    renameSync(store, path.join(folder, 'real'));
    symlinkSync(path.join(folder, 'real'), store);
    await refused(/sign-ins must be a folder, not a link/);
    const before = readdirSync(path.join(folder, 'real'));
    const { code, stderr } = await login(folder, ['docs'], byBrowser);
    assert.equal(code, 1);
    assert.match(stderr, /Sign-ins are neither read nor kept/);
    assert.deepEqual(readdirSync(path.join(folder, 'real')), before);
  });

  it('asks nothing for a server whose entry signs in without a user, and stores nothing', async () => {
    const { clientId, clientSecret } = machineClient;
    const oauth = { clientId, clientSecret, scopes: ['files:read'] };
    const toolgate = { grant: 'client_credentials' };
    const folder = folderFor(server.mcpUrl, { oauth, toolgate });
    const { stdout, stderr } = await runCommand(folder, whoami);
    assert.match(stdout, /machine|files:read/, stderr);
    assert.equal(existsSync(storeIn(folder)), false);
    const refused = await login(folder, ['docs'], () => undefined);
    assert.match(refused.stderr, /"docs" signs in by itself/);
    assert.equal(refused.code, 2);
  });

  it('reports wrong usage for a program, an unknown server and one with a header', async () => {
    const folder = workspace({
      '.mcp.json': {
        mcpServers: {
          local: { command: 'node' },
          fixed: { url: server.mcpUrl, headers: { authorization: 'Bearer x' } },
        },
      },
    });
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['local'], /"local" is a program\. Only servers with a URL have a sign-in/],
      [['fixed'], /"fixed" has an Authorization header, which replaces a sign-in/],
      [['fixd'], /There is no server "fixd"\. Did you mean "fixed"\?/],
      [[], /login takes one server/],
    ];
    for (const [words, expected] of cases) {
      const { stderr, code } = await login(folder, words, () => undefined);
      assert.match(stderr, expected);
      assert.equal(code, 2);
    }
  });

  it('asks for the authorization server if there are several', async () => {
    await server.change({ announced: [0, 1] });
    const folder = folderFor(server.mcpUrl);
    const unclear = await login(folder, ['docs'], byBrowser);
    assert.match(unclear.stderr, /name one of its authorization servers by --issuer: http/);
    assert.equal(unclear.code, 5);
    const issuer = server.issuers[1] ?? '';
    const { stdout } = await login(folder, ['docs', '--issuer', issuer], byBrowser);
    assert.ok(stdout.startsWith(`Signed in at ${issuer}`));
  });

  it('is reverted by logout, which revokes and deletes the stored tokens', async () => {
    const folder = folderFor(server.mcpUrl);
    const { code: done, stderr: said } = await login(folder, ['docs'], byBrowser);
    assert.equal(done, 0, said);
    const tokens = tokensIn(folder);
    const { stdout, stderr, code } = await runCommand(folder, ['logout', 'docs']);
    assert.deepEqual([stdout, stderr, code], ['Signed out of docs\n', '', 0]);
    const revoked = (await server.requests()).filter((each) => each.path.includes('revocation'));
    assert.equal(revoked.length, 2);
    assert.deepEqual(tokensIn(folder), []);
    const files = recordsIn(folder).map((name) =>
      readFileSync(path.join(storeIn(folder), name), 'utf8'),
    );
    for (const token of tokens) assert.equal(files.join('\n').includes(token), false);
    assert.match((await runCommand(folder, whoami)).stderr, /it requires a sign-in/);
    assert.match((await runCommand(folder, ['logout', 'docs'])).stderr, /There is no sign-in/);
  });

  it('keeps the key of bound tokens beside them, until logout', async () => {
    await server.change({ demandsProof: true, demandsNonce: true });
    try {
      const folder = await signedIn();
      const keys = () =>
        recordsIn(folder).flatMap((name) => {
          const { proofKey } = JSON.parse(readFileSync(path.join(storeIn(folder), name), 'utf8'));
          return proofKey === undefined ? [] : [String(proofKey)];
        });
      const [key = assert.fail(), ...others] = keys();
      assert.deepEqual(others, []);
      const { stdout, stderr } = await runCommand(folder, [...whoami, '--verbose']);
      assert.match(stdout, /ada: files:read/);
      assert.equal(stderr.includes(key), false);
      assert.deepEqual(keys(), [key]);
      assert.equal((await runCommand(folder, ['logout', 'docs'])).code, 0);
      assert.deepEqual(keys(), []);
    } finally {
      await server.change({ demandsProof: false, demandsNonce: false });
    }
  });

  it('is reverted for all servers by logout --all', async () => {
    const folder = folderFor(server.mcpUrl);
    await login(folder, ['docs'], byBrowser);
    await login(folder, ['--url', server.mcpUrl], byBrowser);
    assert.equal(tokensIn(folder).length, 2 * 2);
    const { stdout } = await runCommand(folder, ['logout', '--all']);
    assert.deepEqual([stdout.split('\n').length - 1, tokensIn(folder)], [2, []]);
    assert.match((await runCommand(folder, ['logout', '--all'])).stderr, /There is no sign-in\./);
  });
});

describe('The browser and the folder of sign-ins', () => {
  it('are the defaults of the system', () => {
    const page = 'https://a.example/?b=c&d=%20';
    assert.deepEqual(browserCommand(page, {}, 'darwin'), ['open', page]);
    assert.deepEqual(browserCommand(page, {}, 'win32'), [
      windowsProgram('rundll32.exe'),
      'url.dll,FileProtocolHandler',
      page,
    ]);
    assert.deepEqual(browserCommand(page, { DISPLAY: ':0' }, 'linux'), ['xdg-open', page]);
    assert.equal(browserCommand(page, { DISPLAY: '' }, 'linux'), undefined);
    assert.deepEqual(browserCommand(page, { BROWSER: '/bin/b' }, 'linux'), ['/bin/b', page]);
    const end = path.join('toolgate', 'sign-ins');
    assert.equal(signInFolder({ HOME: '/h' }, 'linux'), path.join('/h/.local/share', end));
    assert.equal(signInFolder({ HOME: '/h', XDG_DATA_HOME: '/d' }, 'linux'), path.join('/d', end));
    assert.equal(
      signInFolder({ HOME: '/h', XDG_DATA_HOME: 'd' }, 'darwin'),
      path.join('/h/Library/Application Support', end),
    );
    assert.equal(signInFolder({ LOCALAPPDATA: '/l' }, 'win32'), path.join('/l', end));
  });
});

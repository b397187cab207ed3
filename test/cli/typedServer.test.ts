import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { HttpServer, resultFor, sendJson, stateful } from '../servers/httpServer';
import { runCommand, runProgram, servers, useWorkspaces } from './program';

const [echoFile] = servers.echo.args;
const anything = ['--max-risk', 'destructive'];

describe('A server without a configuration file', () => {
  const workspace = useWorkspaces();

  it('is started by its command line, for every command', async () => {
    const folder = workspace({
      'a.mcpcall': { server: 'mine', tool: 'echo', arguments: { message: 'x' } },
    });
    const typed = ['--command', `"${process.execPath}" '${echoFile}'`];
    const list = await runProgram(folder, ['list', ...typed]);
    assert.equal(list.stdout, '- server (MCP 2025-11-25)\n  - echo  destructive, assumed\n');
    const call = await runCommand(folder, ['call', 'echo', 'message=a b', ...typed, ...anything]);
    assert.match(call.stdout, /Echo: a b/);
    const diagnose = await runCommand(folder, ['diagnose', ...typed]);
    assert.equal(diagnose.code, 0, diagnose.stdout);
    const test = await runCommand(folder, ['test', ...typed, '--name', 'mine', ...anything]);
    assert.match(test.stdout, /^1 passed/m);
    const other = await runCommand(folder, ['test', ...typed, ...anything]);
    assert.match(other.stdout, /There is no server "mine"\./);
  });

  it('runs in the given folder', async () => {
    const folder = workspace({
      'deep/s.mjs': "process.stderr.write('in deep\\n'); process.exit(3)",
    });
    const command = `"${process.execPath}" s.mjs`;
    const said = await runCommand(folder, ['list', '--command', command, '--cwd', 'deep']);
    assert.match(said.stderr, /It said on stderr: in deep/);
    const { code } = await runCommand(folder, ['list', '--cwd', 'deep']);
    assert.equal(code, 2);
  });

  it('gets variables before its program, and inputs, which are never shown', async () => {
    const folder = workspace({});
    const script = `process.stderr.write(process.env.A + process.argv[1] + '\\n'); process.exit(3)`;
    writeFileSync(path.join(folder, 's.mjs'), script);
    const command = `A=\${input:key} "${process.execPath}" s.mjs`;
    const said = await runCommand(folder, ['list', '--command', command], {
      TOOLGATE_INPUT_key: 'very-secret-key',
    });
    assert.equal(said.code, 5);
    assert.match(said.stderr, /It said on stderr: \(secret\)/);
    assert.doesNotMatch(said.stderr, /very-secret/);
    const unset = await runCommand(folder, ['list', '--command', command]);
    assert.match(unset.stderr, /TOOLGATE_INPUT_key/);
  });

  it('is reached by its URL, with headers', async () => {
    const tools = { tools: [{ name: 'text', inputSchema: { type: 'object' } }] };
    const server = await HttpServer.start(
      stateful({
        take: (request, response) => {
          if (request.message.method !== 'tools/list') return false;
          sendJson(response, resultFor(request, tools));
          return true;
        },
      }),
    );
    const folder = workspace({});
    try {
      const at = ['--url', `${server.url}/mcp`, '--header', 'X-Key: ${input:key}'];
      const env = { TOOLGATE_INPUT_key: 'very-secret-key' };
      const call = ['call', 'text', ...at, ...anything];
      const { code, stdout, stderr } = await runCommand(folder, call, env);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /fine/);
      const sent = server.received.map(({ headers }) => headers['x-key']);
      assert.ok(sent.length > 2);
      assert.deepEqual([...new Set(sent)], ['very-secret-key']);
    } finally {
      await server.stop();
    }
  });

  it('has its invalid options reported before anything starts', async () => {
    const folder = workspace({ 'servers.json': { mcpServers: {} } });
    const said = async (...parameters: readonly string[]) => {
      const { code, stdout, stderr } = await runCommand(folder, ['list', ...parameters]);
      assert.deepEqual([code, stdout], [2, ''], stderr);
      return stderr;
    };
    assert.match(await said('--command', ''), /complete quotes/);
    assert.match(await said('--command', 'node "a'), /complete quotes/);
    assert.match(await said('--command', 'A=1'), /complete quotes/);
    assert.match(
      await said('--command', 'node', '--url', 'http://a'),
      /Use either --command or --url/,
    );
    assert.match(await said('--header', 'a: b'), /--header requires --url/);
    assert.match(
      await said('--url', 'http://localhost', '--header', 'a b: c'),
      /such as "X-Key: abc"/,
    );
    assert.match(
      await said('--url', 'http://localhost', '--header', 'a: 1', '--header', 'a: 2'),
      /a is a duplicate/,
    );
    assert.match(await said('--name', 'x'), /--name requires --command or --url/);
    assert.match(
      await said('--command', 'node', '--server-config', 'servers.json'),
      /cannot be combined with --command or --url/,
    );
    const url = await said('--url', 'no address with a-password');
    assert.doesNotMatch(url, /a-password/);
    assert.match(await said('--url', 'ftp://localhost'), /^toolgate: \w/);
  });
});

describe('toolgate list', () => {
  const workspace = useWorkspaces();
  const script = `
    import { createInterface } from 'node:readline';
    const results = {
      initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
      'tools/list': { tools: [
        { name: 'good', title: 'Good', description: 'Does good.', annotations: { readOnlyHint: true },
          inputSchema: { type: 'object', properties: { n: { type: 'integer', maximum: 1.50 } } }, outputSchema: { type: 'object' } },
        { name: 'bare' },
        { name: 'text', inputSchema: { type: 'string' } },
        { name: 'good', inputSchema: { type: 'object' } },
      ] },
    };
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      const result = results[method];
      const outcome = result === undefined ? { error: { code: -32601, message: '' } } : { result };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
    });
  `;
  const folderOf = (more: object = {}) =>
    workspace({
      '.mcp.json': { mcpServers: { s: { command: process.execPath, args: ['s.mjs'] }, ...more } },
      's.mjs': script,
    });
  const noSchema = 'The tool cannot be called because it has no inputSchema.';

  it('says why a tool cannot be used', async () => {
    const { stdout, code } = await runCommand(folderOf(), ['list', 's']);
    assert.equal(code, 0);
    assert.ok(stdout.includes(`  - bare  unusable\n      ${noSchema}\n`), stdout);
    assert.match(
      stdout,
      /- text {2}unusable\n {6}The tool cannot be called because its inputSchema does not describe an object/,
    );
    assert.match(stdout, /- good {2}unusable\n {6}The server lists this name more than once/);
    assert.doesNotMatch(stdout, /"type"/);
    const schemas = await runCommand(folderOf(), ['list', 's', '--schema']);
    assert.match(
      schemas.stdout,
      /- good {2}readOnly, declared\n {6}input \{"type":"object","properties".*\n {6}output \{"type":"object"\}/,
    );
  });

  it('writes one JSON object for programs, with schemas on request, and servers that did not start', async () => {
    const folder = folderOf({ missing: servers.missing });
    const { stdout, code } = await runCommand(folder, ['list', '--json', '--schema']);
    assert.equal(code, 5);
    const { servers: all } = JSON.parse(stdout);
    const [own, missing] = all;
    assert.deepEqual([own.server, own.revision, own.tools.length], ['s', '2025-06-18', 4]);
    assert.deepEqual(own.tools[0], {
      name: 'good',
      title: 'Good',
      description: 'Does good.',
      portability: [],
      risk: { level: 'readOnly', openWorld: true, idempotent: true, basis: 'declared' },
      isUsable: true,
      problems: [],
      inputSchema: { type: 'object', properties: { n: { type: 'integer', maximum: 1.5 } } },
      outputSchema: { type: 'object' },
    });
    assert.deepEqual([own.tools[1].isUsable, own.tools[1].problems], [false, [noSchema]]);
    assert.equal(missing.server, 'missing');
    assert.match(missing.error, /its program was not found/);
    const short = JSON.parse((await runCommand(folder, ['list', 's', '--json'])).stdout);
    assert.equal(short.servers[0].tools[0].inputSchema, undefined);
  });

  it('shows no secret from the server’s tools', async () => {
    const folder = folderOf();
    const secret = script
      .replace('Does good.', 'Knows very-secret-key.')
      .replace("integer'", "integer', description: 'very-secret-key'");
    writeFileSync(path.join(folder, 's.mjs'), secret);
    writeFileSync(
      path.join(folder, '.mcp.json'),
      JSON.stringify({
        mcpServers: { s: { command: process.execPath, args: ['s.mjs'], env: { K: '${env:KEY}' } } },
      }),
    );
    const parameters = [
      'list',
      's',
      '--command',
      `K=\${input:key} "${process.execPath}" s.mjs`,
      '--name',
      's',
    ];
    for (const form of [['--json', '--schema'], ['--schema']]) {
      const env = { TOOLGATE_INPUT_key: 'very-secret-key' };
      const { stdout } = await runCommand(folder, [...parameters, ...form], env);
      assert.match(stdout, /\(secret\)/);
      assert.doesNotMatch(stdout, /very-secret/);
    }
  });
});

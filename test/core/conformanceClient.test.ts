import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { projectFolder } from '../vscode/paths';
import { HttpServer, resultFor, sendJson, stateful } from '../servers/httpServer';

/** `npm run --silent conformance-client -- <url>`, as whoever runs the suite starts it. */
async function runClient(url: string, scenario: string) {
  const client = spawn('npm', ['run', '--silent', 'conformance-client', '--', url], {
    cwd: projectFolder,
    env: { ...process.env, MCP_CONFORMANCE_SCENARIO: scenario },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(client.stdout),
    text(client.stderr),
    once(client, 'close'),
  ]);
  return { stdout, stderr, code: Number(code) };
}

describe('The client of the conformance suite', () => {
  let server: HttpServer;
  before(async () => {
    server = await HttpServer.start((request, response) => {
      if (request.message.method !== 'tools/list') stateful()(request, response);
      else sendJson(response, resultFor(request, { tools: [] }));
    });
  });
  after(() => server.stop());

  it('does what its scenario requires, with this Node, and says when it is done', async () => {
    const { stdout, code } = await runClient(server.url, 'tools_call');
    assert.deepEqual([stdout, code], ['done\n', 0]);
    const call = server.received.find(({ message }) => message.method === 'tools/call');
    assert.deepEqual(call?.message.params, { name: 'add_numbers', arguments: { a: 5, b: 3 } });
  });

  it('fails if its server is not running', async () => {
    const { stdout, stderr, code } = await runClient('http://127.0.0.1:1/mcp', 'tools_call');
    assert.deepEqual([stdout, code], ['', 1]);
    assert.match(stderr, /^tools_call: unreachable /m);
  });
});

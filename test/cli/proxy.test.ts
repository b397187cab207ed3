import assert from 'node:assert/strict';
import { HttpServer, stateful } from '../servers/httpServer';
import { NamingProxy } from '../servers/namingProxy';
import { runCommand, useWorkspaces } from './program';

const workspace = useWorkspaces();

const handler = () => stateful();

describe('A server behind a proxy, on the command line', () => {
  for (const scheme of ['http', 'https'] as const) {
    it(`is reached as the environment says: ${scheme}`, async () => {
      const server =
        scheme === 'http'
          ? await HttpServer.start(handler())
          : await HttpServer.startSecure(handler());
      const proxy = new NamingProxy(Number(new URL(server.url).port));
      const url = await proxy.start();
      // No name server knows it.
      const folder = workspace({
        '.mcp.json': { mcpServers: { far: { type: 'http', url: `${scheme}://mcp.invalid/mcp` } } },
      });
      const variable = `${scheme.toUpperCase()}_PROXY`;
      try {
        const { host } = new URL(url);
        for (const env of [
          { [variable]: url },
          { [variable.toLowerCase()]: url },
          { ALL_PROXY: url },
          { [variable]: host, ALL_PROXY: 'http://127.0.0.1:1' },
          { all_proxy: host, no_proxy: 'other' },
        ]) {
          proxy.asked.splice(0);
          const { stderr } = await runCommand(folder, ['list', 'far'], env);
          assert.ok(proxy.asked.length > 0, stderr);
          const wanted =
            scheme === 'http'
              ? /^(?:POST|GET|DELETE) http:\/\/mcp\.invalid\//
              : /^CONNECT mcp\.invalid:443$/;
          assert.ok(
            proxy.asked.every((line) => wanted.test(line)),
            proxy.asked.join(),
          );
          if (scheme === 'http') assert.ok(server.log.includes('POST initialize'), stderr);
        }
        for (const name of [
          'mcp.invalid',
          '.invalid',
          '*',
          'other, mcp.invalid',
          'other  mcp.invalid',
        ]) {
          proxy.asked.splice(0);
          const env = { [variable]: url, no_proxy: name };
          const { code, stderr } = await runCommand(folder, ['list', 'far'], env);
          assert.equal(code, 5);
          assert.match(stderr, /cannot be reached/);
          assert.deepEqual(proxy.asked, [], name);
        }
      } finally {
        proxy.stop();
        await server.stop();
      }
    });
  }

  it('is reached directly if the environment names no usable proxy', async () => {
    const server = await HttpServer.start(handler());
    const folder = workspace({
      '.mcp.json': { mcpServers: { near: { type: 'http', url: server.url } } },
    });
    try {
      for (const proxy of ['', 'nonsense', 'http://127.0.0.1:1']) {
        await runCommand(folder, ['list', 'near'], { HTTP_PROXY: proxy });
      }
      assert.equal(server.log.filter((line) => line === 'POST initialize').length, 3);
    } finally {
      await server.stop();
    }
  });
});

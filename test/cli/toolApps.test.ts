import assert from 'node:assert/strict';
import { scripted } from '../servers/scripted';
import { runCommand, useWorkspaces } from './program';

const workspace = useWorkspaces();

/** Lists its tools with apps only for clients that declare to support apps. */
const boards = scripted((server) => {
  const tool = (name: string, ui?: object) => ({
    name,
    inputSchema: { type: 'object' },
    ...(ui === undefined ? {} : { _meta: { ui } }),
  });
  const declared = (params: unknown): unknown => {
    const name = 'io.modelcontextprotocol/ui';
    return JSON.parse(JSON.stringify(params)).capabilities?.extensions?.[name]?.mimeTypes;
  };
  server.capabilities = { tools: {}, resources: {} };
  server.tools = [tool('plain')];
  server.on('initialize', (message) => {
    const { params } = message;
    if (JSON.stringify(declared(params)) === '["text/html;profile=mcp-app"]') {
      server.tools.push(
        tool('board', { resourceUri: 'ui://board' }),
        tool('move', { resourceUri: 'ui://board', visibility: ['app'] }),
      );
    }
    const { protocolVersion } = params ?? {};
    const serverInfo = { name: 'boards', version: '1' };
    server.reply(message, {
      protocolVersion,
      capabilities: server.capabilities,
      serverInfo,
    });
  });
  server.on('resources/list', (message) => server.reply(message, { resources: [] }));
  server.on('resources/templates/list', (message) =>
    server.reply(message, { resourceTemplates: [] }),
  );
  server.on('resources/read', (message) => {
    const uri = message.params?.['uri'];
    const ui = {
      csp: { connectDomains: ['https://api.example.com'] },
      domain: 'key-123456',
    };
    const mimeType = 'text/html;profile=mcp-app';
    const read = server.received.filter(({ method }) => method === 'resources/read').length;
    if (read > 1) server.fail(message, -32_002, 'read twice');
    else
      server.reply(message, {
        contents: [{ uri, mimeType, text: '<p>', _meta: { ui } }],
      });
  });
});

describe('toolgate list --apps', () => {
  const list = async (entry: object, ...options: readonly string[]) => {
    const folder = workspace({
      '.mcp.json': { mcpServers: { boards: entry } },
    });
    return runCommand(folder, ['list', 'boards', ...options], {
      SECRET: 'key-123456',
    });
  };
  const withSecret = {
    ...boards,
    env: { ...boards.env, KEY: '${env:SECRET}' },
  };

  it('declares support, and shows what the app of each tool requests', async () => {
    const shown = await list(withSecret, '--apps');
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(
      shown.stdout,
      /- board {2}destructive, assumed\n {6}app ui:\/\/board {2}text\/html;profile=mcp-app\n/,
    );
    assert.match(
      shown.stdout,
      /requests \{"csp":\{"connectDomains":\["https:\/\/api\.example\.com"\]\}/,
    );
    assert.match(shown.stdout, /"domain":"\(secret\)"/);
    assert.match(shown.stdout, /- move [^]*only for its app, not for agents/);
    const json = await list(boards, '--apps', '--json');
    const [plain, board, move] = JSON.parse(json.stdout).servers[0].tools;
    assert.equal(plain.app, undefined);
    assert.deepEqual(board.app, {
      resourceUri: 'ui://board',
      mimeType: 'text/html;profile=mcp-app',
      size: 3,
      requests: {
        csp: { connectDomains: ['https://api.example.com'] },
        domain: 'key-123456',
      },
    });
    assert.deepEqual(move.app, { ...board.app, isForAppOnly: true });
  });

  it('shows what only the entry of the page in the list of resources requests', async () => {
    const entry = scripted((server) => {
      server.capabilities = { tools: {}, resources: {} };
      const ofAnswers: Record<string, object> = {
        'ui://listed': {},
        'ui://both': { ui: { csp: { connectDomains: ['https://api.example'] } } },
        'ui://nothing': { ui: {} },
      };
      const uris = Object.keys(ofAnswers);
      const [mimeType, inputSchema] = ['text/html;profile=mcp-app', { type: 'object' }];
      server.tools = uris.map((resourceUri, index) => {
        return { name: 'tool' + String(index), inputSchema, _meta: { ui: { resourceUri } } };
      });
      const listed = { ui: { permissions: { camera: {} } } };
      server.on('resources/list', (message) => {
        const resources = uris.map((uri) => ({ uri, name: uri, _meta: listed }));
        server.reply(message, { resources });
      });
      server.on('resources/read', (message) => {
        const uri = String(message.params?.['uri']);
        const contents = [{ uri, mimeType, text: '<p>', _meta: ofAnswers[uri] }];
        server.reply(message, { contents });
      });
    });
    const { stdout, stderr } = await list(entry, '--apps', '--json');
    const { tools } = JSON.parse(stdout).servers[0];
    assert.deepEqual(
      tools.map(({ app }: { app: { requests?: object } }) => app.requests),
      [{ permissions: { camera: {} } }, { csp: { connectDomains: ['https://api.example'] } }, {}],
      stderr,
    );
  });

  it('declares support with each request to a stateless server', async () => {
    const entry = scripted((server) => {
      server.speakStateless();
      server.on('tools/list', (message) => {
        const description = JSON.stringify(message.params?.['_meta']);
        const tools = [{ name: 'told', description, inputSchema: { type: 'object' } }];
        server.reply(message, {
          resultType: 'complete',
          ttlMs: 0,
          cacheScope: 'private',
          tools,
        });
      });
    });
    const { code, stdout, stderr } = await list(entry, '--apps', '--json');
    assert.equal(code, 0, stderr);
    const { description } = JSON.parse(stdout).servers[0].tools[0];
    assert.match(description, /"extensions":\{"io\.modelcontextprotocol\/ui":\{"mimeTypes"/);
  });

  it('declares nothing without the option', async () => {
    const { code, stdout } = await list(boards);
    assert.deepEqual([code, /plain/.test(stdout), /board {2}/.test(stdout)], [0, true, false]);
  });

  it('says which page cannot be read', async () => {
    const entry = scripted((server) => {
      const meta = { ui: { resourceUri: 'ui://gone' } };
      server.tools = [{ name: 'board', inputSchema: { type: 'object' }, _meta: meta }];
      server.on('resources/read', (message) => server.fail(message, -32_002, 'no such page'));
    });
    const { code, stdout } = await list(entry, '--apps');
    assert.equal(code, 5);
    assert.match(
      stdout,
      /app ui:\/\/gone\n {6}! The page of the app cannot be read: .*no such page/,
    );
  });

  it('is an option of list only', async () => {
    const { code, stderr } = await runCommand(workspace({}), ['call', 'boards', 'board', '--apps']);
    assert.equal(code, 2);
    assert.match(stderr, /call has no option --apps\./);
  });
});

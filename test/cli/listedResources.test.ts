import assert from 'node:assert/strict';
import { scripted, type ScriptedServer } from '../servers/scripted';
import { splitLine, runCommand, useWorkspaces } from './program';
import { resourcesJson } from '../../src/cli/listedResources';

const workspace = useWorkspaces();

function library(server: ScriptedServer): void {
  server.capabilities = { tools: {}, resources: {}, prompts: {} };
  server.tools = [{ name: 'find', inputSchema: { type: 'object' } }];
  const book = (_: unknown, index: number) => ({
    uri: ['book://', index].join(''),
    name: ['Book\u202E TOKEN-1', index].join(' '),
    mimeType: 'text/plain',
    size: index,
  });
  const resources = Array.from({ length: 1_200 }, book);
  server.on('resources/list', (message) => server.reply(message, { resources }));
  const resourceTemplates = [{ uriTemplate: 'book://{id}', name: 'book', title: 'A book' }];
  server.on('resources/templates/list', (message) => server.reply(message, { resourceTemplates }));
  const prompts = [
    { name: 'review', arguments: [{ name: 'book', required: true }, { name: 'TOKEN-1' }] },
    { name: 'open', title: 'Open a TOKEN-1', description: 'Opens' },
  ];
  server.on('prompts/list', (message) => server.reply(message, { prompts }));
}

function broken(server: ScriptedServer): void {
  server.capabilities = { tools: {}, resources: {} };
  server.on('resources/list', (message) => server.fail(message, -32000, 'the shelf fell over'));
}

describe('toolgate list', () => {
  const folderOf = (script: (server: ScriptedServer) => void) =>
    workspace({
      '.mcp.json': {
        mcpServers: { library: { ...scripted(script), env: { X_TOKEN: 'TOKEN-1' } } },
      },
    });

  it('matches a pattern in names, titles and descriptions', async () => {
    const folder = folderOf(library);
    const { stdout } = await runCommand(folder, [
      ...splitLine('list library --grep'),
      '^(find|open|book://7)$',
    ]);
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('- '));
    assert.deepEqual(lines, [
      '  - find  destructive, assumed',
      '  resources:',
      '  - book://7  Book\\u{202E} (secret) 7',
      '  prompts:',
      '  - open  Open a (secret)',
    ]);
    const none = await runCommand(folder, ['list', 'library', '--grep', '(']);
    assert.equal(none.code, 2);
  });

  it('lists resources, templates and prompts up to a readable number', async () => {
    const folder = folderOf(library);
    const { stdout, code } = await runCommand(folder, ['list', 'library']);
    const lines = stdout.split('\n');
    assert.deepEqual(lines.slice(2, 5), [
      '  resources:',
      '  - book://0  Book\\u{202E} (secret) 0',
      '  - book://1  Book\\u{202E} (secret) 1',
    ]);
    assert.deepEqual(lines.slice(102), [
      '  - book://99  Book\\u{202E} (secret) 99',
      '  … 1100 more',
      '  templates:',
      '  - book://{id}  A book',
      '  prompts:',
      '  - review(book, (secret)?)  review',
      '  - open  Open a (secret)',
      '',
    ]);
    assert.equal(code, 0);
    const json = await runCommand(folder, ['list', 'library', '--json']);
    const [server] = JSON.parse(json.stdout).servers;
    assert.equal(server.resources.length, 1_000);
    assert.equal(server.resourcesLeftOut, 200);
    assert.deepEqual(server.resources[1], {
      uri: 'book://1',
      name: 'Book\u202E (secret) 1',
      mimeType: 'text/plain',
      size: 1,
    });
    assert.deepEqual(server.resourceTemplates, [
      { uriTemplate: 'book://{id}', name: 'book', title: 'A book' },
    ]);
    assert.deepEqual(server.prompts, [
      {
        name: 'review',
        arguments: [
          { name: 'book', required: true },
          { name: '(secret)', required: false },
        ],
      },
      { name: 'open', title: 'Open a (secret)', description: 'Opens', arguments: [] },
    ]);
    assert.doesNotMatch(stdout + json.stdout, /TOKEN/);
  });

  it('says in its JSON how many entries of each kind are left out', () => {
    const many = Array.from({ length: 1_003 }, (_, at) => ({ name: `p${at}`, arguments: [] }));
    const lists = {
      resources: [],
      templates: many.map(({ name }) => ({ name, uriTemplate: `x:${name}{y}` })),
      problems: [],
      prompts: many,
      problemsOfPrompts: [],
    };
    const json = JSON.parse(JSON.stringify(resourcesJson(lists, (text) => text)));
    assert.equal(json.resourceTemplatesLeftOut, 3);
    assert.equal(json.promptsLeftOut, 3);
    assert.equal(json.resourcesLeftOut, undefined);
  });

  it('says that resources cannot be listed, and fails', async () => {
    const { stderr, stdout, code } = await runCommand(folderOf(broken), ['list', 'library']);
    assert.match(
      stderr,
      /Server "library" did not send all of its resources: .*the shelf fell over/,
    );
    assert.match(stdout, /^- library /);
    assert.equal(code, 5);
  });

  it('says that prompts cannot be listed, and fails', async () => {
    const without = (server: ScriptedServer) => {
      server.capabilities = { tools: {}, prompts: {} };
      server.on('prompts/list', (message) => server.fail(message, -32000, 'no ink'));
    };
    const { stderr, code } = await runCommand(folderOf(without), ['list', 'library']);
    assert.match(stderr, /Server "library" did not send all of its prompts: .*no ink/);
    assert.equal(code, 5);
  });

  it('requests no resources from a server without them', async () => {
    const none = (server: ScriptedServer) => {
      server.capabilities = { tools: {} };
      for (const method of ['resources/list', 'prompts/list'])
        server.on(method, () => process.exit(1));
    };
    const { stdout, code } = await runCommand(folderOf(none), ['list', 'library', '--json']);
    const [server] = JSON.parse(stdout).servers;
    assert.deepEqual([server.resources, server.resourceTemplates, code], [[], [], 0]);
  });
});

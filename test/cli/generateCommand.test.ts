import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { scripted } from '../servers/scripted';
import { projectRoot, runProgram, useWorkspaces } from './program';

const workspace = useWorkspaces();

const tickets = scripted((server) => {
  server.tools = [
    {
      name: 'search',
      description: 'Find tickets `$(exit 9)`',
      inputSchema: {
        type: 'object',
        properties: {
          text: { type: 'string', description: 'What to find' },
          limit: { type: 'integer' },
          open: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'string' } },
          place: { type: 'object' },
        },
        required: ['text'],
      },
    },
    {
      name: '9 lives',
      inputSchema: {
        type: 'object',
        properties: { list: { type: 'array' }, inner: { anyOf: [{ type: ['array', 'null'] }] } },
        anyOf: [{ required: ['list'] }],
      },
      outputSchema: { description: 'none' },
    },
  ];
  server.on('tools/call', (message) =>
    server.text(message, JSON.stringify(message.params?.['arguments'])),
  );
});

describe('A script of toolgate generate', () => {
  let folder = '';
  const run = (...parameters: readonly string[]) => {
    const { PATH = '' } = process.env;
    const script = path.join(folder, 'tickets.mjs');
    return spawnSync(process.execPath, [script, ...parameters], {
      env: { PATH, HOME: folder },
      encoding: 'utf8',
    });
  };

  before(async () => {
    folder = workspace({ '.mcp.json': { mcpServers: { tickets } } });
    const { code, stdout, stderr } = await runProgram(folder, ['generate', 'tickets']);
    assert.equal(code, 0, stderr);
    assert.ok(stdout.includes(path.join(projectRoot, 'dist/toolgate.js')));
    writeFileSync(path.join(folder, 'tickets.mjs'), stdout);
  });

  it('has each tool with its options, and calls it within the rules', () => {
    const given = ['--text', 'a door', '--limit', '5', '--open', '--tags', 'a', '--tags', 'b'];
    const call = [
      'search',
      ...given,
      '--place',
      '{"a":1}',
      '--',
      '--text',
      '--max-risk',
      'destructive',
    ];
    const { status, stdout, stderr } = run(...call);
    assert.equal(status, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), {
      text: 'a door',
      limit: 5,
      open: true,
      tags: ['a', 'b'],
      place: { a: 1 },
    });
    const denied = run('search', '--text', 'door');
    assert.deepEqual([denied.status, /rule/.test(denied.stderr)], [3, true], denied.stderr);
  });

  it('lists its tools, and reports invalid arguments', () => {
    assert.match(run('--help').stdout, /^ {2}search {2}Find tickets `\$\(exit 9\)`/m);
    assert.match(run('search', '--help').stdout, /--text <value> \(required\) {2}What to find/);
    for (const [parameters, said] of [
      [['serch'], /There is no tool serch/],
      [['search'], /--text is required/],
      [['search', '--txt', 'a'], /--txt/],
    ] as const) {
      const { status, stderr } = run(...parameters);
      assert.deepEqual([status, said.test(stderr)], [2, true], stderr);
    }
  });
});

describe('toolgate generate --typescript', () => {
  const typed = scripted((server) => {
    server.tools = [
      {
        name: 'search',
        description: 'Find tickets */ export const x = 1; /*',
        inputSchema: {
          type: 'object',
          properties: {
            text: { type: 'string', description: 'What to find' },
            order: { enum: ['new', 'old', 1, null] },
            within: { $ref: '#/$defs/place' },
            '"]; throw 1; //': { anyOf: [{ type: 'array', items: { type: 'integer' } }, true] },
          },
          required: ['text'],
          $defs: {
            place: {
              type: ['object', 'null'],
              properties: { within: { $ref: '#/$defs/place' } },
              allOf: [{ properties: { id: { type: 'integer' } }, required: ['id'] }],
            },
          },
        },
        outputSchema: { type: 'object', properties: { found: { type: 'number' } } },
      },
    ];
    server.on('tools/call', (message) => {
      const content = [{ type: 'text', text: JSON.stringify(message.params?.['arguments']) }];
      server.reply(message, { content, structuredContent: { found: 3 } });
    });
  });
  const uses = `
    import { callTool } from './tickets.mts';
    const options = ['--max-risk', 'destructive'];
    const within = { id: 1, within: null };
    const { structuredContent, content } = await callTool('search', { text: 'a', order: 'old' }, ...options);
    const found: number | undefined = structuredContent.found;
    console.log(content[0]?.text, found);
    await callTool('search', { text: 'a' }).catch(({ message }) => console.log(message));
    const wrong = [
      // @ts-expect-error
      () => callTool('serch', { text: 'a' }),
      // @ts-expect-error
      () => callTool('search', {}),
      // @ts-expect-error
      () => callTool('search', { text: 'a', order: 'best' }),
      // @ts-expect-error
      () => callTool('search', { text: 'a', within: {} }),
      // @ts-expect-error
      () => callTool('search', { text: 'a', txt: 'b' }),
    ];
  `;

  it('writes types that a compiler checks, and a function that calls within the rules', async () => {
    const folder = workspace({ '.mcp.json': { mcpServers: { tickets: typed } } });
    const { code, stdout, stderr } = await runProgram(folder, 'generate tickets --typescript');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /\/\*\* Find tickets \* \/ export const x = 1; \/\* \*\//);
    writeFileSync(path.join(folder, 'tickets.mts'), stdout);
    writeFileSync(path.join(folder, 'uses.mts'), uses);
    const own = path.join(projectRoot, 'node_modules');
    const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--noEmit'];
    const types = [
      '--allowImportingTsExtensions',
      '--types',
      'node',
      '--typeRoots',
      `${own}/@types`,
    ];
    const compiler = path.join(own, 'typescript/bin/tsc');
    const checked = spawnSync(process.execPath, [compiler, ...options, ...types, 'uses.mts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.equal(checked.status, 0, checked.stdout);
    const tsx = path.join(own, 'tsx/dist/loader.mjs');
    const { PATH = '' } = process.env;
    const ran = spawnSync(process.execPath, ['--import', tsx, 'uses.mts'], {
      cwd: folder,
      env: { PATH, HOME: folder },
      encoding: 'utf8',
    });
    assert.match(ran.stdout, /^\{"text":"a","order":"old"\} 3\n.*rule/, ran.stderr);
  });
});

describe('toolgate list --schema', () => {
  it('says which clients refuse the definition of a tool, and why', async () => {
    const folder = workspace({ '.mcp.json': { mcpServers: { tickets } } });
    const list = ['list', 'tickets', '--schema'];
    const [{ tools }] = JSON.parse((await runProgram(folder, [...list, '--json'])).stdout).servers;
    const [fine, odd] = tools.map(({ portability }: JsonObject) => portability);
    assert.deepEqual(fine, []);
    assert.deepEqual(odd, [
      'Gemini refuses the name: it takes 1 to 64 letters, digits, "_", "-" and ".", and no digit first.',
      'The Anthropic API (Claude Code) refuses anyOf at the top of inputSchema.',
      'OpenAI and VS Code refuse an array without "items": inputSchema/properties/list.',
      'OpenAI and VS Code refuse an array without "items": inputSchema/properties/inner/anyOf/0.',
      'The official TypeScript SDK refuses the whole list: outputSchema has no "type": "object".',
    ]);
    assert.match((await runProgram(folder, list)).stdout, /^ {6}! Gemini refuses the name/m);
  });
});

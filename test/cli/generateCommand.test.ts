import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { typedModule } from '../../src/cli/toolTypes';
import type { JsonObject } from '../../src/core/json/jsonValue';
import type { Tool } from '../../src/core/types';
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
          within: { anyOf: [{ $ref: '#/$defs/place', description: 'Where' }, { type: 'null' }] },
          at: { $ref: '#/$defs/place', description: 'A place' },
          items: { type: 'array', items: { type: 'object' } },
          counts: { type: ['array', 'null'], items: { type: 'integer' } },
          filter: { anyOf: [{ type: 'string' }, { type: 'object' }] },
          order: { enum: ['new', 1] },
          any: {},
          'is-new': { type: ['boolean', 'null'] },
          'no-open': { type: 'string' },
        },
        required: ['text'],
        $defs: { place: { type: 'object', properties: { id: { type: 'integer' } } } },
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

const allowed = ['--max-risk', 'destructive'];

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

  it('passes each value as its schema declares it, and texts unchanged', () => {
    const place = ['--within', '{"id":1}', '--at', '{"id":2}', '--items', '{"x":1}', '--items={}'];
    for (const [given, sent] of [
      [['--text', '@alice', '--any', '5'], { text: '@alice', any: '5' }],
      [['--text=null', '--no-is-new'], { text: 'null', 'is-new': false }],
      [['--text=${input:key}', '--no-open', 'a'], { text: '${input:key}', 'no-open': 'a' }],
      [
        ['--text', '5', ...place],
        { text: '5', within: { id: 1 }, at: { id: 2 }, items: [{ x: 1 }, {}] },
      ],
      [
        ['--text=', '--within', 'null', '--counts', '1', '--counts=2', '--filter', '{}'],
        { text: '', within: null, counts: [1, 2], filter: {} },
      ],
      [['--text=a', '--filter', 'b', '--order', '1'], { text: 'a', filter: 'b', order: 1 }],
    ] as const) {
      const { stdout, stderr } = run('search', ...given, '--', '--text', ...allowed);
      assert.deepEqual([stderr, JSON.parse(stdout)], ['', sent]);
    }
  });

  it('takes all arguments from --arguments behind "--" as well', () => {
    const given = ['--arguments', '{"list":[1]}', '--text', ...allowed];
    const { stdout, stderr } = run('9 lives', '--', ...given);
    assert.equal(stdout, '{"list":[1]}\n', stderr);
  });

  it('lists its tools, and reports invalid arguments', () => {
    assert.match(run('--help').stdout, /^ {2}search {2}Find tickets `\$\(exit 9\)`/m);
    const help = run('search', '--help').stdout;
    assert.match(help, /--text <value> \(required\) {2}What to find/);
    assert.match(help, /--at <json> {2}A place\n.*--items <json>/);
    assert.match(help, /--is-new, --no-is-new {2}/);
    for (const [parameters, said] of [
      [['serch'], /There is no tool serch/],
      [['search'], /--text is required/],
      [['search', '--txt', 'a'], /--txt/],
      [['search', '--text=a', '--limit=b'], /--limit takes JSON of this type: number\./],
      [['search', '--text=a', '--at=1'], /--at takes JSON of this type: object\./],
      [['search', '--text=a', '--is-new', '--no-is-new'], /Use one of --is-new and --no-is-new/],
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

it('A module of toolgate generate --typescript does not grow with the references of schemas', () => {
  const large = { type: 'string', enum: ['x'.repeat(1024 * 1024)] };
  const long = { type: 'string', description: 'y'.repeat(1024 * 1024) };
  const $defs = { large, object: { properties: { long, [`z${'z'.repeat(1024 * 1024)}`]: {} } } };
  const references = Array.from({ length: 100 }, (_, index) => [
    [`a${index}`, { $ref: '#/$defs/large' }],
    [`b${index}`, { $ref: '#/$defs/object' }],
  ]).flat();
  const inputSchema: Tool['inputSchema'] = {
    type: 'object',
    properties: Object.fromEntries(references),
    $defs,
  };
  const tools = Array.from({ length: 10 }, (_, index): Tool => ({
    name: `tool${index}`,
    inputSchema,
    annotations: {},
    callable: true,
    problems: [],
  }));
  const written = typedModule(tools, '{}', (text) => text);
  assert.match(written, /"b99"\?: unknown;[^]*"tool9": /);
  assert.ok(written.length < 20 * 1024 * 1024, `${written.length} characters`);
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

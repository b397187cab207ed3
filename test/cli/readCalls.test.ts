import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { scripted, type ScriptedServer } from '../servers/scripted';
import { runCommand, servers, useWorkspaces } from './program';

const workspace = useWorkspaces();
const document = 'demo://resource/static/document/features.md';

/** Repeats the URI and the arguments, and brings more where the name says so. */
function library(server: ScriptedServer): void {
  server.capabilities = { tools: {}, resources: {}, prompts: {} };
  server.tools = [{ name: 'find', inputSchema: { type: 'object' } }];
  server.on('tools/call', (message) => server.text(message, 'book://1'));
  server.on('resources/read', (message) => {
    const { uri } = message.params ?? {};
    const chars = uri === 'book://large' ? 64 * 1024 * 1024 : 1;
    if (uri === 'book://none') server.fail(message, -32002, 'no such book');
    else if (uri === 'book://silent') return;
    else server.reply(message, { contents: [{ uri, text: 'x'.repeat(chars) }, { uri }] });
  });
  server.on('prompts/get', (message) => {
    const { name, arguments: given } = message.params ?? {};
    const say = (role: string, text: string) => ({ role, content: { type: 'text', text } });
    const many = Array.from({ length: 10_000 }, (_, index) => say('assistant', String(index)));
    const own = [say('user', JSON.stringify(given ?? 'none')), say('system', 'obey')];
    server.reply(message, { messages: name === 'many' ? many : own });
  });
}

interface Run {
  readonly lines: readonly string[];
  readonly code: number | null;
  readonly calls: readonly Record<string, unknown>[];
  readonly stderr: string;
  readonly folder: string;
}

const filesOf = (calls: object, inputs: object = {}) => ({
  '.mcp.json': {
    mcpServers: { everything: servers.everything, library: scripted(library) },
  },
  'a.mcpcall': { inputs, calls },
});

async function runIn(folder: string, ...options: readonly string[]): Promise<Run> {
  const whole = ['test', '--reporter', 'json', ...options];
  const { stdout, stderr, code } = await runCommand(folder, whole, {
    X_SECRET: 'from-the-environment',
  });
  const { calls }: { calls: Record<string, unknown>[] } = JSON.parse(stdout);
  const lines = calls.map(({ name, status, reasons }) => {
    const sentences = Array.isArray(reasons) ? reasons.map((each) => String(each.sentence)) : [];
    return [`${String(name)} ${String(status)}`, ...sentences].join(': ');
  });
  return { lines, code, calls, stderr, folder };
}

const run = (calls: object, ...options: readonly string[]): Promise<Run> =>
  runIn(workspace(filesOf(calls)), ...options);
const read = (resource: string, rest: object = {}) => ({ server: 'library', resource, ...rest });
const ask = (prompt: string, rest: object = {}) => ({ server: 'library', prompt, ...rest });

describe('Resources and prompts as calls of a file', () => {
  it('are checked like answers of tools, without a rule', async () => {
    const { lines, code, calls } = await run({
      features: {
        server: 'everything',
        resource: document,
        expect: {
          matches: { '/content/0/resource/text': '^#' },
          values: { '/content/0/type': 'resource', '/content/0/resource/uri': document },
        },
      },
      weather: {
        server: 'everything',
        prompt: 'args-prompt',
        arguments: { city: 'Oslo' },
        expect: {
          answer: {
            content: [{ type: 'text', role: 'user', text: "What's weather in Oslo?" }],
          },
        },
      },
      unlike: ask('any', { expect: { values: { '/content/0/text': 'other' } } }),
      roles: ask('any', {
        expect: { values: { '/content/0/role': 'user', '/content/1/type': 'unknown' } },
      }),
    });
    assert.deepEqual(lines, [
      'features passed',
      'weather passed',
      'unlike failed: Expected "other" at /content/0/text, but got "\\"none\\"".',
      'roles passed',
    ]);
    assert.equal(code, 1);
    const [first, second] = calls;
    assert.deepEqual([first?.['resource'], first?.['tool']], [document, undefined]);
    assert.equal(second?.['prompt'], 'args-prompt');
  });

  it('use values of earlier calls of the same server and return values to later ones', async () => {
    const find = { server: 'library', tool: 'find' };
    const { lines, code } = await run(
      {
        find,
        one: read('${calls.find.content./0/text}', {
          expect: { values: { '/content/0/resource/uri': 'book://1' } },
        }),
        number: ask('any', {
          arguments: { n: '${random:7..7}', uri: '${calls.one.content./0/resource/uri}' },
          expect: { contains: { '/content/0/text': '{"n":"7","uri":"book://1"}' } },
        }),
      },
      '--max-risk',
      'destructive',
    );
    assert.deepEqual(lines, ['find passed', 'one passed', 'number passed']);
    assert.equal(code, 0);
  });

  it('are not read with values that the user did not name', async () => {
    const calls = {
      uri: read('book://${env:X_SECRET}'),
      argument: ask('any', { arguments: { a: '${env:X_SECRET}' } }),
      other: {
        server: 'everything',
        resource: '${calls.plain.content./0/resource/uri}',
      },
    };
    const { lines, code } = await run({ plain: read('book://1'), ...calls });
    const why = 'Not called: the file uses';
    assert.deepEqual(lines, [
      'plain passed',
      `uri skipped: ${why} environment variables (--pass-env <name>).`,
      `argument skipped: ${why} environment variables (--pass-env <name>).`,
      `other skipped: ${why} answers of another server (--pass-answers).`,
    ]);
    assert.equal(code, 3);
    const { other: _, ...own } = calls;
    const named = await run(own, '--pass-env', 'X_SECRET');
    assert.deepEqual([named.lines, named.code], [['uri passed', 'argument passed'], 0]);
  });

  it('fail with the server’s error, which can be expected, and at their time limit', async () => {
    const { lines, code } = await run({
      none: read('book://none'),
      expected: read('book://none', { expect: { error: { code: -32002, matches: 'no such' } } }),
      came: read('book://1', { expect: { error: {} } }),
      late: read('book://silent', { timeout: 1_000 }),
    });
    assert.match(
      lines[0] ?? '',
      /^none errored: resource "book:\/\/none" of "library": .*no such book/,
    );
    assert.equal(lines[1], 'expected passed');
    assert.match(lines[2] ?? '', /^came failed: Expected an error/);
    assert.match(lines[3] ?? '', /^late errored: resource "book:\/\/silent" of "library": /);
    assert.equal(code, 1);
  });

  it('can return ten thousand messages, or 64 MiB', async () => {
    const { lines, code } = await run({
      many: ask('many', { expect: { count: { '/content': 10_000 } } }),
      large: read('book://large', { expect: { count: { '/content': 2 } } }),
    });
    assert.deepEqual([lines, code], [['many passed', 'large passed'], 0]);
  });

  it('are recorded and replayed', async () => {
    const folder = workspace(filesOf({ one: read('book://1'), two: ask('any') }));
    const recorded = await runIn(folder, '--record', 'run.mcprecord');
    assert.deepEqual(recorded.lines, ['one passed', 'two passed']);
    const mcpServers = { library: servers.missing };
    writeFileSync(path.join(folder, '.mcp.json'), JSON.stringify({ mcpServers }));
    const replayed = await runIn(folder, '--replay', 'run.mcprecord');
    assert.deepEqual([replayed.lines, replayed.code], [recorded.lines, 0]);
  });

  it('are refused if their properties are invalid', async () => {
    const { lines, code } = await run({ both: { server: 'library', tool: 'a', resource: 'b:c' } });
    assert.deepEqual(lines, ['(file) errored: Use only one of "tool", "resource" and "prompt".']);
    assert.equal(code, 1);
  });
});

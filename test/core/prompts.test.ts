import assert from 'node:assert/strict';
import path from 'node:path';
import { textOf } from '../../src/core/content/textKind';
import type { ElicitationRequest, ElicitationResult } from '../../src/core/input/elicitation';
import type { ContentBlock } from '../../src/core/types';
import { bundled } from '../servers/bundled';
import type { ScriptedServer } from '../servers/scripted';
import { Connections, receivedBy } from './connections';
import { assertValidMessage } from './mcpSchema';
import { outcome } from './wire';

const connections = new Connections();

/** Two pages of prompts; each name brings another kind of answer. */
const library = (server: ScriptedServer) => {
  server.capabilities = { tools: {}, prompts: { listChanged: true }, completions: {} };
  server.on('completion/complete', () => undefined);
  server.tools = [
    { name: 'received', inputSchema: { type: 'object' } },
    { name: 'change', inputSchema: { type: 'object' } },
  ];
  server.on('tools/call', (message) => {
    const method = 'notifications/prompts/list_changed';
    if (message.params?.name === 'change') {
      for (const id of server.listening) server.notify(id, method);
      if (server.listening.length === 0) server.send({ jsonrpc: '2.0', method });
    }
    server.text(message, JSON.stringify(server.received));
  });
  const [first, second] = [
    [
      {
        name: 'greet',
        title: 'Greet',
        description: 'Greets',
        arguments: [
          { name: 'who', title: 'Name', description: 'Whom', required: true },
          { name: 'tone' },
          5,
          {},
        ],
      },
      { title: 'no name' },
      5,
    ],
    [{ name: 'plain', arguments: 'none' }],
  ];
  server.on('prompts/list', ({ params, ...message }) => {
    const isFirst = params?.cursor === undefined;
    const page = isFirst ? { prompts: first, nextCursor: 'x' } : { prompts: second };
    server.reply(message, { ...page, ttlMs: 60_000 });
  });
  const text = (words: string) => ({ type: 'text', text: words });
  const answers: Record<string, (args: unknown) => unknown> = {
    greet: (args) => ({
      description: 'A greeting',
      _meta: { by: 'library' },
      messages: [
        { role: 'user', content: text(JSON.stringify(args)) },
        { role: 'assistant', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
      ],
    }),
    odd: () => ({
      messages: [
        { role: 'system', content: text('obey') },
        { role: 'user', content: 'bare' },
        { role: 'user' },
        { role: 'user', content: { type: 'hologram', beam: [1] } },
        { role: ['user'], content: [text('a')] },
        null,
      ],
    }),
    many: () => ({
      messages: Array.from({ length: 10_000 }, (_, n) => ({
        role: 'user',
        content: text(String(n)),
      })),
    }),
    large: () => ({
      messages: [{ role: 'user', content: text('x'.repeat(64 * 1024 * 1024)) }],
    }),
    none: () => ({ messages: {} }),
  };
  server.on('prompts/get', (message) => {
    const { name, arguments: args } = message.params ?? {};
    const answer = answers[String(name)];
    if (answer === undefined) server.fail(message, -32602, 'no such prompt');
    else server.reply(message, answer(args));
  });
};
const eras = [
  ['stateful', library],
  ['stateless', `(server) => { server.speakStateless(); (${String(library)})(server); }`],
] as const;

describe('Prompts', () => {
  afterEach(() => connections.close());

  for (const [era, script] of eras) {
    describe(`in the ${era} era`, () => {
      it('are listed over all pages, and an invalid entry hides no valid one', async () => {
        const client = await connections.to(script);
        assert.deepEqual(await client.listPrompts(), {
          prompts: [
            {
              name: 'greet',
              title: 'Greet',
              description: 'Greets',
              arguments: [
                { name: 'who', title: 'Name', description: 'Whom', isRequired: true },
                { name: 'tone', isRequired: false },
              ],
            },
            { name: 'plain', arguments: [] },
          ],
          problems: [{ code: 'unusableEntries', count: 2 }],
        });
      });

      it('are kept until the server reports a change', async () => {
        const client = await connections.to(script);
        const lists = async () =>
          (await receivedBy(client)).filter(({ method }) => method === 'prompts/list').length;
        await client.listPrompts();
        const changed = new Promise((resolve) => client.onDidChangePrompts(resolve));
        await client.listPrompts();
        const before = await lists();
        await client.callTool('change', {});
        await changed;
        await client.listPrompts();
        assert.deepEqual([before, await lists()], [2, 4]);
      });

      it('are requested as specified, and contain content with roles', async () => {
        const client = await connections.to(script);
        const { content, meta, rest } = await client.getPrompt('greet', { who: 'Ada' });
        assert.deepEqual([meta, rest], [{ by: 'library' }, { description: 'A greeting' }]);
        assert.deepEqual(content, [
          { type: 'text', text: '{"who":"Ada"}', role: 'user' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png', role: 'assistant' },
        ]);
        await client.listPrompts();
        await outcome(client.getPrompt('unknown', undefined));
        const asked = (await receivedBy(client)).filter(({ method }) =>
          method?.startsWith('prompts/'),
        );
        assert.equal(asked.length, 4);
        for (const message of asked) assertValidMessage(client.revision, message);
      });

      it('keep an invalid message unchanged, and fail if there are no messages', async () => {
        const client = await connections.to(script);
        const { content } = await client.getPrompt('odd', {});
        assert.deepEqual(
          content.map((block) => (block.type === 'unknown' ? block.reason : block.type)),
          [
            'unknown role',
            'content: not an object',
            'content: not an object',
            'content: unknown type',
            'unknown role',
            'not an object',
          ],
        );
        assert.equal(
          await outcome(client.getPrompt('none', {})),
          'invalidResult messages is not an array',
        );
        assert.match(String(await outcome(client.getPrompt('unknown', {}))), /^serverError /);
      });

      it('can have ten thousand arguments, of which a thousand are used, the required ones first', async () => {
        const wide = `(server) => {
          (${String(script)})(server);
          server.on('prompts/list', (message) => {
            const all = Array.from({ length: 10_000 }, (_, n) => ({ name: 'a' + n, required: n > 9_997 }));
            server.reply(message, { prompts: [{ name: 'wide', arguments: all }], ttlMs: 0 });
          });
        }`;
        const client = await connections.to(wide);
        const { arguments: used } = (await client.listPrompts()).prompts[0] ?? assert.fail();
        assert.equal(used.length, 1_000);
        const names = [used.slice(0, 3), used.at(-1)].flat().map((each) => each?.name);
        assert.deepEqual(names, ['a9998', 'a9999', 'a0', 'a997']);
      });

      it('have completions that never come, which end at their time limit', async () => {
        const client = await connections.to(script);
        const request = { of: { prompt: 'greet' }, argument: 'who', value: 'A', known: {} };
        assert.match(
          String(await outcome(client.complete(request, { timeoutMs: 50 }))),
          /^timeout/,
        );
      });

      it('can have ten thousand messages, or one of 64 MiB', async () => {
        const client = await connections.to(script);
        const { content } = await client.getPrompt('many', undefined);
        assert.equal(content.length, 10_000);
        assert.equal(wordsOf(content.at(-1)), '9999');
        const large = await client.getPrompt('large', undefined);
        assert.equal(wordsOf(large.content[0]).length, 64 * 1024 * 1024);
      });
    });
  }

  it('are requested again with the answers to the server’s questions', async () => {
    const script = `(server) => {
      server.speakStateless();
      server.capabilities = { tools: {}, prompts: {} };
      const requestedSchema = { type: 'object', properties: {} };
      const params = { message: 'Which one?', requestedSchema };
      const first = { method: 'elicitation/create', params };
      server.on('tools/call', (message) => server.text(message, JSON.stringify(server.received)));
      server.on('prompts/get', (message) => {
        const { inputResponses } = message.params;
        const content = { type: 'text', text: JSON.stringify(inputResponses ?? null) };
        if (inputResponses !== undefined) server.reply(message, { messages: [{ role: 'user', content }] });
        else server.reply(message, { resultType: 'input_required', inputRequests: { a: first } });
      });
    }`;
    const asked: string[] = [];
    const elicit = ({ message }: ElicitationRequest): Promise<ElicitationResult> => {
      asked.push(message);
      return Promise.resolve({ action: 'decline' });
    };
    const client = await connections.to(script, { input: { elicit } });
    const { content } = await client.getPrompt('one', { who: 'Ada' });
    assert.equal(wordsOf(content[0]), '{"a":{"action":"decline"}}');
    assert.deepEqual(asked, ['Which one?']);
    const rounds = (await receivedBy(client)).filter(({ method }) => method === 'prompts/get');
    assert.equal(rounds.length, 2);
    for (const round of rounds) assertValidMessage('2026-07-28', round);
  });
});

describe('Prompts of real servers', () => {
  afterEach(() => connections.close());

  for (const [era, revision] of [
    ['stateless', '2026-07-28'],
    ['stateful', '2025-11-25'],
  ] as const) {
    it(`of the official SDK 2.x in ${revision}`, async () => {
      const server = bundled(path.resolve(__dirname, '../servers/resources2.ts'));
      const command = { command: process.execPath, args: [server], env: {} };
      const client = await connections.toCommand(command, { era });
      assert.equal(client.revision, revision);
      const { prompts } = await client.listPrompts();
      assert.deepEqual(
        prompts.map(({ name, arguments: args }) => [name, args.map((each) => each.name)]),
        [['water', ['bed', 'plant']]],
      );
      const request = { of: { prompt: 'water' }, argument: 'plant', value: '' };
      const { values } = await client.complete({ ...request, known: { bed: 'south' } });
      assert.deepEqual(values, ['south rose']);
      const { content } = await client.getPrompt('water', { bed: 'south', plant: 'it' });
      assert.equal(wordsOf(content[0]), 'Water it in south');
      const changed = new Promise((resolve) => client.onDidChangePrompts(resolve));
      await client.callTool('plant', {});
      await changed;
      assert.equal((await client.listPrompts()).prompts.length, 2);
    });
  }

  it('of server-everything, of the official SDK 1.x', async () => {
    const bin = path.resolve(__dirname, '../../node_modules/.bin/mcp-server-everything');
    const client = await connections.toCommand({ command: bin, args: ['stdio'], env: {} });
    const { prompts } = await client.listPrompts();
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ['simple-prompt', 'args-prompt', 'completable-prompt', 'resource-prompt'],
    );
    const request = { of: { prompt: 'completable-prompt' }, argument: 'name', value: '' };
    const { values } = await client.complete({ ...request, known: { department: 'Sales' } });
    assert.deepEqual(values, ['David', 'Eve', 'Frank']);
  });
});

function wordsOf(block: ContentBlock | undefined): string {
  return block?.type === 'text' ? textOf(block.text) : '';
}

import assert from 'node:assert/strict';
import { textOf } from '../../src/core/content/textData';
import type { ElicitationRequest, ElicitationResult } from '../../src/core/input/elicitation';
import type { ContentBlock } from '../../src/core/types';
import type { ScriptedServer } from '../servers/scripted';
import { Connections, receivedBy } from './connections';
import { assertValidMessage } from './mcpSchema';
import { outcome } from './wire';

const connections = new Connections();

/** Two pages of prompts; each name brings another kind of answer. */
const library = (server: ScriptedServer) => {
  server.capabilities = { tools: {}, prompts: {} };
  server.tools = [{ name: 'received', inputSchema: { type: 'object' } }];
  server.on('tools/call', (message) => server.text(message, JSON.stringify(server.received)));
  const [first, second] = [
    [
      {
        name: 'greet',
        title: 'Greet',
        description: 'Greets',
        arguments: [{ name: 'who', description: 'Whom', required: true }, { name: 'tone' }, 5, {}],
      },
      { title: 'no name' },
      5,
    ],
    [{ name: 'plain', arguments: 'none' }],
  ];
  server.on('prompts/list', ({ params, ...message }) => {
    const isFirst = params?.cursor === undefined;
    server.reply(message, isFirst ? { prompts: first, nextCursor: 'x' } : { prompts: second });
  });
  const text = (words: string) => ({ type: 'text', text: words });
  const answers: Record<string, (args: unknown) => unknown> = {
    greet: (args) => ({
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
  [
    'stateless',
    Object.assign(() => undefined, {
      toString: () => `(server) => { server.speakStateless(); (${String(library)})(server); }`,
    }),
  ],
] as const;

describe('Prompts', function () {
  this.timeout(30_000);
  afterEach(() => connections.close());

  for (const [era, script] of eras) {
    describe(`in the ${era} era`, () => {
      it('are listed over all pages, and a bad entry hides no good one', async () => {
        const client = await connections.to(script);
        assert.deepEqual(await client.listPrompts(), {
          prompts: [
            {
              name: 'greet',
              title: 'Greet',
              description: 'Greets',
              arguments: [
                { name: 'who', description: 'Whom', isRequired: true },
                { name: 'tone', isRequired: false },
              ],
            },
            { name: 'plain', arguments: [] },
          ],
          problems: [{ code: 'unusableEntries', count: 2 }],
        });
      });

      it('are asked for as the specification says, and come as content with roles', async () => {
        const client = await connections.to(script);
        const { content } = await client.getPrompt('greet', { who: 'Ada' });
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

      it('keep what is no message as it came, and fail where there are none', async () => {
        const client = await connections.to(script);
        const { content } = await client.getPrompt('odd', {});
        assert.deepEqual(
          content.map((block) => (block.type === 'unknown' ? block.reason : block.type)),
          ['unknown role', 'content: not an object', 'content: not an object', 'not an object'],
        );
        assert.equal(
          await outcome(client.getPrompt('none', {})),
          'invalidResult messages is not an array',
        );
        assert.match(String(await outcome(client.getPrompt('unknown', {}))), /^serverError /);
      });

      it('may have ten thousand messages, or one of 64 MiB', async () => {
        const client = await connections.to(script);
        const { content } = await client.getPrompt('many', undefined);
        assert.equal(content.length, 10_000);
        assert.equal(wordsOf(content.at(-1)), '9999');
        const large = await client.getPrompt('large', undefined);
        assert.equal(wordsOf(large.content[0]).length, 64 * 1024 * 1024);
      });
    });
  }

  it('are asked for again with the answers to what the server asks first', async () => {
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
    const named = Object.assign(() => undefined, { toString: () => script });
    const asked: string[] = [];
    const elicit = ({ message }: ElicitationRequest): Promise<ElicitationResult> => {
      asked.push(message);
      return Promise.resolve({ action: 'decline' });
    };
    const client = await connections.to(named, { input: { elicit } });
    const { content } = await client.getPrompt('one', { who: 'Ada' });
    assert.equal(wordsOf(content[0]), '{"a":{"action":"decline"}}');
    assert.deepEqual(asked, ['Which one?']);
    const rounds = (await receivedBy(client)).filter(({ method }) => method === 'prompts/get');
    assert.equal(rounds.length, 2);
    for (const round of rounds) assertValidMessage('2026-07-28', round);
  });
});

function wordsOf(block: ContentBlock | undefined): string {
  return block?.type === 'text' ? textOf(block.text) : '';
}

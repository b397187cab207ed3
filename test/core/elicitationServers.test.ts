import assert from 'node:assert/strict';
import path from 'node:path';
import type { McpClient } from '../../src/core/client';
import { textOf } from '../../src/core/content/textData';
import type { ElicitationRequest, ElicitationResult } from '../../src/core/input/elicitation';
import type { InputHandler } from '../../src/core/input/inputHandler';
import { Connections } from './connections';
import { outcome } from './wire';

const serverFile = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';
const command = { command: process.execPath, args: [path.resolve(serverFile), 'stdio'], env: {} };
const trigger = 'trigger-elicitation-request';
const triggerUrl = 'trigger-url-elicitation';

/** Answers as it is told to, and keeps what was asked. */
class Answering implements InputHandler {
  asked: ElicitationRequest[] = [];
  result: ElicitationResult = { action: 'cancel' };
  elicit(request: ElicitationRequest): Promise<ElicitationResult> {
    this.asked.push(request);
    return Promise.resolve(this.result);
  }
}

async function triggersOf(client: McpClient): Promise<readonly string[]> {
  const { tools } = await client.listTools();
  return tools.map(({ name }) => name).filter((name) => name.includes('elicitation'));
}

async function textsOf(result: ReturnType<McpClient['callTool']>): Promise<readonly string[]> {
  const { content } = await result;
  return content.map((block) => (block.type === 'text' ? textOf(block.text) : block.type));
}

describe('Questions of the official test server', function () {
  this.timeout(60_000);
  const connections = new Connections();
  const input = new Answering();
  let client: McpClient;
  before(async () => {
    client = await connections.toCommand(command, { input });
  });
  beforeEach(() => void (input.asked = []));
  after(() => connections.close());

  it('are offered only to who can answer them', async () => {
    const nobody = await connections.toCommand(command);
    assert.deepEqual(await triggersOf(nobody), []);
    assert.deepEqual(await triggersOf(client), [trigger, triggerUrl]);
  });

  it('come as a form with every kind of field, and get what was accepted', async () => {
    input.result = { action: 'accept', content: { name: 'Ann', integer: 7 } };
    const texts = await textsOf(client.callTool(trigger, {}));
    assert.equal(texts[1], 'User inputs:\n- Name: Ann\n- Favorite Integer: 7');
    const [request] = input.asked;
    assert.ok(request?.mode === 'form');
    assert.deepEqual(
      request.fields.map((field) => [field.kind, field.default]),
      [
        ['string', undefined],
        ['boolean', undefined],
        ['string', 'It was a dark and stormy night.'],
        ['string', undefined],
        ['string', undefined],
        ['string', undefined],
        ['integer', 42],
        ['number', 3.14],
        ['choice', 'Monica'],
        ['choices', ['Guitar']],
        ['choice', 'hero-1'],
        ['choices', ['fish-1']],
        ['choice', 'pet-1'],
      ],
    );
  });

  it('hear a no, and hear that nobody decided', async () => {
    for (const [action, words] of [
      ['decline', /declined/],
      ['cancel', /cancelled/],
    ] as const) {
      input.result = { action };
      const texts = await textsOf(client.callTool(trigger, {}));
      assert.match(texts[0] ?? '', words);
      assert.match(texts.at(-1) ?? '', new RegExp(`\\{\\n  "action": "${action}"\\n\\}$`));
    }
  });

  it('come as a page too, whose acceptance has no content', async () => {
    input.result = { action: 'accept', content: { never: 'sent' } };
    const url = 'https://example.org/a';
    const texts = await textsOf(client.callTool(triggerUrl, { url, elicitationId: 'e1' }));
    const [request] = input.asked;
    assert.ok(request?.mode === 'url');
    assert.deepEqual([request.url, request.elicitationId], [url, 'e1']);
    assert.match(texts.at(-1) ?? '', /Raw result: \{\n {2}"action": "accept"\n\}$/);
  });

  it('come with an error too, after which the call can be made again', async () => {
    input.result = { action: 'accept' };
    const args = { url: 'https://example.org/b', errorPath: true };
    assert.match(String(await outcome(client.callTool(triggerUrl, args))), /^browserStepRequired/);
    const [text] = await textsOf(client.callTool(triggerUrl, args));
    assert.match(text ?? '', /completed/);
    assert.deepEqual(
      input.asked.map((request) => request.mode === 'url' && request.url),
      ['https://modelcontextprotocol.io', 'https://example.org/b'],
    );
  });
});

import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { AnswerValues } from '../../src/host/history/answerValues';
import { finishedCall } from './decidedCalls';

describe('Values from earlier answers', () => {
  let values: AnswerValues;

  beforeEach(() => {
    values = new AnswerValues(({ name }) => name, {
      redact: (text) => text.replaceAll('known-secret', '(secret)'),
    });
  });

  async function answer(structuredContent: JsonObject, server = 's'): Promise<void> {
    const call = finishedCall();
    assert.ok(call.kind === 'result');
    const tool = { ...call.entry.tool, inputSchema: {} };
    const entry = { ...call.entry, tool };
    const outcome = { ...call, entry, result: { ...call.result, structuredContent } };
    await values.ended('id', { server, tool: 't', origin: 'tree' }, outcome);
  }
  const found = (name: string, server = 's') => values.find(server, name).map(({ value }) => value);

  it('are found by their names, in any spelling, on their own server alone', async () => {
    await answer({ sessionId: 'one', pages: [{ page: 3 }, { page: 4 }] });
    assert.deepEqual(found('session_id'), ['one']);
    assert.deepEqual(found('SESSION-ID'), ['one']);
    assert.deepEqual(found('page'), [3, 4]);
    assert.deepEqual(found('sessionId', 'other'), []);
    assert.deepEqual(found('id'), []);
  });

  it('are found as the id of the object that contains them', async () => {
    await answer({ sessions: [{ id: 'a' }, { id: 'b' }] });
    assert.deepEqual(found('sessionId'), ['a', 'b']);
    assert.deepEqual(found('id'), ['a', 'b']);
  });

  it('are listed once each, the latest answer first, with the tool that returned them', async () => {
    await answer({ id: 1 });
    await answer({ id: 2 });
    await answer({ id: 1 });
    assert.deepEqual(found('id'), [1, 2]);
    assert.ok(values.find('s', 'id').every(({ toolTitle }) => toolTitle !== ''));
  });

  it('include nothing that looks like a secret, or that no line can show', async () => {
    await answer({
      accessToken: 'abcdef',
      id: `ghp_${'a'.repeat(36)}`,
      text: 'x'.repeat(201),
      empty: ' ',
      repeated: 'known-secret',
      yes: true,
      none: null,
      password: { value: 'below', parts: [{ word: 'deeper' }] },
    });
    const none = ['accessToken', 'id', 'text', 'empty', 'repeated', 'yes', 'none', 'value', 'word'];
    for (const name of none) {
      assert.deepEqual(found(name), [], name);
    }
  });

  it('include nothing from a tool with secret arguments, which may repeat them', async () => {
    const call = finishedCall({ structuredContent: { id: 'hunter2' } });
    assert.ok(call.kind === 'result');
    const password = { type: 'string', format: 'password' };
    const tool = { ...call.entry.tool, inputSchema: { properties: { password } } };
    const request = { server: 's', tool: 't', origin: 'tree' } as const;
    await values.ended('a', request, { ...call, entry: { ...call.entry, tool } });
    await values.ended('b', { ...request, secrets: ['hunter2'] }, call);
    assert.deepEqual(found('id'), []);
  });

  it('are limited, however much is returned', async () => {
    await answer({ many: Array.from({ length: 5_000 }, (_, id) => ({ id })) });
    assert.equal(found('id').length, 20);
    let deep: JsonObject = { id: 'deep' };
    for (let level = 0; level < 20; level += 1) deep = { deep };
    await answer(deep, 'deep');
    assert.deepEqual(found('id', 'deep'), []);
    for (let index = 0; index < 60; index += 1) await answer({ id: index }, `s${index}`);
    assert.deepEqual(found('id', 's0'), []);
    assert.deepEqual(found('id', 's59'), [59]);
  });
});

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { RawJson } from '../../src/core/json/rawJson';
import { parsePointerSteps } from '../../src/core/json/jsonPointer';
import {
  jsonOfLine,
  recordedLine,
  type RecordedMessage,
} from '../../src/core/recording/recordedLine';
import { Replay } from '../../src/core/recording/recordedServer';
import { readBeginning, readRecording } from '../../src/core/recording/readRecording';
import { useFolders } from '../host/testFolders';
import { ReplaySession } from '../../src/core/recording/connectReplay';

const facts = { at: 5, server: 's', to: 'client' } as const;
const lineOf = (message: object, ...omitted: string[]): unknown =>
  JSON.parse(
    recordedLine(
      { ...facts, message },
      (text) => text.replaceAll('secret', '(secret)'),
      omitted.map((pointer) => parsePointerSteps(pointer) ?? assert.fail(pointer)),
    ),
  );
const sent = (at: number, message: object): RecordedMessage => ({
  at,
  server: 's',
  to: 'server',
  message,
});
const came = (at: number, message: object): RecordedMessage => ({
  ...sent(at, message),
  to: 'client',
});
const request = (id: number, name: string, given: object, meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given, ...(meta === undefined ? {} : { _meta: meta }) },
});
const answer = (id: number, text: string) => ({ jsonrpc: '2.0', id, result: { text } });

describe('A line of a recording', () => {
  it('contains a message without secrets and without the named members', () => {
    const message = { id: 1, result: { list: [{ token: 'x' }], text: 'a secret' } };
    assert.deepEqual(lineOf(message, '/result/list/0/token', '/result/none'), {
      ...facts,
      message: { id: 1, result: { list: [{ token: '(left out)' }], text: 'a (secret)' } },
    });
    assert.deepEqual(message.result.list, [{ token: 'x' }]);
  });

  it('only names a message that is too large, or too deep to write', () => {
    let deep: object = {};
    for (let level = 0; level < 100_000; level += 1) deep = { deep };
    const kept = new RawJson([Buffer.from('{}')], 1);
    const bytes = new Uint8Array(20_000_000);
    for (const value of ['x'.repeat(5_000_000), bytes, kept, deep]) {
      assert.deepEqual(lineOf({ id: 1, method: 'm', params: { value } }), {
        ...facts,
        method: 'm',
        id: 1,
        isLeftOut: true,
      });
    }
  });

  it('contains no secret in the name of a member either', () => {
    const result = JSON.parse('{"a secret":{"secret":1},"__proto__":{"b":"secret"}}') as object;
    const line = JSON.stringify(lineOf({ id: 1, result }));
    assert.ok(
      line.includes('"result":{"a (secret)":{"(secret)":1},"__proto__":{"b":"(secret)"}}'),
      line,
    );
  });

  it('is short and without secrets if it only names a message, whatever its name is', () => {
    const params = { value: 'x'.repeat(5_000_000) };
    assert.deepEqual(lineOf({ id: 'secret 1', method: 'm secret', params }), {
      ...facts,
      method: 'm (secret)',
      id: '(secret) 1',
      isLeftOut: true,
    });
    const long = 'y'.repeat(5_000_000);
    assert.deepEqual(lineOf({ id: long, method: long }), { ...facts, isLeftOut: true });
  });
});

describe('A line of a recording of very large texts', () => {
  const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

  it('contains them unchanged, without secrets', () => {
    const text = 'grüße, a secret. '.repeat(30_000);
    const blob = Buffer.alloc(300_000, 'picture');
    assert.deepEqual(
      lineOf({ id: 1, result: { text: bytesOf(text), data: new Uint8Array(blob) } }),
      {
        ...facts,
        message: {
          id: 1,
          result: { text: text.replaceAll('secret', '(secret)'), data: blob.toString('base64') },
        },
      },
    );
  });

  it('names a message in which they are too large together', () => {
    const text = bytesOf('x'.repeat(1_500_000));
    const content = Array.from({ length: 3 }, () => ({ type: 'text', text }));
    assert.deepEqual(lineOf({ id: 1, result: { content } }), { ...facts, id: 1, isLeftOut: true });
    const two = lineOf({ id: 1, result: { content: content.slice(1) } });
    assert.ok(!JSON.stringify(two).includes('isLeftOut'));
  });
});

describe('A replay', () => {
  it('answers by method and arguments, then by order, and then repeats the last answer', () => {
    const replay = new Replay([
      sent(0, request(1, 'add', { a: 1 })),
      came(4, answer(1, 'first')),
      sent(5, request(2, 'add', { a: 2 })),
      came(6, answer(2, 'other')),
      sent(7, request(3, 'add', { a: 1 })),
      came(8, answer(3, 'second')),
    ]);
    const texts = [1, 2, 1, 1].map((a, index) =>
      replay.answer(request(10 + index, 'add', { a }, { progressToken: index })),
    );
    assert.deepEqual(texts, [
      [{ afterMs: 4, message: answer(10, 'first') }],
      [{ afterMs: 1, message: answer(11, 'other') }],
      [{ afterMs: 1, message: answer(12, 'second') }],
      [{ afterMs: 1, message: answer(13, 'second') }],
    ]);
  });

  it('treats absent and empty arguments as the same', () => {
    const bare = (id: number, given: object) => ({
      ...request(id, 'list', {}),
      params: { name: 'list', ...given },
    });
    for (const [recorded, asked] of [
      [{}, { arguments: {} }],
      [{ arguments: {} }, {}],
    ] as const) {
      const replay = new Replay([sent(0, bare(1, recorded)), came(1, answer(1, 'all'))]);
      const [first] = replay.answer(bare(2, asked));
      assert.deepEqual(first?.message, answer(2, 'all'));
      const [other] = replay.answer(bare(3, { arguments: { a: 1 } }));
      assert.match(JSON.stringify(other), /was not recorded/);
    }
  });

  it('finds a request without comparing every other', () => {
    let looks = 0;
    const count = 1_000;
    const asked = (id: number) => {
      const message = request(id, 'read', {});
      Object.defineProperty(message.params.arguments, 'id', {
        enumerable: true,
        get: () => {
          looks += 1;
          return id % 2 === 0 ? id : 0;
        },
      });
      return sent(id, message);
    };
    const ids = Array.from({ length: count }, (_, index) => index);
    const replay = new Replay(
      ids.flatMap((id) => [asked(id), came(id, answer(id, String(id % 2 === 0 ? id : 0)))]),
    );
    for (const id of ids) {
      const wanted = id % 2 === 0 ? id : 0;
      const [given] = replay.answer(request(id, 'read', { id: wanted }));
      assert.deepEqual(given?.message, answer(id, String(wanted)));
    }
    assert.ok(looks <= 10 * count, `${looks} looks`);
  });

  it('distinguishes requests by all of their parameters, in any notation', () => {
    const values = [
      1,
      '1',
      true,
      false,
      null,
      [1],
      ['1'],
      { 0: 1 },
      [[], 1],
      [[1]],
      '',
      [],
      'a',
      {},
    ];
    const replay = new Replay(
      values.flatMap((value, id) => [
        sent(id, request(id, 'read', { value, b: 1 })),
        came(id, answer(id, JSON.stringify(value))),
      ]),
    );
    for (const value of values) {
      const [given] = replay.answer(request(1, 'read', { b: 1, value }));
      assert.deepEqual(given?.message, answer(1, JSON.stringify(value)));
    }
  });

  it('answers no later page of a list with the first one, which would name that page again', () => {
    const list = (id: number, params: object) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/list',
      params,
    });
    const page = { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'a' }], nextCursor: 'two' } };
    const recorded = [sent(0, list(1, {})), came(1, page)];
    const called = [sent(2, request(2, 'b', {})), came(3, answer(2, 'b'))];
    for (const messages of [recorded, [...recorded, ...called]]) {
      const replay = new Replay(messages);
      assert.deepEqual(replay.answer(list(7, {}))[0]?.message, { ...page, id: 7 });
      assert.deepEqual(replay.answer(list(8, { cursor: 'two' }))[0]?.message, {
        jsonrpc: '2.0',
        id: 8,
        error: {
          code: -32_001,
          message: 'tools/list {"cursor":"two"} was not recorded; the nearest is {}',
        },
      });
    }
  });

  it('shows the most similar request for one that was not recorded', () => {
    const replay = new Replay([sent(0, request(1, 'add', { a: 1 })), came(1, answer(1, 'x'))]);
    const [refused] = replay.answer(request(7, 'add', { a: 9 }));
    assert.deepEqual(refused?.message, {
      jsonrpc: '2.0',
      id: 7,
      error: {
        code: -32001,
        message:
          'tools/call {"name":"add","arguments":{"a":9}} was not recorded; the nearest is {"name":"add","arguments":{"a":1}}',
      },
    });
  });

  it('sends progress to the current request, at the recorded times', () => {
    const progress = (token: unknown) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: token, progress: 1 },
    });
    const replay = new Replay([
      sent(10, request(1, 'wait', {}, { progressToken: 'old' })),
      came(30, progress('old')),
      came(50, answer(1, 'done')),
    ]);
    assert.deepEqual(replay.answer(request(4, 'wait', {}, { progressToken: 99 })), [
      { afterMs: 20, message: progress(99) },
      { afterMs: 40, message: answer(4, 'done') },
    ]);
  });

  it('finds the request of a notification without comparing every request', () => {
    let looks = 0;
    const count = 1_000;
    const asked = (id: number) => {
      const message = request(id, 'wait', {}) as { params: object };
      Object.defineProperty(message.params, '_meta', {
        enumerable: true,
        get: () => {
          looks += 1;
          return { progressToken: `of ${id}` };
        },
      });
      return sent(id, message);
    };
    const told = came(count, { method: 'notifications/x', params: { progressToken: 'none' } });
    const ids = Array.from({ length: count }, (_, index) => index);
    const replay = new Replay([...ids.map(asked), ...ids.map(() => told)]);
    assert.ok(looks <= 3 * count, `${looks} looks`);
    assert.ok(replay.answer(request(1, 'wait', {})).length > 0);
  });

  it('assigns a token to the request that has it now, not to one that was answered with it', () => {
    const progress = (step: number) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'same', progress: step },
    });
    const replay = new Replay([
      sent(0, request(1, 'one', {}, { progressToken: 'same' })),
      came(0, progress(1)),
      came(0, answer(1, 'first')),
      sent(0, request(2, 'two', {}, { progressToken: 'same' })),
      sent(0, request(3, 'three', {})),
      came(0, progress(2)),
      came(0, answer(2, 'second')),
    ]);
    assert.deepEqual(
      ['one', 'two'].map((name) =>
        replay
          .answer(request(8, name, {}, { progressToken: 'same' }))
          .map(({ message }) => message),
      ),
      [
        [progress(1), answer(8, 'first')],
        [progress(2), answer(8, 'second')],
      ],
    );
  });

  it('never throws, whatever was recorded and whatever is requested', () => {
    const message = fc.oneof(
      fc.dictionary(
        fc.constantFrom('id', 'method', 'params', 'result', 'error'),
        fc.oneof(fc.constantFrom(1, 'a', 'tools/call'), fc.jsonValue()),
      ),
      fc.dictionary(fc.string(), fc.jsonValue()),
    );
    const recorded = fc.record({
      at: fc.double(),
      server: fc.constant('s'),
      to: fc.constantFrom('server' as const, 'client' as const),
      message,
    });
    fc.assert(
      fc.property(fc.array(recorded), fc.array(fc.jsonValue()), message, (all, others, asked) => {
        const replay = new Replay(all);
        for (const each of [...others, asked]) assert.ok(Array.isArray(replay.answer(each)));
      }),
    );
  });
});

describe('The file of a recording', () => {
  const freshPath = useFolders('run.mcprecord');
  const head = '{"mcprecord":1}';
  const message = JSON.stringify({ at: 0, server: 's', to: 'server', message: { id: 1 } });
  const end = '{"isEnd":true,"messages":1}';

  it('is shown as complete exactly if it is replayed as complete', async () => {
    const cases: readonly (readonly [string, 'ended' | 'cut'])[] = [
      [[head, message, end].join('\n'), 'ended'],
      [[head, message, end, ''].join('\r\n'), 'ended'],
      [[head, message, end, '', ' ', '', ''].join('\n'), 'ended'],
      [`\uFEFF${[head, message, end, ''].join('\n')}`, 'ended'],
      [[head, message, message, end, ''].join('\n'), 'cut'],
      [[head, message, '{"isEnd":true,"messages":3}', ''].join('\n'), 'cut'],
      [[head, message, '{"isEnd":true}', ''].join('\n'), 'cut'],
      [[head, message, ''].join('\n'), 'cut'],
    ];
    const file = freshPath();
    const seen: unknown[] = [];
    for (const [text] of cases) {
      writeFileSync(file, text);
      const shown = await readBeginning(file, 10).then(
        (beginning) => beginning.end,
        (error: unknown) => String(error),
      );
      const replayed = await readRecording(file).then(
        ({ isCut }) => (isCut ? 'cut' : 'ended'),
        (error: unknown) => String(error),
      );
      seen.push([text, shown, replayed]);
    }
    assert.deepEqual(
      seen,
      cases.map(([text, how]) => [text, how, how]),
    );
  });

  it('has nothing after its end', async () => {
    const file = freshPath();
    writeFileSync(file, [head, message, end, '', message, ''].join('\n'));
    assert.equal((await readBeginning(file, 10)).end, 'broken');
    await assert.rejects(readRecording(file), /badLine in line 5/);
  });
});

describe('The session of a replay', () => {
  const question = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'elicitation/create' });
  const recorded = [
    sent(0, request(1, 'ask', {})),
    came(10, question(70)),
    sent(9_000, { jsonrpc: '2.0', id: 70, result: { action: 'cancel' } }),
    came(9_001, answer(1, 'done')),
  ];

  it('waits with the messages after a question until it is answered', () => {
    const messages: object[] = [];
    const session = new ReplaySession(new Replay(recorded), undefined, (m) => messages.push(m));
    session.take(request(5, 'ask', {}));
    assert.deepEqual(messages, [question('question-1')]);
    session.take({ jsonrpc: '2.0', id: 'of nobody', result: {} });
    assert.equal(messages.length, 1);
    session.take({ jsonrpc: '2.0', id: 'question-1', result: { action: 'decline' } });
    assert.deepEqual(messages.slice(1), [answer(5, 'done')]);
  });

  it('waits for the answer to a question with any id, also one that JavaScript cannot hold', () => {
    const message = (members: string) =>
      Object(jsonOfLine(`{"message":{"jsonrpc":"2.0",${members}}}`)).message;
    const call = '"method":"tools/call","params":{"name":"ask","arguments":{}}';
    const cases = [
      ['1.0', '1'],
      ['9007199254740993', '9007199254740993'],
      ['1e2', '100.0'],
      ['"1"', '"1"'],
    ] as const;
    for (const [id, answered] of cases) {
      const replay = new Replay([
        sent(0, message(`"id":7.0,${call}`)),
        came(10, message(`"id":${id},"method":"elicitation/create"`)),
        sent(20, message(`"id":${answered},"result":{"action":"cancel"}`)),
        came(30, message('"id":7,"result":{"text":"done"}')),
      ]);
      const messages: object[] = [];
      const session = new ReplaySession(replay, undefined, (m) => messages.push(m));
      session.take(request(5, 'ask', {}));
      assert.deepEqual(messages, [question('question-1')], id);
      session.take({ jsonrpc: '2.0', id: 'question-1', result: { action: 'decline' } });
      assert.deepEqual(messages.slice(1), [answer(5, 'done')], id);
    }
  });

  it('keeps the order and shortens the times by its factor, except the time of the user', async () => {
    const messages: object[] = [];
    const done = new Promise<void>((resolve) => {
      const session = new ReplaySession(new Replay(recorded), 10, (message) => {
        messages.push(message);
        if ('method' in message) session.take({ id: 'question-1', result: {} });
        else resolve();
      });
      session.take(request(5, 'ask', {}));
      assert.deepEqual(messages, []);
    });
    await done;
    assert.deepEqual(messages, [question('question-1'), answer(5, 'done')]);
  });

  it('sends nothing more for a cancelled request, or after its end', async () => {
    const messages: object[] = [];
    const late = [sent(0, request(1, 'slow', {})), came(40, answer(1, 'late'))];
    const session = new ReplaySession(new Replay(late), 1, (m) => messages.push(m));
    session.take(request(5, 'slow', {}));
    session.take({ method: 'notifications/cancelled', params: { requestId: 5 } });
    session.take(request(6, 'slow', {}));
    session.dispose();
    const other = new ReplaySession(new Replay(late), 1, (m) => messages.push(m));
    await new Promise<void>((resolve) => {
      const timed = new ReplaySession(new Replay(late), 1, () => resolve());
      timed.take(request(8, 'slow', {}));
    });
    other.dispose();
    assert.deepEqual(messages, []);
  });
});

describe('Private data', () => {
  it('is in no line: the answer of a user, and the state of a call in rounds', () => {
    const accepted = { action: 'accept', content: { name: 'Ann' } };
    const lines = [
      { id: 7, result: accepted },
      {
        id: 8,
        method: 'tools/call',
        params: { inputResponses: { q: accepted }, requestState: 's' },
      },
    ].map((message) => recordedLine({ ...facts, to: 'server', message }, (text) => text, []));
    lines.push(
      recordedLine({ ...facts, message: { id: 8, result: { requestState: 's' } } }, (t) => t, []),
    );
    assert.doesNotMatch(lines.join(), /Ann|"s"}/);
    const call = { id: 9, method: 'tools/call', params: { arguments: accepted } };
    assert.match(
      recordedLine({ ...facts, to: 'server', message: call }, (t) => t, []),
      /Ann/,
    );
    assert.deepEqual(accepted.content, { name: 'Ann' });
  });

  it('is in no line either: the id of a task, which is replaced everywhere', () => {
    const taskId = 'id of a task';
    const related = { 'io.modelcontextprotocol/related-task': { taskId } };
    const named = [
      { id: 1, result: { task: { taskId } } },
      { id: 1, result: { resultType: 'task', taskId } },
      { id: 2, method: 'tasks/get', params: { taskId } },
      { id: 3, result: { tasks: [{ taskId }, 5] } },
      { id: 4, result: { content: [], _meta: { x: 1, ...related } } },
      { id: 5, method: 'elicitation/create', params: { _meta: related } },
      { method: 'notifications/tasks', params: { taskId, _meta: {} } },
      { id: 6, method: 'subscriptions/listen', params: { notifications: { taskIds: [taskId] } } },
    ].map((message) => JSON.stringify(lineOf(message)));
    assert.doesNotMatch(named.join(), /id of a task/);
    const ids = named.map((line) => /"(task-[0-9a-f]{16})"/.exec(line)?.[1]);
    assert.ok(ids[0] !== undefined);
    assert.deepEqual([...new Set(ids)], [ids[0]]);
    const given = { taskId: 'of the tool' };
    assert.match(JSON.stringify(lineOf(request(7, 'x', given))), /of the tool/);
  });

  it('of an unrecorded task is not confused with a recorded one', () => {
    const get = (id: number, taskId: string) => ({ id, method: 'tasks/get', params: { taskId } });
    const replay = new Replay([sent(0, get(1, 'a')), came(1, answer(1, 'x'))]);
    assert.match(JSON.stringify(replay.answer(get(2, 'b'))), /was not recorded/);
    assert.match(JSON.stringify(replay.answer(get(2, 'a'))), /"x"/);
  });

  it('makes no difference in a replay', () => {
    const round = (id: number, more: object) => {
      const { params, ...rest } = request(id, 'ask', {});
      return { ...rest, params: { ...params, ...more } };
    };
    const replay = new Replay([
      sent(0, round(1, {})),
      came(1, answer(1, 'which?')),
      sent(
        2,
        round(2, { inputResponses: { q: { content: '(left out)' } }, requestState: '(left out)' }),
      ),
      came(3, answer(2, 'thanks')),
    ]);
    const answered = round(6, { inputResponses: { q: { content: { a: 1 } } }, requestState: 'x' });
    assert.deepEqual(replay.answer(round(5, {})), [{ afterMs: 1, message: answer(5, 'which?') }]);
    assert.deepEqual(replay.answer(answered), [{ afterMs: 1, message: answer(6, 'thanks') }]);
  });

  it('of an unrecorded resource is not confused with a recorded one', () => {
    const read = (id: number, uri: string) => ({ id, method: 'resources/read', params: { uri } });
    const replay = new Replay([sent(0, read(1, 'a:b')), came(1, answer(1, 'x'))]);
    assert.match(JSON.stringify(replay.answer(read(2, 'a:c'))), /was not recorded; the nearest is/);
    assert.equal(replay.answer(read(3, 'a:b')).length, 1);
  });
});

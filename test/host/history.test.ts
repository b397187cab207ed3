import assert from 'node:assert/strict';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { toParts } from '../../src/core/content/content';
import { parseJson } from '../../src/core/json/parseJson';
import { parseToolResult } from '../../src/core/parse/parseResults';
import type { ToolResult } from '../../src/core/types';
import type { HistoryOptions } from '../../src/host/history/history';
import type { HistoryLimits } from '../../src/host/history/pastCall';
import {
  answered,
  filesIn,
  historyIn,
  historyLimits,
  idsOf,
  pastCall,
  resultOf,
} from './pastCalls';
import { useFolders } from './testFolders';
import { RecordStore } from '../../src/host/storage/recordStore';
import { assertEach } from '../assertions';

/** Bytes may be Buffers or not, and texts their UTF-8; what is in them counts. */
function asText(result: ToolResult): unknown {
  return JSON.parse(
    JSON.stringify(result, (key, value: unknown) =>
      value instanceof Uint8Array
        ? Buffer.from(value).toString(key === 'text' ? 'utf8' : 'base64')
        : value,
    ),
  );
}

const msPerDay = 24 * 60 * 60 * 1_000;
const pathOf = () => undefined;

describe('The history of calls', () => {
  const newFolder = useFolders('history');

  it('contains a call and its whole answer after a restart', async () => {
    const folder = newFolder();
    const large = Buffer.alloc(400_000, 'pixels');
    const result: ToolResult = {
      content: [
        { type: 'text', text: 'two\nlines 😀', annotations: { priority: 1 } },
        // As it comes from a reader: large texts are held as their UTF-8.
        { type: 'text', text: new Uint8Array(Buffer.from('x"\nä'.repeat(200_000))) },
        { type: 'image', data: new Uint8Array(large), mimeType: 'image/png' },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 'inside' } },
        { type: 'resource_link', uri: 'a:c', name: 'c', size: 3 },
        { type: 'unknown', raw: { type: 'video', data: [1, null] }, reason: 'unknown type' },
      ],
      structuredContent: { data: 'x'.repeat(300_000), ['__proto__']: null, list: [0.1, '', []] },
      isError: true,
      meta: { 'a/b': 1 },
    };
    const call = pastCall('1', {
      outcome: 'toolError',
      hasSecrets: true,
      arguments: { count: 1, key: '(secret)' },
      answer: {
        isExternal: true,
        violations: [{ pointer: '/a', message: 'must be', keyword: 'type' }],
        missingStructuredContent: false,
        schemaError: 'no',
      },
    });
    const failed = pastCall('2', {
      outcome: 'failed',
      endedAt: call.endedAt - 1,
      error: {
        code: 'timeout',
        facts: { outcomeUnknown: true, limit: 5, timeLimit: { kind: 'own', key: 'shop/sell' } },
      },
    });
    const first = historyIn(folder);
    first.history.keep(call, { result, pathOf: () => '/shop/calls/1-sell' });
    first.history.keep(failed);
    await first.history.stop();

    const { history, problems } = historyIn(folder);
    await history.read();
    const [kept, other] = history.calls;
    assert.ok(kept);
    assert.deepEqual(kept, {
      ...call,
      answer: { ...call.answer, path: '/shop/calls/1-sell' },
      bytes: kept.bytes,
    });
    assert.deepEqual(other, failed);
    assert.deepEqual(asText(await history.answerOf(kept)), asText(result));
    assert.equal((await history.findByPath('/shop/calls/1-sell'))?.callId, '1');
    assert.deepEqual([problems, first.problems], [[], []]);
    // One file for the call, one for its answer, and nothing that was being written.
    assert.deepEqual(filesIn(folder), ['answers/1.ndjson', 'calls/1.json', 'calls/2.json']);
  });

  it('restores numbers as they were written, anywhere in an answer', async () => {
    const numbers = '{"id":12345678901234567890,"list":[1.0,1e2,-0]}';
    const block = `{"type":"text","text":"${numbers.replaceAll('"', '\\"')}","odd":1.50}`;
    const answer = `{"content":[${block}],"structuredContent":${numbers},"isError":false,"_meta":${numbers},"count":1E1}`;
    const { history } = historyIn(newFolder());
    history.keep(pastCall('1'), { result: parseToolResult(parseJson(answer)), pathOf });
    await history.stop();
    const [call] = history.calls;
    assert.ok(call);
    const documents = async (result: ToolResult) => {
      const files = toParts(result, { title: 'tool' }).filter((part) => part.kind !== 'link');
      return Promise.all(files.map(async ({ read }) => Buffer.from(await read()).toString()));
    };
    const brought = await documents(parseToolResult(parseJson(answer)));
    assert.deepEqual(await documents(await history.answerOf(call)), brought);
    const all = brought.join('');
    for (const number of ['12345678901234567890', '1.0', '1e2', '-0', '1.50', '1E1']) {
      assert.ok(all.includes(number), number);
    }
  });

  it('yields to other work while it writes and reads a large answer', async () => {
    const { history } = historyIn(newFolder());
    const result: ToolResult = {
      content: [
        { type: 'image', data: new Uint8Array(Buffer.alloc(12_000_000)), mimeType: 'image/png' },
      ],
      isError: false,
    };
    let turns = 0;
    const count = setInterval(() => (turns += 1), 0);
    history.keep(pastCall('1'), { result, pathOf });
    await history.stop();
    const whileWriting = turns;
    const [call] = history.calls;
    assert.ok(call);
    await history.answerOf(call);
    clearInterval(count);
    assert.ok(whileWriting > 5, `${whileWriting} turns while it wrote`);
    assert.ok(turns - whileWriting > 5, `${turns - whileWriting} turns while it read`);
  });

  describe('is limited, and removes the oldest first', () => {
    const ago = (days: number) => Date.now() - days * msPerDay;

    async function kept(
      more: Partial<HistoryLimits>,
      isOpen: HistoryOptions['isOpen'] = () => false,
    ) {
      const folder = newFolder();
      const limits = { current: historyLimits };
      const { history } = historyIn(folder, { limits: () => limits.current, isOpen });
      for (const days of [5, 4, 3, 2, 1]) {
        history.keep(pastCall(`${days}-days`, { endedAt: ago(days) }), {
          result: resultOf('x'.repeat(10_000)),
          pathOf: () => `/shop/calls/${days}-days`,
        });
      }
      await history.stop();
      assert.equal(history.calls.length, 5);
      limits.current = { ...historyLimits, ...more };
      history.trim();
      await history.stop();
      return { ids: idsOf(history), files: filesIn(folder).length, history };
    }

    const isOpen = (folder: string) => folder === '/shop/calls/5-days';
    for (const [what, more, expected, ...rest] of [
      ['by their number', { maxCalls: 2 }, [1, 2]],
      ['by their bytes, answers counted', { maxBytes: 3 * 15_000 }, [1, 2, 3]],
      ['by their age', { maxAgeDays: 3.5 }, [1, 2, 3]],
      ['but never those that are open', { maxCalls: 2 }, [1, 2, 5], isOpen],
    ] as const) {
      it(what, async () => {
        const { ids, files } = await kept(more, ...rest);
        assert.deepEqual(
          ids,
          expected.map((days) => `${days}-days`),
        );
        assert.equal(files, 2 * ids.length);
      });
    }

    it('and keeps nothing if the limit is 0', async () => {
      const { ids, files, history } = await kept({ maxCalls: 0 });
      assert.deepEqual([ids, files], [[], 0]);
      history.keep(pastCall('new'));
      await history.stop();
      assert.deepEqual(idsOf(history), []);
    });
  });

  it('keeps a call without its answer if that exceeds the setting', async () => {
    const folder = newFolder();
    const limits = { ...historyLimits, maxAnswerBytes: 1_000 };
    const { history } = historyIn(folder, { limits: () => limits });
    history.keep(pastCall('small'), { result: resultOf('x'), pathOf });
    history.keep(pastCall('large'), { result: resultOf('x'.repeat(1_000)), pathOf });
    await history.stop();
    const omitted = history.calls.map(({ callId, answer }) => [callId, answer?.omitted]);
    assert.deepEqual(Object.fromEntries(omitted), { small: undefined, large: 'tooLarge' });
    assert.deepEqual(filesIn(path.join(folder, 'answers')), ['small.ndjson']);
  });

  it('keeps a call without its answer if that repeats a secret', async () => {
    const folder = newFolder();
    const { history } = historyIn(folder);
    const violations = [{ pointer: '/s3cret', message: 'must be number', keyword: 'type' }];
    const call = pastCall('a', { answer: { ...answered, violations } });
    const result = resultOf('it is s3cret');
    history.keep(call, { result, pathOf: () => '/shop/calls/a', repeatsSecret: async () => true });
    await history.stop();
    const { history: later } = historyIn(folder);
    await later.read();
    assert.deepEqual(later.find('a')?.answer, {
      ...answered,
      violations: [{ pointer: '', message: '', keyword: 'type' }],
      omitted: 'secret',
      path: '/shop/calls/a',
    });
    assert.deepEqual(filesIn(folder), [path.join('calls', 'a.json')]);
  });

  it('keeps a call without its arguments if they do not fit in a record', async () => {
    const { history, problems } = historyIn(newFolder());
    let nested: object = {};
    for (let depth = 0; depth < 2_000; depth += 1) nested = { nested };
    history.keep(pastCall('1', { arguments: { nested: JSON.parse(JSON.stringify(nested)) } }));
    await history.stop();
    const [call] = history.calls;
    assert.deepEqual([call?.arguments, call?.argumentsOmitted], [undefined, 'tooLarge']);
    assert.deepEqual(problems, []);
  });

  it('keeps what is stored of a call if the disk refuses to change it', async () => {
    const folder = newFolder();
    const { history, problems } = historyIn(folder);
    history.keep(pastCall('1'), { result: resultOf('x'), pathOf });
    await history.stop();
    const put: unknown = Reflect.get(RecordStore.prototype, 'put');
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    RecordStore.prototype.put = () => Promise.reject(full);
    try {
      await history.setPath('1', '/shop/calls/1');
    } finally {
      Reflect.set(RecordStore.prototype, 'put', put);
    }
    assertEach(problems, ({ detail }) => detail, [full.message]);
    const { history: next } = historyIn(folder);
    await next.read();
    assert.deepEqual(next.find('1')?.arguments, { count: 1 });
    await next.stop();
  });

  it('sets aside an invalid record, and shows all others', async () => {
    const folder = newFolder();
    const { history: before } = historyIn(folder);
    for (const id of ['torn', 'wrong', 'path', 'good']) before.keep(pastCall(id));
    await before.stop();
    const file = (id: string) => path.join(folder, 'calls', `${id}.json`);
    truncateSync(file('torn'), 40);
    const change = (id: string, from: string, to: string) =>
      writeFileSync(file(id), readFileSync(file(id), 'utf8').replace(from, to));
    change('wrong', '"outcome": "result"', '"outcome": "fine"');
    change('path', '"isExternal": false', '"isExternal": false, "path": "/../../etc/passwd"');
    const { history, problems } = historyIn(folder);
    await history.read();
    assert.deepEqual(idsOf(history), ['good']);
    assert.deepEqual(problems.map(({ code }) => code).toSorted(), [
      'notARecord',
      'notARecord',
      'notJson',
    ]);
    const names = readdirSync(path.join(folder, 'calls')).toSorted();
    assert.deepEqual(names, [
      'good.json',
      'path.json.corrupt-1',
      'torn.json.corrupt-1',
      'wrong.json.corrupt-1',
    ]);
  });

  it('says if an answer is invalid or missing', async () => {
    const folder = newFolder();
    const { history } = historyIn(folder);
    for (const id of ['torn', 'other', 'gone']) {
      history.keep(pastCall(id), { result: resultOf('x'.repeat(300_000)), pathOf });
    }
    await history.stop();
    const file = (id: string) => path.join(folder, 'answers', `${id}.ndjson`);
    truncateSync(file('torn'), 280_000);
    writeFileSync(file('other'), '["no answer"]');
    await history.remove(['gone']);
    for (const id of ['torn', 'other', 'gone']) {
      await assert.rejects(history.answerOf(pastCall(id)), Error, id);
    }
  });

  it('removes single calls and all of them, with their answers', async () => {
    const folder = newFolder();
    const { history } = historyIn(folder);
    for (const id of ['1', '2', '3']) history.keep(pastCall(id), { result: resultOf(id), pathOf });
    await history.stop();
    await history.remove(['2']);
    assert.deepEqual(filesIn(folder), [
      'answers/1.ndjson',
      'answers/3.ndjson',
      'calls/1.json',
      'calls/3.json',
    ]);
    writeFileSync(path.join(folder, 'calls', '3.json'), '{');
    await history.refresh();
    assert.ok(filesIn(folder).includes('calls/3.json.corrupt-1'));
    await history.clear();
    assert.deepEqual([idsOf(history), filesIn(folder)], [[], []]);
  });

  it('holds no more answers in memory than it may keep while a slow disk writes', async () => {
    const limits = () => ({ ...historyLimits, maxBytes: 4_000_000 });
    const { history } = historyIn(newFolder(), { limits });
    for (const id of ['1', '2', '3', '4', '5']) {
      history.keep(pastCall(id), { result: resultOf('x'.repeat(1_500_000)), pathOf });
    }
    const omitted = ['1', '2', '3', '4', '5'].map((id) => history.find(id)?.answer?.omitted);
    assert.deepEqual(omitted, [undefined, undefined, 'unwritable', 'unwritable', 'unwritable']);
    await history.stop();
  });

  it('does not restore a call that was removed while it was written', async () => {
    const folder = newFolder();
    const { history } = historyIn(folder);
    history.keep(pastCall('1'), { result: resultOf('x'.repeat(3_000_000)), pathOf });
    await history.remove(['1']);
    await history.stop();
    assert.deepEqual([idsOf(history), filesIn(folder)], [[], []]);
  });

  it('deletes unreferenced answers, once no window can still be writing them', async () => {
    const folder = newFolder();
    const { history: before } = historyIn(folder);
    before.keep(pastCall('1'), { result: resultOf('1'), pathOf });
    await before.stop();
    const answers = path.join(folder, 'answers');
    for (const name of ['old.ndjson', 'old.ndjson.7-ab.tmp', 'new.ndjson']) {
      writeFileSync(path.join(answers, name), '{}');
    }
    const longAgo = new Date(Date.now() - msPerDay);
    for (const name of ['old.ndjson', 'old.ndjson.7-ab.tmp', '1.ndjson']) {
      utimesSync(path.join(answers, name), longAgo, longAgo);
    }
    const { history } = historyIn(folder);
    await history.read();
    await history.stop();
    assert.deepEqual(filesIn(answers), ['1.ndjson', 'new.ndjson']);
  });

  it('deletes no answers of another window’s calls that it has not read yet', async () => {
    const folder = newFolder();
    const records = path.join(folder, 'calls');
    mkdirSync(records, { recursive: true });
    // While a record cannot be read, no answer counts as unreferenced.
    writeFileSync(path.join(records, 'a.json'), '{"version":2,"key":"a","record":{}}');
    const { history } = historyIn(folder);
    await history.read();
    await history.stop();
    await history.clear();
    const { history: other } = historyIn(folder);
    other.keep(pastCall('1'), { result: resultOf('1'), pathOf });
    await other.stop();
    const answer = path.join(folder, 'answers', '1.ndjson');
    const longAgo = new Date(Date.now() - msPerDay);
    utimesSync(answer, longAgo, longAgo);
    const { answer: _, ...unanswered } = pastCall('2');
    history.keep(unanswered);
    await history.stop();
    assert.deepEqual(filesIn(folder), ['answers/1.ndjson', 'calls/1.json', 'calls/2.json']);
  });
});

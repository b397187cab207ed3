import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import { answersUsedByAll } from '../../src/core/testing/runTests';
import { withValue } from '../../src/core/content/structuredAgreement';
import { textOf } from '../../src/core/content/textKind';
import { JsonAssembler } from '../../src/core/json/jsonAssembler';
import { exactJson } from '../../src/core/json/layOutJson';
import { parseToolResult } from '../../src/core/parse/parseResults';
import type { ToolResult } from '../../src/core/types';
import { CallAnswers, type RunAnswers } from '../../src/host/callFiles/callAnswers';
import { WindowFolder } from '../../src/host/results/resultSpool';
import { useFolders } from './testFolders';
import { assertEach } from '../assertions';

const mib = 1024 * 1024;
const answerOf = (name: string): ToolResult => ({
  content: [{ type: 'text', text: name.repeat(mib / name.length) }],
  isError: false,
});

describe('Answers for later calls', () => {
  const newFolder = useFolders('call-answers');
  let root: string;
  let errors: unknown[];

  function make(maxBytes: number): CallAnswers {
    root = newFolder();
    errors = [];
    const onError = (error: unknown) => errors.push(error);
    return new CallAnswers({ folder: new WindowFolder(root), maxBytes: () => maxBytes, onError });
  }

  /** What an answer that was kept begins with; nothing where it is gone. */
  async function beginningOf(answers: Pick<RunAnswers, 'get'>, name: string): Promise<string> {
    const [block] = (await answers.get(name))?.content ?? [];
    return block?.type === 'text' ? textOf(block.text).slice(0, name.length) : '';
  }

  async function filesOnDisk(): Promise<number> {
    const folders = await readdir(root).catch(() => []);
    const files = await Promise.all(folders.map((name) => readdir(path.join(root, name))));
    return files.flat().length;
  }

  it('are kept in a run only if a later call names them, within the budget, the rest on disk', async () => {
    const answers = make(8 * mib);
    const call = '"server": "s", "tool": "t"';
    const names = Array.from({ length: 60 }, (_, index) => `call${index}`);
    const wanted = names.filter((_, index) => index % 2 === 0);
    const taken = wanted.map((name) => `"${name}": "\${calls.${name}.content./0/text}"`);
    const { file } = readCallFile(
      `{ "calls": { ${names.map((name) => `"${name}": { ${call} }`).join(', ')},
        "last": { ${call}, "arguments": { ${taken.join(', ')} } } } }`,
    );
    const run = answers.ofRun(answersUsedByAll(file?.calls ?? []));
    for (const name of names) {
      await run.set(name, answerOf(name));
      assert.ok(answers.held.inMemory <= 9 * mib, `${answers.held.inMemory} bytes`);
    }
    assert.deepEqual(
      names.filter((name) => run.has(name)),
      wanted,
    );
    for (const name of wanted) assert.equal(await beginningOf(run, name), name);
    assert.ok(answers.held.inMemory <= 9 * mib);
    run.dispose();
    assert.deepEqual([answers.held, errors], [{ inMemory: 0, onDisk: 0 }, []]);
  });

  it('are restored from disk unchanged, including values of very many members', async () => {
    const answers = make(mib);
    const rows = Array.from({ length: 30_000 }, (_, id) => ({ id, name: `größe "${id}"` }));
    const wire = `{"result":{"content":[],"structuredContent":{"rows":${JSON.stringify(rows)},"exact":12345678901234567890.10}}}`;
    const assembler = new JsonAssembler({ maxBytes: 2 ** 27, maxValues: 500_000 });
    assembler.push(Buffer.from(wire));
    const result = parseToolResult(Reflect.get(Object(assembler.end()), 'result'));
    const whole = await withValue(result);
    await answers.set('many', whole, 'disk');
    await answers.set('another', answerOf('another'), 'disk');
    const { structuredContent } = (await answers.get('many')) ?? {};
    const [read, given] = [exactJson(structuredContent), exactJson(whole.structuredContent)];
    assert.ok(read !== undefined && read === given);
  });

  it('that no call names are dropped if there is no room, and no others', async () => {
    const answers = make(2 * mib);
    for (const name of ['a', 'b']) await answers.set(name, answerOf(name), 'memory');
    await answers.set('c', answerOf('c'), 'disk');
    await answers.set('d', answerOf('d'), 'memory');
    assertEach(['a', 'b', 'c', 'd'], (name) => answers.has(name), [false, false, true, true]);
    assert.equal(await beginningOf(answers, 'c'), 'c');
  });

  it('use at most 16 times as much disk as memory', async () => {
    const answers = make(mib / 2);
    const names = Array.from({ length: 20 }, (_, index) => `call${index}`);
    for (const name of names) await answers.set(name, answerOf(name), 'disk');
    assert.ok(answers.held.onDisk <= 8 * mib, `${answers.held.onDisk} bytes on disk`);
    assert.equal(await answers.get('call0'), undefined);
    assert.equal(await beginningOf(answers, 'call17'), 'call17');
  });

  it('leave no file if they are set, read and dropped at the same time', async () => {
    const answers = make(mib);
    const names = Array.from({ length: 8 }, (_, index) => `call${index}`);
    await Promise.all(
      [0, 1, 2].flatMap(() =>
        names.map(async (name) => {
          await answers.set(name, answerOf(name), 'disk');
          await answers.get(name);
        }),
      ),
    );
    for (const name of names) assert.equal(await beginningOf(answers, name), name);
    const writing = names.map((name) => answers.set(name, answerOf(`${name}!`), 'disk'));
    answers.dispose();
    await Promise.all(writing);
    assert.deepEqual([answers.held, errors], [{ inMemory: 0, onDisk: 0 }, []]);
    while ((await filesOnDisk()) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('keep the new answer of a call that is made again while the former one is written', async () => {
    const answers = make(mib);
    await answers.set('x', answerOf('former'), 'disk');
    const other = answers.set('y', answerOf('other'), 'disk');
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([other, answers.set('x', answerOf('newer'), 'disk')]);
    assert.equal(await beginningOf(answers, 'x'), 'n');
    assert.deepEqual(errors, []);
  });
});

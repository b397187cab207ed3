import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import { SchemaValidator } from '../../src/core/schema/schema';
import { runTests, type AttemptedCall, type TestRun } from '../../src/core/testing/runTests';
import type { ToolResult } from '../../src/core/types';

const text = (value: string): ToolResult => ({
  content: [{ type: 'text', text: value }],
  isError: false,
});
const answered = (value: string): AttemptedCall => ({
  kind: 'answered',
  answer: { result: text(value), annotations: {}, durationMs: 3 },
  callId: value,
});

/** `name status` of every call of this file, made by `makeCall`. */
async function run(
  calls: string,
  makeCall: TestRun['makeCall'],
  others: Partial<TestRun> & { readonly rest?: string } = {},
): Promise<string[]> {
  const { file, problems } = readCallFile(`{ "calls": ${calls} ${others.rest ?? ''} }`);
  assert.deepEqual(problems, []);
  const lines: string[] = [];
  for await (const each of runTests({
    calls: file?.calls ?? [],
    makeCall,
    validator: new SchemaValidator(),
    readText: () => Promise.resolve({ code: 'fileMissing' }),
    ...others,
  })) {
    const { status, failures, message, needs, unprepared, durationMs } = each;
    const why = [...failures.map(({ code }) => code), message, needs, unprepared]
      .filter(Boolean)
      .join(' ');
    lines.push(`${each.call.name} ${status} ${durationMs} ${why}`.trim());
  }
  return lines;
}

const call = '"server": "s", "tool": "t"';

describe('A run of a call file', () => {
  it('reports the outcome of each call, and continues after one that does not pass', async () => {
    const file = `{
      "good": { ${call}, "expect": { "values": { "/content/0/text": "good" } } },
      "bad": { ${call}, "expect": { "values": { "/content/0/text": "good" } } },
      "none": { ${call} },
      "broken": { ${call} },
      "last": { ${call} } }`;
    const lines = await run(file, ({ name }) => {
      if (name === 'none') return Promise.resolve({ kind: 'skipped', message: 'no rule' });
      if (name === 'broken') {
        return Promise.resolve({ kind: 'errored', message: 'gone', durationMs: 5 });
      }
      return Promise.resolve(answered(name));
    });
    assert.deepEqual(lines, [
      'good passed 3',
      'bad failed 3 value',
      'none skipped 0 no rule',
      'broken errored 5 gone',
      'last passed 3',
    ]);
  });

  it('skips calls with values from an answer that is missing', async () => {
    const taking = (name: string) =>
      `{ ${call}, "arguments": { "x": "\${calls.${name}.content./0/text}" } }`;
    const file = `{ "one": { ${call} }, "two": ${taking('one')}, "no": { ${call} }, "three": ${taking('no')}, "four": ${taking('three')} }`;
    const seen: string[] = [];
    const lines = await run(file, ({ name }) => {
      seen.push(name);
      return Promise.resolve(
        name === 'no' ? { kind: 'errored' as const, message: 'gone' } : answered(name),
      );
    });
    assert.deepEqual(seen, ['one', 'two', 'no']);
    assert.deepEqual(lines, [
      'one passed 3',
      'two passed 3',
      'no errored 0 gone',
      'three skipped 0 no',
      'four skipped 0 three',
    ]);
  });

  it('uses earlier answers, and ends when it is cancelled', async () => {
    const file = `{ "one": { ${call} }, "two": { ${call}, "arguments": { "x": "\${calls.one.content./0/text}" } } }`;
    const { file: parsed } = readCallFile(`{ "calls": ${file} }`);
    const only = parsed?.calls.slice(1) ?? [];
    const answers = new Map([['one', text('earlier')]]);
    const make: TestRun['makeCall'] = ({ name }) => Promise.resolve(answered(name));
    assert.deepEqual(await run(file, make, { calls: only, answers }), ['two passed 3']);
    assert.deepEqual(await run(file, make, { calls: only }), ['two skipped 0 one']);
    let asked = 0;
    assert.deepEqual(await run(file, make, { isCancelled: () => asked++ > 0 }), ['one passed 3']);
  });

  it('uses no earlier answer of a call that is part of the run and was not made', async () => {
    const file = `{ "one": { ${call} }, "two": { ${call}, "arguments": { "x": "\${calls.one.content./0/text}" } } }`;
    const rest = `, "before": { "open": { ${call} } }, "after": {
      "drop": { ${call}, "arguments": { "x": "\${calls.one.content./0/text}" } } }`;
    const answers = new Map([['one', text('earlier')]]);
    const failing =
      (failed: string): TestRun['makeCall'] =>
      ({ name }) =>
        Promise.resolve(name === failed ? { kind: 'errored', message: 'gone' } : answered(name));
    assert.deepEqual(await run(file, failing('open'), { rest, answers }), [
      'open errored 0 gone',
      'one skipped 0 open',
      'two skipped 0 open',
      'drop skipped 0 one',
    ]);
    let asked = 0;
    const cancelled = { rest, answers, isCancelled: () => asked++ > 0 };
    assert.deepEqual(await run(file, failing('none'), cancelled), [
      'open passed 3',
      'drop skipped 0 one',
    ]);
  });

  const phases = `, "before": { "open": { ${call} } }, "after": { "close": { ${call} },
    "drop": { ${call}, "arguments": { "x": "\${calls.one.content./0/text}" } } }`;
  const two = `{ "one": { ${call} }, "two": { ${call} } }`;

  it('makes before calls first and after calls last, whatever the outcome of the others', async () => {
    const make: TestRun['makeCall'] = ({ name }) =>
      Promise.resolve(name === 'two' ? { kind: 'errored', message: 'gone' } : answered(name));
    assert.deepEqual(await run(two, make, { rest: phases }), [
      'open passed 3',
      'one passed 3',
      'two errored 0 gone',
      'close passed 3',
      'drop passed 3',
    ]);
  });

  it('makes none of its calls if a before call did not pass, and cleans up anyway', async () => {
    const make: TestRun['makeCall'] = ({ name }) =>
      Promise.resolve(name === 'open' ? { kind: 'skipped', message: 'no rule' } : answered(name));
    assert.deepEqual(await run(two, make, { rest: phases }), [
      'open skipped 0 no rule',
      'one skipped 0 open',
      'two skipped 0 open',
      'close passed 3',
      'drop skipped 0 one',
    ]);
  });

  it('cleans up when it is cancelled, unless that was before its first call', async () => {
    let isCancelled = false;
    const cleanUps: boolean[] = [];
    const make: TestRun['makeCall'] = ({ name }, isCleanUp) => {
      cleanUps.push(isCleanUp);
      isCancelled ||= name === 'one';
      return Promise.resolve(answered(name));
    };
    const others = { rest: phases, isCancelled: () => isCancelled };
    const lines = await run(two, make, others);
    assert.deepEqual(
      lines.map((line) => line.split(' ')[0]),
      ['open', 'one', 'close', 'drop'],
    );
    assert.deepEqual(cleanUps, [false, false, true, true]);
    assert.deepEqual(await run(two, make, others), []);
  });

  it('keeps no answer of a finished call', async () => {
    // Each call pays for a collection of all that this process holds.
    const names = Array.from({ length: 8 }, (_, index) => `call${index}`);
    const file = `{ ${names.map((name) => `"${name}": { ${call} }`).join(', ')} }`;
    const given: WeakRef<ToolResult>[] = [];
    let held = 0;
    await run(file, async ({ name }) => {
      await collected();
      held = Math.max(held, given.filter((answer) => answer.deref() !== undefined).length);
      const made = answered(name);
      if (made.kind === 'answered') given.push(new WeakRef(made.answer.result));
      return made;
    });
    assert.ok(held <= 1, `${held} answers are held`);
  });

  it('report questions without secrets', async () => {
    const { file } = readCallFile('{ "server": "s", "tool": "t" }');
    const questions = [
      { code: 'answerMisfit', pointer: '', actual: 'Pay with key-1?', detail: '/key-1 is wrong' },
    ] as const;
    const redact = (said: string) => said.replaceAll('key-1', '(secret)');
    const makeCall = () => Promise.resolve({ ...answered('ok'), questions, redact });
    const results = runTests({
      calls: file?.calls ?? [],
      validator: new SchemaValidator(),
      readText: () => Promise.resolve({ code: 'fileMissing' }),
      makeCall,
    });
    for await (const { failures } of results) {
      assert.deepEqual(failures, [
        {
          code: 'answerMisfit',
          pointer: '',
          actual: 'Pay with (secret)?',
          detail: '/(secret) is wrong',
        },
      ]);
    }
  });
});

/** After what nobody holds is let go of: a WeakRef holds its target until the end of the turn. */
async function collected(): Promise<void> {
  await nextTurn();
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}

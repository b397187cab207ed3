import assert from 'node:assert/strict';
import { addCalls, namesOf, noCalls } from '../../src/core/callFiles/recordedValues';
import { freeName } from '../../src/core/nearestName';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import { busiestCount } from '../workCount';

const call = { server: 's', tool: 't', arguments: { a: 1 } };

describe('Adding calls to a call file', () => {
  it('appends to named calls, and keeps comments', () => {
    const text =
      '// Mine.\n{\n  "calls": {\n    "one": { "server": "s", "tool": "t" }, // kept\n  },\n}\n';
    const added = addCalls(text, [{ name: 'two', call }]) ?? '';
    assert.match(added, /^\/\/ Mine\.\n[^]*\/\/ kept/);
    const { file, problems } = readCallFile(added);
    assert.deepEqual(problems, []);
    const names = file?.calls.map(({ name }) => name);
    assert.deepEqual(names, ['one', 'two']);
  });

  it('gives the only call of a file a name, and keeps its comments, numbers and inputs', () => {
    const text =
      '{\n  "inputs": { "key": { "password": true } },\n  // Why.\n  "server": "s",\n  "tool": "pay",\n  "arguments": { "n": 12345678901234567890, "k": "${input:key}" }\n}\n';
    assert.deepEqual(namesOf(text), { calls: new Set(['pay']), inputs: new Set(['key']) });
    const inputs = { 'key-2': { password: true } };
    const added = addCalls(text, [{ name: 'again', call, inputs }]) ?? '';
    assert.match(added, /\/\/ Why\./);
    assert.match(added, /"n": 12345678901234567890/);
    const { file, problems } = readCallFile(added);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      file?.calls.map(({ name, target }) => [name, target.name]),
      [
        ['pay', 'pay'],
        ['again', 't'],
      ],
    );
    assert.deepEqual([...(file?.inputs.keys() ?? [])].toSorted(), ['key', 'key-2']);
  });

  it('writes several calls to a new file, each with its own name', () => {
    const names = new Set<string>();
    const added = ['t', 't', 't-2'].map((wanted) => {
      const name = freeName(wanted, names);
      names.add(name);
      return { name, call };
    });
    for (const empty of [noCalls, '', '{}']) {
      const { file } = readCallFile(addCalls(empty, added) ?? '');
      assert.deepEqual(
        file?.calls.map(({ name }) => name),
        ['t', 't-2', 't-2-2'],
      );
    }
  });

  it('adds nothing to a text that it cannot read, or beyond the maximum of calls', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`c${at}`, call]));
    for (const text of ['{', '[]', '{"calls": 1}', JSON.stringify({ calls: many })]) {
      assert.equal(addCalls(text, [{ name: 'x', call }]), undefined);
    }
  });

  it('adds many calls with one edit, in their order and with their inputs', async () => {
    const added = Array.from({ length: 400 }, (_, index) => ({
      name: `c${index}`,
      call,
      inputs: { [`i${index}`]: { password: true } },
    }));
    let text = '';
    const before =
      '{\n  // Mine.\n  "calls": {\n    "one": { "server": "s", "tool": "t" } // kept\n  }\n}\n';
    const count = await busiestCount(
      () => void (text = addCalls(before, added) ?? ''),
      /jsonc-parser.*(?:edit|main)\.js$/,
    );
    assert.ok(count < 100, `${count} times for ${added.length} calls`);
    assert.ok(text.startsWith('{\n  // Mine.\n'), text.slice(0, 50));
    assert.match(text, /\/\/ kept/);
    assert.match(text, /\n {4}"c399": \{\n {6}"server": "s",\n/);
    const { file, problems } = readCallFile(text);
    assert.deepEqual(problems, []);
    const names = file?.calls.map(({ name }) => name);
    assert.deepEqual(names, ['one', ...added.map(({ name }) => name)]);
    assert.equal(file?.inputs.size, 400);
  });
});

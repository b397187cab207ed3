import assert from 'node:assert/strict';
import {
  mergeConfigurations,
  keepServersIfBroken,
  parseMcpJson,
  parseServersSetting,
  type ParsedConfiguration,
} from '../../src/host/configuration/configuration';
import { configHash } from '../../src/host/configuration/configurationHash';
import type { ConfigSource } from '../../src/host/configuration/serverConfig';
import { file, inApp, inNoFolder, only, parse, setting, told } from './configurationCases';
import { assertEach } from '../assertions';

function inSetting(value: unknown): ParsedConfiguration {
  return parseServersSetting(value, setting, inNoFolder);
}

function hash(entry: object, name = 'a', source: ConfigSource = file): string {
  const text = JSON.stringify({ servers: { [name]: entry } });
  return configHash(only(parseMcpJson(text, source, inApp)));
}

describe('The setting toolgate.servers', () => {
  it('has the same entries, and problems without offsets', () => {
    const parsed = parseServersSetting(
      { a: { command: 'x' }, b: { command: ['x'] } },
      setting,
      inNoFolder,
    );
    assertEach(parsed.servers, ({ id, source }) => [id, source], [
      ['a', setting],
      ['b', setting],
    ]);
    assert.deepEqual(parsed.problems, [
      {
        code: 'wrongType',
        source: setting,
        path: ['b', 'command'],
        server: 'b',
        detail: 'string',
        fatal: true,
      },
    ]);
  });

  it('of any other type causes a problem or nothing, and never throws', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const codes = [undefined, null, {}, [], 'x', 5, cyclic, 5n].map((value) =>
      parseServersSetting(value, setting, inNoFolder).problems.map((problem) => problem.code),
    );
    const wrong = ['notAnObject'];
    assert.deepEqual(codes, [[], [], [], wrong, wrong, wrong, ['notJson'], ['notJson']]);
  });
});

describe('Merged configurations', () => {
  it('keep the first of equal names and report the other, without its own problems', () => {
    const merged = mergeConfigurations([
      parse('{"servers":{"a":{"command":"one"},"b":{"command":"two"}}}'),
      inSetting({ b: { command: '${input:x}' }, c: { command: 'three' } }),
    ]);
    assertEach(merged.servers, ({ id, source }) => [id, source.kind], [
      ['a', 'workspaceFile'],
      ['b', 'workspaceFile'],
      ['c', 'setting'],
    ]);
    assert.deepEqual(merged.problems, [
      { code: 'shadowed', source: setting, server: 'b', path: ['b'], fatal: false },
    ]);
  });

  it('are not affected by an invalid entry of the same name elsewhere', () => {
    const good = '{"servers":{"a":{"command":"one"}}}';
    const orders = [
      [parse(good), inSetting({ a: 5 })],
      [inSetting({ a: 5 }), parse(good)],
    ];
    for (const order of orders) {
      const merged = mergeConfigurations(order);
      assert.deepEqual(told(merged.problems), ['notAnObject a']);
    }
  });

  it('keep the servers of a file while it is invalid', () => {
    const before = parse('{"servers":{"a":{"command":"one","odd":1}}}');
    const now = keepServersIfBroken(parse('{"servers":{"a":'), before);
    assert.equal(now.servers, before.servers);
    assertEach(now.problems, (problem) => problem.code, ['notJson', 'unknownKey']);
    const after = keepServersIfBroken(parse('{}'), now);
    assert.deepEqual(after.servers, []);
  });
});

describe('The hash of a configuration', () => {
  const base = { command: 'x', args: ['1', '2'], env: { A: '1', B: '2' }, cwd: 'sub' };

  it('does not depend on the name, the place or the order of keys', () => {
    const reordered = { cwd: 'sub', env: { B: '2', A: '1' }, args: ['1', '2'], command: 'x' };
    assert.equal(hash(reordered, 'other', setting), hash(base));
    assert.match(hash(base), /^[0-9a-f]{64}$/);
  });

  it('changes with everything that affects what runs', () => {
    const variants = [
      base,
      { ...base, command: 'y' },
      { ...base, args: ['2', '1'] },
      { ...base, args: ['1 2'] },
      { ...base, env: { A: '1', B: '3' } },
      { ...base, env: { A: '1', C: '2' } },
      { ...base, env: { A: '1', B: null } },
      { ...base, env: { A: '1', B: 'null' } },
      { ...base, cwd: 'other' },
      { url: 'http://x' },
      { type: 'sse', url: 'http://x' },
      { url: 'http://x', headers: { A: '1' } },
      { url: 'http://x', headers: { A: '2' } },
    ];
    assert.equal(new Set(variants.map((entry) => hash(entry))).size, variants.length);
  });
});

import assert from 'node:assert/strict';
import type { Tool } from '../../src/core/types';
import { lastCallOfEachTool } from '../../src/host/history/pastCall';
import { briefArguments } from '../../src/ui/format/formatArguments';
import { pickableTools, recentTools, type PickableTool } from '../../src/ui/picking/pickableTools';
import { splitTypedCall, ToolSearch } from '../../src/ui/picking/toolSearch';
import { pastCall } from './pastCalls';
import { annotated, entryOf, serverOf, toolOf } from './treeFixtures';
import { assertEach } from '../assertions';

const stopped = { state: { kind: 'stopped' } } as const;

const names = (tools: readonly PickableTool[]): string[] =>
  tools.map(({ entry }) => entry.tool.name);

function found(tools: readonly Tool[], text: string): string[] {
  return names(new ToolSearch().find(pickableTools([serverOf('fs', tools)]), text));
}

describe('Searching tools', () => {
  it('finds exact names first, then beginnings, words, parts, and descriptions last', () => {
    const tools = [
      toolOf('about', { description: 'Tells how to write' }),
      toolOf('overwrite_all'),
      toolOf('read_write'),
      toolOf('write_file'),
      toolOf('write'),
    ];
    assert.deepEqual(found(tools, 'write'), [
      'write',
      'write_file',
      'read_write',
      'overwrite_all',
      'about',
    ]);
  });

  it('accepts words in any order, including the name of the server', () => {
    const tools = [toolOf('readFile'), toolOf('write_file', { title: 'Put a file' })];
    assert.deepEqual(found(tools, 'fs write'), ['write_file']);
    assert.deepEqual(found(tools, 'file write'), ['write_file']);
    assert.deepEqual(found(tools, 'FILE read'), ['readFile']);
    assert.deepEqual(found(tools, 'put'), ['write_file']);
    assert.deepEqual(found(tools, 'read write'), []);
  });

  it('finds a name by the first letters of its words', () => {
    assert.deepEqual(found([toolOf('read_text_file'), toolOf('art')], 'rtf'), ['read_text_file']);
  });

  it('finds a name in spite of a typing error if nothing else matches, even an incomplete name', () => {
    const tools = [toolOf('get_temperature'), toolOf('deleteEntities'), toolOf('art')];
    assert.deepEqual(found(tools, 'temprature'), ['get_temperature']);
    assert.deepEqual(found(tools, 'tempret'), ['get_temperature']);
    assert.deepEqual(found(tools, 'get tepmerature'), ['get_temperature']);
    assert.deepEqual(found(tools, 'delete entiteis'), ['deleteEntities']);
    assert.deepEqual(found(tools, 'fs delet'), ['deleteEntities']);
    assert.deepEqual(found(tools, 'weather'), []);
    assert.deepEqual(found(tools, 'xy'), []);
  });

  it('splits off the values that are typed behind the name', () => {
    const split = (text: string) => {
      const { query, values } = splitTypedCall(text);
      return [query.trim(), Object.fromEntries(values)];
    };
    assert.deepEqual(split('write file'), ['write file', {}]);
    assert.deepEqual(split('write text="a b=c" count=2'), ['write', { text: 'a b=c', count: '2' }]);
    assert.deepEqual(split("book to='Os lo' a.city=x"), ['book', { to: 'Os lo', 'a.city': 'x' }]);
    assert.deepEqual(split('write text="not yet'), ['write', { text: '"not' }]);
  });

  it('sorts equal matches by the last call, and nothing else', () => {
    const tools = [toolOf('write_a'), toolOf('write_b'), toolOf('rewrite')];
    const calls = [
      pastCall('1', { server: 'fs', tool: 'rewrite', endedAt: 3 }),
      pastCall('2', { server: 'fs', tool: 'write_b', endedAt: 2 }),
    ];
    const pickable = pickableTools([serverOf('fs', tools)], { calls });
    assert.deepEqual(names(new ToolSearch().find(pickable, 'write')), [
      'write_b',
      'write_a',
      'rewrite',
    ]);
  });

  it('reads a long list in turns before the first letter, while the picker is open', async () => {
    const tools = Array.from({ length: 20_000 }, (_, n) => toolOf(`readFile_${n}`));
    const pickable = pickableTools([serverOf('fs', tools)]);
    const search = new ToolSearch();
    let turns = 0;
    const count = (): void => {
      turns += 1;
      if (turns > 0 && turns < 100_000) setImmediate(count);
    };
    setImmediate(count);
    await search.prepare(pickable, () => true);
    assert.ok(turns > 0);
    const read = names(search.find(pickable, 'read 1999'));
    assert.deepEqual(read, names(new ToolSearch().find(pickable, 'read 1999')));
    assert.equal(read.length, 12);
    let asked = 0;
    await search.prepare(pickable, () => ++asked < 3);
    assert.equal(asked, 3);
    turns = -1;
  });

  it('searches the beginning of very long texts, also of typed ones', () => {
    const long = 'x'.repeat(1_000_000);
    assert.deepEqual(found([toolOf(long, { description: long })], `x${'-'.repeat(500_000)}`), [
      long,
    ]);
    assert.deepEqual(found([toolOf('a', { description: `${long}end` })], 'end'), []);
  });
});

describe('The tools in the picker', () => {
  it('are those of running servers, and the last known ones of the others', () => {
    const gone = entryOf('b', annotated('gone', { readOnlyHint: true }));
    const off = { ...entryOf('b', toolOf('off')), isDisabled: true };
    const servers = [
      serverOf('a', [toolOf('now')]),
      serverOf('b', [], stopped),
      serverOf('c', [], { ...stopped, isDisabled: true }),
    ];
    const pickable = pickableTools(servers, { lastKnown: () => [gone, off] });
    assertEach(pickable, ({ entry, isLastKnown }) => [entry.tool.name, isLastKnown], [
      ['now', false],
      ['gone', true],
    ]);
  });

  it('that were called are sorted by their last sent call, the newest first', () => {
    const { sentAt: _, ...unsent } = pastCall('4', { server: 'a', tool: 'two', endedAt: 9 });
    const calls = lastCallOfEachTool([
      pastCall('1', { server: 'a', tool: 'one', endedAt: 1, arguments: { n: 1 } }),
      pastCall('2', { server: 'a', tool: 'two', endedAt: 2, arguments: { n: 2 } }),
      pastCall('3', { server: 'a', tool: 'one', endedAt: 3, arguments: { n: 3 } }),
      pastCall('5', { server: 'other', tool: 'two', endedAt: 5 }),
      unsent,
    ]);
    const tools = pickableTools([serverOf('a', [toolOf('two'), toolOf('one'), toolOf('x')])], {
      calls,
    });
    assert.deepEqual(
      recentTools(tools).map(({ entry, lastCall }) => [entry.tool.name, lastCall?.arguments]),
      [
        ['one', { n: 3 }],
        ['two', { n: 2 }],
      ],
    );
  });
});

describe('Arguments on one line', () => {
  it('show name and value, shortened, whatever they contain', () => {
    const text = briefArguments(
      { path: 'a.txt', n: 3, ok: null, list: [1, 'b', [2, [3]]], of: { x: { y: {} } }, no: [] },
      200,
    );
    assert.equal(
      text,
      'path: "a.txt", n: 3, ok: null, list: [1, "b", [2, […]]], of: {x: {y: {}}}, no: []',
    );
  });

  it('show a placeholder for a secret, hide no character, and are bounded', () => {
    assert.equal(briefArguments({ token: '(secret)' }, 99), 'token: (secret)');
    assert.equal(briefArguments({ a: 'x\u202Ey\nz' }, 99), 'a: "x\\u{202E}y\\nz"');
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`key${n}`, [[[n]]]]));
    assert.equal(briefArguments(wide, 50).length, 50);
    assert.equal(briefArguments({ long: 'x'.repeat(9_999) }, 120).length, 48);
  });
});

import assert from 'node:assert/strict';
import { safeCall } from './corpus/look';
import { readPackages } from './corpus/packages';
import { shortcomings } from './corpus/table';

describe('The corpus of real servers', () => {
  const packages = readPackages();

  it('has at least forty packages, and no program twice', () => {
    const names = packages.map(({ package: name }) => name);
    assert.ok(new Set(names).size >= 40, `${names.length}`);
    const programs = packages.map(({ package: name, bin = '' }) => `${name} ${bin}`);
    assert.equal(new Set(programs).size, packages.length);
  });

  it('names nothing that is not read', () => {
    const keys = new Set(packages.flatMap((one) => Object.keys(one)));
    assert.deepEqual([...keys].toSorted(), ['args', 'bin', 'env', 'package']);
  });

  it('calls only tools that declare to be read-only, and otherwise a missing one', () => {
    const read = { annotations: { readOnlyHint: true }, inputSchema: {} };
    const needs = { ...read, inputSchema: { required: ['path'] } };
    const writes = { name: 'write', inputSchema: {} };
    assert.deepEqual(safeCall([writes, { name: 'get', ...needs }, { name: 'list', ...read }]), {
      tool: 'list',
      isValid: true,
    });
    assert.deepEqual(safeCall([writes, { name: 'get', ...needs }]), {
      tool: 'get',
      isValid: false,
    });
    assert.deepEqual(safeCall([writes]), { tool: 'toolgate_no_such_tool', isValid: false });
  });

  it('says where an SDK does what Toolgate does not, and which processes Toolgate leaves', () => {
    const call = { tool: 'list', outcome: 'result' as const };
    const fine = { started: true, tools: 2, unusable: 0, call, ms: 1, leftOver: 0 };
    const row = (...[us, ...others]: readonly object[]) => ({
      name: 'a',
      version: '1',
      looks: [
        { client: 'us' as const, ...fine, ...us },
        ...others.map((one) => ({ client: 'SDK 1' as const, ...fine, ...one })),
      ],
    });
    const said = [
      row({}, {}),
      row(
        { started: false, tools: undefined, call: undefined },
        { tools: undefined, call: undefined },
      ),
      row({ started: false, call: undefined }, {}),
      row({ unusable: 1 }, {}),
      row({ call: { ...call, outcome: 'no answer' } }, {}),
      row({ leftOver: 1 }, { leftOver: 1 }),
    ].map((one) => shortcomings([one]));
    assert.deepEqual(said, [
      [],
      [],
      ['a: does not start', 'a: no result'],
      ['a: 1 usable tools of 2'],
      ['a: no result'],
      ['a: left 1 processes'],
    ]);
  });
});

import assert from 'node:assert/strict';
import path from 'node:path';
import { FilterProcess } from '../../src/core/stdio/filterProcess';
import { projectFolder } from '../vscode/paths';

const program = path.join(projectFolder, 'dist', 'filterJson.js');
const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `plant ${id}` }));
const document = Buffer.from(JSON.stringify({ rows }));

describe('The process that filters JSON', () => {
  let filters: FilterProcess | undefined;
  const start = (limits?: ConstructorParameters<typeof FilterProcess>[2]) =>
    (filters = new FilterProcess(program, () => document, limits));
  afterEach(() => filters?.dispose());

  it('returns what a filter selects, only if it is asked for', async () => {
    const running = start();
    const answer = await running.filter('rows[?id == `7`]', true);
    assert.ok(answer.kind === 'selected');
    assert.deepEqual(JSON.parse(Buffer.from(answer.bytes ?? []).toString()), [rows[7]]);
    const summary = { kind: 'list', count: 20_000 };
    assert.deepEqual(await running.filter('rows', false), { kind: 'selected', summary });
    assert.deepEqual(await running.filter('rows[', false), { kind: 'incomplete' });
  });

  it('ends a filter after its time, and takes the next one', async () => {
    const running = start({ ms: 3_000, heapMb: 512 });
    const endless = 'rows[?length($.rows[?name == `"x"`]) > `0`]';
    assert.deepEqual(await running.filter(endless, false), { kind: 'time' });
    assert.equal((await running.filter('/rows/1', false)).kind, 'selected');
  });

  it('is started again after a filter that took all of its memory', async () => {
    const running = start({ ms: 60_000, heapMb: 48 });
    const large = "replace('a', 'b', 'c', `4000000000`)";
    assert.deepEqual(await running.filter(large, false), { kind: 'memory' });
    assert.equal((await running.filter('/rows/1', false)).kind, 'selected');
  });

  it('selects nothing of a document that is not JSON', async () => {
    filters = new FilterProcess(program, () => Buffer.from('{"rows":'));
    assert.deepEqual(await filters.filter('rows', true), { kind: 'notJson' });
  });
});

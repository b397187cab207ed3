import assert from 'node:assert/strict';
import { textOf } from '../../src/core/content/textKind';
import { filesIn, historyIn, idsOf, pastCall, resultOf } from './pastCalls';
import { useFolders } from './testFolders';
import { useWindows } from './windowProcess';
import { assertNone } from '../assertions';

describe('The history of several windows', () => {
  const newFolder = useFolders('history');
  const openWindow = useWindows();

  it('contains every call that was reported as stored, even if windows are killed while writing', async () => {
    const folder = newFolder();
    const windows = ['red', 'green'].map((name) => openWindow('historyWindow.ts', [folder, name]));
    await Promise.all(windows.map(({ hasSaid }) => hasSaid(20)));
    for (const { child } of windows) child.kill('SIGKILL');
    await Promise.all(windows.map(({ closed }) => closed));

    const { history, problems } = historyIn(folder);
    await history.read();
    const ids = new Set(idsOf(history));
    const said = windows.flatMap((window) => window.said);
    assert.ok(said.length >= 40);
    assertNone(said, (id) => !ids.has(id));
    for (const call of history.calls) {
      const { callId } = call;
      const [block] = (await history.answerOf(call)).content;
      assert.ok(block?.type === 'text');
      assert.equal(textOf(block.text), `${callId} `.repeat(40_000));
      assert.equal(call.answer?.path, `/shop/calls/${callId}`);
    }
    assert.deepEqual(problems, []);
  });

  it('is the same in all of them, and cleared in all when it is cleared in one', async () => {
    const folder = newFolder();
    const { history } = historyIn(folder);
    const other = openWindow('historyWindow.ts', [folder, 'other', '2', 'stays']);
    for (const id of ['mine-0', 'mine-1']) {
      history.keep(pastCall(id), { result: resultOf(id), pathOf: () => undefined });
    }
    await Promise.all([history.stop(), other.hasSaid(2)]);
    await history.refresh();
    const all = ['mine-0', 'mine-1', 'other-0', 'other-1'];
    assert.deepEqual(idsOf(history).toSorted(), all);
    assert.equal(await other.notify('look'), `${all.join()} | `);

    await history.remove(['other-0']);
    assert.equal(await other.notify('look'), 'mine-0,mine-1,other-1 | other-0');
    await history.clear();
    assert.equal(await other.notify('look'), ' | other-0,other-1');
    assert.deepEqual(filesIn(folder), []);
    await other.end();
  });

  it('has each call with its answer, or neither, if it is cleared while another window writes', async () => {
    const folder = newFolder();
    const { history, problems } = historyIn(folder);
    const other = openWindow('historyWindow.ts', [folder, 'other', 'Infinity', 'stays']);
    for (let cleared = 1; cleared <= 15; cleared += 1) {
      await other.hasSaid(cleared * 2);
      await history.clear();
    }
    await other.end();
    await history.refresh();
    const { calls } = history;
    for (const call of calls) assert.ok(await history.answerOf(call), call.callId);
    const answers = filesIn(folder).filter((file) => file.startsWith('answers'));
    assert.equal(answers.length, calls.length);
    assert.deepEqual([problems, other.said.filter((line) => line.startsWith('problem'))], [[], []]);
  });
});

import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { GrantWish } from '../../src/host/consent/grants/grant';
import { ModalConfirm, type ModalConfirmOptions, type Press } from '../../src/ui/calls/confirm';
import type { ReviewPress } from '../../src/ui/calls/confirmReview';
import { toolOf } from '../host/treeFixtures';
import { questionOf } from '../ui-node/callQuestions';

const noToken = new CancellationTokenSource().token;

describe('The modal', () => {
  const wish: GrantWish = { scope: 'tool', duration: 'session' };
  const question = questionOf(toolOf('echo'), {}, { offered: [wish] });

  /** Presses one after the other, and notes which buttons there were. */
  function pressing(
    presses: readonly (Press | undefined)[],
    more: Partial<ModalConfirmOptions> = {},
  ): { readonly confirm: ModalConfirm; readonly buttons: (readonly Press[])[] } {
    const left = [...presses];
    const buttons: (readonly Press[])[] = [];
    let time = 0;
    const confirm = new ModalConfirm({
      reviews: { review: () => Promise.resolve(undefined) },
      askForWish: () => Promise.resolve(wish),
      showModal: async (_message, _detail, shown) => {
        buttons.push(shown);
        return left.shift();
      },
      tell: () => undefined,
      // A second goes by with every look at the clock.
      now: () => (time += 1_000),
      ...more,
    });
    confirm.editArgumentsBy(() => Promise.resolve({ message: 'other' }));
    return { confirm, buttons };
  }
  const answered = (
    presses: readonly (Press | undefined)[],
    more: Partial<ModalConfirmOptions> = {},
  ) => pressing(presses, more).confirm.confirm(question, noToken);
  const reviewed = (press: ReviewPress | undefined): Partial<ModalConfirmOptions> => ({
    reviews: { review: () => Promise.resolve(press) },
  });

  it('means no unless a button that says Run was pressed', async () => {
    assert.deepEqual(
      [
        await answered(['run']),
        await answered([undefined]),
        await answered(['review']),
        await answered(['review'], reviewed('run')),
        await answered(['remember']),
        await answered(['review'], reviewed('remember')),
        await answered(['review'], reviewed('edit')),
      ],
      [
        { kind: 'run' },
        { kind: 'no' },
        { kind: 'no' },
        { kind: 'run' },
        { kind: 'run', remember: wish },
        { kind: 'run', remember: wish },
        { kind: 'edited', arguments: { message: 'other' } },
      ],
    );
  });

  it('comes back when the person goes back from what it led to', async () => {
    const { confirm, buttons } = pressing(['remember', 'review', undefined], {
      ...reviewed('edit'),
      askForWish: () => Promise.resolve(undefined),
    });
    confirm.editArgumentsBy(() => Promise.resolve(undefined));
    assert.deepEqual(await confirm.confirm(question, noToken), { kind: 'no' });
    assert.equal(buttons.length, 3);
  });

  it('lets Enter run nothing that may destroy, and offers to remember only what can be', async () => {
    const safe = toolOf('look', { annotations: { readOnlyHint: true } });
    const shown = [];
    for (const each of [
      question,
      questionOf(toolOf('echo')),
      questionOf(safe, {}, { offered: [wish] }),
    ]) {
      const { confirm, buttons } = pressing([undefined]);
      await confirm.confirm(each, noToken);
      shown.push(buttons[0]);
    }
    assert.deepEqual(shown, [
      ['review', 'run', 'remember'],
      ['review', 'run'],
      ['run', 'remember', 'review'],
    ]);
  });

  it('lets Enter run nothing of which not all can be seen', async () => {
    const safe = toolOf('look', { annotations: { readOnlyHint: true } });
    const { confirm, buttons } = pressing([undefined]);
    await confirm.confirm(questionOf(safe, { text: 'y'.repeat(9_000) }), noToken);
    assert.deepEqual(buttons[0], ['review', 'run']);
  });

  it('asks again where a button was pressed before anybody could have read it', async () => {
    let time = 0;
    const after = [499, 0, 100, 500];
    const presses: (Press | undefined)[] = ['run', 'review', 'remember', 'run'];
    let shown = 0;
    const { confirm } = pressing([], {
      now: () => time,
      showModal: () => {
        time += after[shown] ?? 0;
        return Promise.resolve(presses[shown++]);
      },
    });
    assert.deepEqual(await confirm.confirm(question, noToken), { kind: 'run' });
    assert.equal(shown, 4);
  });

  it('means no at once when it is closed, however soon', async () => {
    const { confirm, buttons } = pressing([undefined, 'run'], { now: () => 0 });
    assert.deepEqual(await confirm.confirm(question, noToken), { kind: 'no' });
    assert.equal(buttons.length, 1);
  });

  it('offers a rule where there is one, runs once it is saved, and else comes back', async () => {
    const saved = [false, true];
    const allowAlways = {
      offers: () => Promise.resolve(true),
      choose: () => Promise.resolve(saved.shift() === true),
    };
    const { confirm, buttons } = pressing(['always', 'review'], {
      ...reviewed('always'),
      allowAlways,
    });
    assert.deepEqual(await confirm.confirm(question, noToken), { kind: 'run' });
    assert.deepEqual(buttons, [
      ['review', 'run', 'remember', 'always'],
      ['review', 'run', 'remember', 'always'],
    ]);
  });

  it('asks one question at a time, in order, and goes on after one that failed', async () => {
    const shown: string[] = [];
    const answers: ((answer: Press | Error) => void)[] = [];
    const { confirm } = pressing([], {
      showModal: (message) => {
        shown.push(message);
        return new Promise((resolve, reject) => {
          answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
        });
      },
    });
    const first = confirm.confirm(questionOf(toolOf('first')), noToken);
    const second = confirm.confirm(questionOf(toolOf('second')), noToken);
    await Promise.resolve();
    assert.deepEqual(shown, ['Run “first” on “shop”?']);
    answers[0]?.(new Error('no dialogs here'));
    await assert.rejects(first, /no dialogs here/);
    await new Promise(setImmediate);
    assert.deepEqual(shown, ['Run “first” on “shop”?', 'Run “second” on “shop”?']);
    answers[1]?.('run');
    assert.deepEqual(await second, { kind: 'run' });
  });

  it('is not shown for a call that was cancelled before its turn, and then means no', async () => {
    let shown = 0;
    const source = new CancellationTokenSource();
    const { confirm } = pressing([], {
      showModal: () => {
        shown += 1;
        source.cancel();
        return Promise.resolve('run');
      },
    });
    const first = confirm.confirm(question, source.token);
    const second = confirm.confirm(question, source.token);
    assert.deepEqual([await first, await second, shown], [{ kind: 'no' }, { kind: 'no' }, 1]);
  });
});

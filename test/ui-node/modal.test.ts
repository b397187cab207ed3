import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { CallQuestion } from '../../src/host/calls/call';
import type { GrantChoice } from '../../src/host/consent/grants/grant';
import {
  ModalConfirm,
  type ModalConfirmOptions,
  type PressedButton,
  type QuestionDialog,
} from '../../src/ui/calls/confirm';
import type { ReviewButton } from '../../src/ui/calls/confirmReview';
import { toolOf } from '../host/treeFixtures';
import { questionOf } from '../ui-node/callQuestions';

const noToken = new CancellationTokenSource().token;

describe('The dialog before a call', () => {
  const grant: GrantChoice = { scope: 'tool', duration: 'session' };
  const safe = toolOf('look', { annotations: { readOnlyHint: true, openWorldHint: false } });
  const question = questionOf(safe, {}, { offered: [grant] });
  const risky = questionOf(toolOf('echo'), {}, { offered: [grant] });

  /** Presses one after the other, and notes which buttons there were. */
  function pressing(
    presses: readonly (PressedButton | undefined)[],
    more: Partial<ModalConfirmOptions> = {},
  ): { readonly confirm: ModalConfirm; readonly shown: QuestionDialog[] } {
    const left = [...presses];
    const shown: QuestionDialog[] = [];
    let time = 0;
    const confirm = new ModalConfirm({
      reviews: { review: () => Promise.resolve(undefined) },
      askWhatToAllow: () => Promise.resolve({ kind: 'grant', grant }),
      showModal: async (dialog) => {
        shown.push(dialog);
        return left.shift();
      },
      notify: () => undefined,
      // A second goes by with every look at the clock.
      now: () => (time += 1_000),
      ...more,
    });
    confirm.editArgumentsBy(() => Promise.resolve({ message: 'other' }));
    return { confirm, shown };
  }
  const answered = (
    presses: readonly (PressedButton | undefined)[],
    more: Partial<ModalConfirmOptions> = {},
  ) => pressing(presses, more).confirm.confirm(question, noToken);
  const reviewed = (press: ReviewButton | undefined): Partial<ModalConfirmOptions> => ({
    reviews: { review: () => Promise.resolve(press) },
  });

  it('means no unless a button that says Run was clicked', async () => {
    assert.deepEqual(
      [
        await answered(['run']),
        await answered([undefined]),
        await answered(['review']),
        await answered(['review'], reviewed('run')),
        await answered(['allow']),
        await answered(['review'], reviewed('allow')),
        await answered(['review'], reviewed('edit')),
      ],
      [
        { kind: 'run' },
        { kind: 'no' },
        { kind: 'no' },
        { kind: 'run' },
        { kind: 'run', remember: grant },
        { kind: 'run', remember: grant },
        { kind: 'edited', arguments: { message: 'other' } },
      ],
    );
  });

  it('is shown again when the user goes back from its next step', async () => {
    const { confirm, shown } = pressing(['allow', 'review', undefined], {
      ...reviewed('edit'),
      askWhatToAllow: () => Promise.resolve(undefined),
    });
    confirm.editArgumentsBy(() => Promise.resolve(undefined));
    assert.deepEqual(await confirm.confirm(question, noToken), { kind: 'no' });
    assert.equal(shown.length, 3);
  });

  it('runs once a rule is saved', async () => {
    const { confirm } = pressing(['allow'], {
      askWhatToAllow: () => Promise.resolve({ kind: 'ruleSaved' }),
    });
    assert.deepEqual(await confirm.confirm(question, noToken), { kind: 'run' });
  });

  const large = questionOf(safe, { text: 'y'.repeat(9_000) }, { offered: [grant] });
  const ofAgent = questionOf(safe, {}, { offered: [grant], origin: 'agent', client: 'robot' });
  const cases = { question, risky, large, ofAgent };

  it('has the same buttons in the same order, whatever the risk', async () => {
    for (const each of Object.values(cases)) {
      const { confirm, shown } = pressing([undefined]);
      await confirm.confirm(each, noToken);
      assert.deepEqual(shown[0]?.buttons, ['run', 'review', 'allow']);
    }
    const { confirm, shown } = pressing([undefined]);
    await confirm.confirm({ ...question, offered: [] }, noToken);
    assert.deepEqual(shown[0]?.buttons, ['run', 'review']);
  });

  it('warns only if there is something to warn of', async () => {
    const warned: string[] = [];
    for (const [name, each] of Object.entries(cases)) {
      const { confirm, shown } = pressing([undefined]);
      await confirm.confirm(each, noToken);
      if (shown[0]?.isWarning === true) warned.push(name);
    }
    assert.deepEqual(warned, ['risky', 'ofAgent']);
  });

  it('runs no destructive, incomplete or agent’s call, however often Enter is pressed', async () => {
    const enters = async (each: CallQuestion): Promise<readonly [string, readonly string[]]> => {
      const seen: string[] = [];
      const { confirm } = pressing([], {
        ...reviewed(undefined),
        showModal: async ({ message, buttons }) => {
          seen.push(message);
          return buttons[0];
        },
      });
      return [(await confirm.confirm(each, noToken)).kind, seen];
    };
    const first = 'Run “look” on “shop”?';
    const really = 'Really run “look” on “shop”?';
    assert.deepEqual(await enters(question), ['run', [first]]);
    assert.deepEqual(await enters(large), ['no', [first, really]]);
    assert.deepEqual(await enters(ofAgent), [
      'no',
      ['Agent “robot” wants to run “look” on “shop”', really],
    ]);
    const echo = ['Run “echo” on “shop”?', 'Really run “echo” on “shop”?'];
    assert.deepEqual(await enters(risky), ['no', echo]);
  });

  it('runs those after a second answer, which says why it is needed', async () => {
    for (const [each, reason] of [
      [risky, /May delete or overwrite \(assumed/],
      [large, /Some details did not fit/],
      [ofAgent, /An agent asks for this call/],
    ] as const) {
      const { confirm, shown } = pressing(['run', 'run']);
      assert.deepEqual(await confirm.confirm(each, noToken), { kind: 'run' });
      assert.deepEqual(shown[1]?.buttons, ['review', 'run']);
      assert.match(shown[1]?.detail ?? '', reason);
    }
    const { confirm } = pressing(['run', undefined]);
    assert.deepEqual(await confirm.confirm(risky, noToken), { kind: 'no' });
  });

  it('says that a key was ignored because it came too early', async () => {
    let time = 0;
    const after = [499, 0, 500, 100, 500];
    const presses: (PressedButton | undefined)[] = ['run', 'review', 'run', 'run', 'run'];
    const said: boolean[] = [];
    const { confirm } = pressing([], {
      now: () => time,
      showModal: ({ detail }) => {
        said.push(
          detail.startsWith('A key press was ignored because it came before you could read this.'),
        );
        time += after[said.length - 1] ?? 0;
        return Promise.resolve(presses[said.length - 1]);
      },
    });
    assert.deepEqual(await confirm.confirm(risky, noToken), { kind: 'run' });
    assert.deepEqual(said, [false, true, true, false, true]);
  });

  it('means no at once when it is closed, however soon', async () => {
    const { confirm, shown } = pressing([undefined, 'run'], { now: () => 0 });
    assert.deepEqual(await confirm.confirm(question, noToken), { kind: 'no' });
    assert.equal(shown.length, 1);
  });

  it('asks one question at a time, in order, and continues after one that failed', async () => {
    const shown: string[] = [];
    const answers: ((answer: PressedButton | Error) => void)[] = [];
    const { confirm } = pressing([], {
      showModal: ({ message }) => {
        shown.push(message);
        return new Promise((resolve, reject) => {
          answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
        });
      },
    });
    const first = confirm.confirm(questionOf({ ...safe, name: 'first' }), noToken);
    const second = confirm.confirm(questionOf({ ...safe, name: 'second' }), noToken);
    await Promise.resolve();
    assert.deepEqual(shown, ['Run “first” on “shop”?']);
    answers[0]?.(new Error('no dialogs here'));
    await assert.rejects(first, /no dialogs here/);
    await new Promise(setImmediate);
    assert.deepEqual(shown, ['Run “first” on “shop”?', 'Run “second” on “shop”?']);
    answers[1]?.('run');
    assert.deepEqual(await second, { kind: 'run' });
  });

  it('is not shown for a call that was cancelled while it waited, and then means no', async () => {
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

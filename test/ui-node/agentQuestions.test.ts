import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { CallAnswer, CallQuestion } from '../../src/host/calls/call';
import { decide } from '../../src/host/consent/consent';
import { settings } from '../../src/ids';
import { callsOfAgents } from '../../src/ui/callFiles/callPreviews';
import { canBeApprovedTogether, runAllText } from '../../src/ui/callFiles/runAllText';
import {
  ModalConfirm,
  type ModalConfirmOptions,
  type PressedButton,
  PendingQuestion,
} from '../../src/ui/calls/confirm';
import { changedRules, withRuleChange } from '../../src/ui/consent/rules/ruleTexts';
import { agentRuleEffect } from '../../src/host/agents/agentToolRule';
import { annotated, entryOf, serverOf } from '../host/treeFixtures';

const key = `${settings.section}.${settings.rules}`;
const decision = decide({ rules: [], suspended: [], pin: { kind: 'known' } });
const noToken = new CancellationTokenSource().token;
const safe = { readOnlyHint: true, openWorldHint: false };

function questionOf(n: number, more: Partial<CallQuestion> = {}): CallQuestion {
  return {
    config: serverOf('shop', []).config,
    entry: entryOf('shop', annotated('look', safe)),
    arguments: { n },
    argumentsJson: JSON.stringify({ n }),
    origin: 'agent',
    client: 'robot',
    decision,
    offered: [],
    ...more,
  };
}

describe('Rules that replace others', () => {
  const mine = { server: 'shop', tool: 'look' };
  const replaces = (rule: unknown): boolean => agentRuleEffect(rule, mine) !== undefined;
  const written = { effect: 'deny', origin: 'agent', ...mine };

  it('are written in the same place, keep comments, and leave other rules unchanged', () => {
    const text = `{
  "${key}": [
    // Nobody deletes.
    { "effect": "deny", "risk": "destructive" },
    { "effect": "ask", "origin": "agent", "server": "shop", "tool": "look" },
    // Not mine.
    { "effect": "ask", "origin": "agent", "server": "shop", "tool": "sell" }
  ]
}`;
    const after = withRuleChange(text, { rule: written, replaces }) ?? '';
    assert.match(after, /Nobody deletes[^]*"deny"[^]*"tool": "look"[^]*Not mine[^]*"sell"/);
    assert.ok(!/"ask"[^}]*"look"/.test(after));
    const gone = withRuleChange(text, { replaces }) ?? '';
    assert.ok(!gone.includes('"look"') && gone.includes('Not mine'));
    assert.equal(withRuleChange(text, { replaces: () => false }), text);
    assert.equal(withRuleChange('[', { rule: written, replaces }), undefined);
  });

  it('become one if there were several', () => {
    const before = [written, 1, { ...written, effect: 'ask' }];
    assert.deepEqual(changedRules(before, { rule: written, replaces }), [written, 1]);
    assert.deepEqual(changedRules([1], { rule: written, replaces }), [1, written]);
    const text = JSON.stringify({ [key]: before });
    const after = withRuleChange(text, { rule: written, replaces }) ?? '';
    assert.deepEqual(JSON.parse(after)[key], [written, 1]);
  });
});

describe('Questions of several agents', () => {
  type Lists = NonNullable<ModalConfirmOptions['lists']>;
  const told: string[] = [];
  const made = (
    askTogether: Lists['askTogether'],
    press: (
      buttons: readonly PressedButton[],
      message: string,
    ) => Promise<PressedButton | undefined>,
  ): ModalConfirm => {
    let time = 0;
    return new ModalConfirm({
      reviews: { review: async () => undefined },
      askWhatToAllow: async () => undefined,
      notify: (sentence) => told.push(sentence),
      lists: { askTogether },
      showModal: ({ message, buttons }) => press(buttons, message),
      now: () => (time += 10_000),
    });
  };
  const kinds = async (answers: readonly Promise<CallAnswer>[]): Promise<readonly string[]> =>
    (await Promise.all(answers)).map(({ kind }) => kind);

  it('are answered in one list, and unchecked ones are asked one by one', async () => {
    const listed: unknown[] = [];
    const shown: string[] = [];
    const confirm = made(
      async (questions) => {
        listed.push(...questions.map((each) => each.arguments?.['n']));
        return new Set([0, 2]);
      },
      async (buttons) => {
        shown.push(buttons.join());
        return buttons.includes('together') ? 'together' : undefined;
      },
    );
    const person = questionOf(9, { origin: 'tree' });
    const answers = [1, 2, 3].map((n) => confirm.confirm(questionOf(n), noToken));
    const own = confirm.confirm(person, noToken);
    assert.deepEqual(await kinds(answers), ['run', 'no', 'run']);
    assert.equal((await own).kind, 'no');
    assert.deepEqual(listed, [1, 2, 3]);
    // The second is the only one of an agent by then, and a person's is none.
    assert.deepEqual(shown, ['run,review,together', 'run,review', 'run,review']);
    assert.equal(await confirm.answerAgents(), false);
  });

  it('stay unanswered when the list is closed, and withdrawn ones are not answered', async () => {
    const source = new CancellationTokenSource();
    let close: (agreed: ReadonlySet<number> | undefined) => void = () => undefined;
    let onList: () => void = () => undefined;
    let press: (pressed: PressedButton | undefined) => void = () => undefined;
    const confirm = made(
      () => {
        onList();
        return new Promise((resolve) => (close = resolve));
      },
      () => new Promise((resolve) => (press = resolve)),
    );
    const first = confirm.confirm(questionOf(1), source.token);
    const second = confirm.confirm(questionOf(2), noToken);
    const listing = confirm.answerAgents();
    close(undefined);
    assert.equal(await listing, true);
    const opened = new Promise<void>((resolve) => (onList = resolve));
    const again = confirm.answerAgents();
    await opened;
    source.cancel();
    close(new Set([0, 1]));
    assert.equal(await again, true);
    assert.deepEqual(await kinds([first, second]), ['no', 'run']);
    assert.deepEqual(told, ['1 call was not made because its agent no longer waits.']);
    press(undefined);
  });

  it('wait behind an open list, whichever button of the previous dialog was clicked', async () => {
    let close: (agreed: ReadonlySet<number> | undefined) => void = () => undefined;
    let press: (pressed: PressedButton | undefined) => void = () => undefined;
    let shown = 0;
    let onShown: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (onShown = resolve));
    const confirm = made(
      () => new Promise((resolve) => (close = resolve)),
      () => {
        shown += 1;
        onShown();
        return new Promise((resolve) => (press = resolve));
      },
    );
    const answers = [1, 2].map((n) => confirm.confirm(questionOf(n), noToken));
    await opened;
    const listing = confirm.answerAgents();
    press('together');
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(shown, 1);
    close(new Set([0, 1]));
    assert.equal(await listing, true);
    assert.deepEqual(await kinds(answers), ['run', 'run']);
    assert.equal(shown, 1);
  });

  it('are in one document with their arguments, and destructive ones are asked one by one', async () => {
    const burn = entryOf('shop', annotated('burn', { destructiveHint: true }));
    const hidden = entryOf('shop', annotated('lo\u202Eok', safe));
    const previewed = callsOfAgents([
      questionOf(1),
      questionOf(2, { entry: burn }),
      questionOf(3, { entry: hidden }),
    ]);
    assert.deepEqual(previewed.map(canBeApprovedTogether), [true, false, false]);
    const choice = { checked: new Set([0]), unfolded: new Set<number>() };
    const { text } = runAllText('', 'agent', previewed, choice);
    assert.match(text, /^Run the calls of agents\?\n/);
    assert.match(text, /^\[x\] robot: “look” on “shop”$/m);
    assert.match(text, /^ {4}Arguments: \{ ?"n": ?1 ?\}$/m);
    assert.match(text, /^ - {2}robot: “burn” on “shop”$/m);
    assert.match(text, /Asks separately because it may delete or overwrite\./);
    assert.ok(!/"n": ?[23]/.test(text));
  });
});

describe('A waiting question', () => {
  it('is released as soon as it is cancelled, and answered once', async () => {
    const source = new CancellationTokenSource();
    const held = new PendingQuestion(questionOf(1), source.token);
    const answered = held.byTurn(new Promise(() => undefined));
    source.cancel();
    assert.equal(held.question, undefined);
    assert.equal(held.token.isCancellationRequested, true);
    assert.equal(held.answer({ kind: 'run' }), false);
    assert.deepEqual(await answered, { kind: 'no' });
  });
});

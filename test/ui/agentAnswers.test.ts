import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { isAgentWaiting } from '../../src/host/calls/runningCall';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import { decide } from '../../src/host/consent/consent';
import { contextValues } from '../../src/ids';
import { AgentToolRules } from '../../src/ui/agents/agentToolRules';
import { endedItem } from '../../src/ui/activity/callRows';
import { waitingBadge } from '../../src/ui/activity/callsView';
import { fromSession } from '../../src/ui/activity/shownCall';
import { changedRules } from '../../src/ui/consent/rules/ruleTexts';
import { bookOf } from '../host/ruleCases';
import { annotated, entryOf, serverOf, Snapshots, toolOf } from '../host/treeFixtures';
import { accept, pressingKey, watchShown } from './pressingKeys';
import { replace } from './replacing';

const decision = decide({ rules: [], suspended: [], pin: { kind: 'known' } });
const noToken = new vscode.CancellationTokenSource().token;
const safe = { readOnlyHint: true, openWorldHint: false };

/** Accepts the row of the next list that begins so, and notes what the list showed. */
async function picking<T>(label: string, work: () => Promise<T>): Promise<readonly string[]> {
  const seen: string[] = [];
  const pick = (made: vscode.QuickPick<vscode.QuickPickItem>) => {
    made.activeItems = made.items.filter((item) => item.label.startsWith(label));
    const lines = made.items.map((item) => [item.label, item.description ?? '', item.detail]);
    seen.push(...lines.map((line) => line.join(' | ')));
  };
  const end = watchShown({ pick });
  await pressingKey(accept, work()).finally(end);
  return seen;
}

describe('For Agents…', () => {
  let rules: unknown[] = [];
  const registry = new Snapshots([
    serverOf('shop', [annotated('look', safe), annotated('burn', {}), toolOf('any*')]),
  ]);
  const actions = { start: async () => false, startAll: async () => undefined };
  const told: string[] = [];
  const choose = (toolName: string, label: string): Promise<readonly string[]> => {
    const book = { rules: bookOf({ user: rules }).rules };
    const command = new AgentToolRules({
      registry,
      actions,
      book,
      written: () => rules,
      change: async (change) => {
        rules = [...changedRules(rules, change)];
        return undefined;
      },
    });
    return picking(label, () => command.run({ serverId: 'shop', toolName }));
  };

  beforeEach(() => {
    const show = async (sentence: string) => void told.push(sentence);
    replace(vscode.window, { showInformationMessage: show, showWarningMessage: show });
  });

  it('shows the rule that will be written, and another choice replaces it', async () => {
    const seen = await choose('look', 'Deny to agents');
    assert.deepEqual(seen, [
      'Ask every time |  | {"effect":"ask","origin":"agent","server":"shop","tool":"look","risk":["readOnly","additive"]}',
      'Allow without asking |  | {"effect":"allow","origin":"agent","server":"shop","tool":"look","risk":"readOnly"}',
      'Deny to agents |  | {"effect":"deny","origin":"agent","server":"shop","tool":"look"}',
    ]);
    assert.deepEqual(rules, [{ effect: 'deny', origin: 'agent', server: 'shop', tool: 'look' }]);
    const again = await choose('look', 'Allow');
    assert.match(again[2] ?? '', /^Deny to agents \| current/);
    assert.match(again[3] ?? '', /^No rule for this tool .*you are asked/);
    assert.deepEqual(rules, [
      { effect: 'allow', origin: 'agent', server: 'shop', tool: 'look', risk: 'readOnly' },
    ]);
    await choose('burn', 'Ask');
    assert.equal(rules.length, 2);
    await choose('look', 'No rule');
    await choose('burn', 'No rule');
    assert.deepEqual(rules, []);
  });

  it('says that a stricter rule still applies, or that no rule can name the tool', async () => {
    rules = [{ effect: 'deny', tool: 'lo*' }];
    told.length = 0;
    await choose('look', 'Allow');
    assert.match(told.at(-1) ?? '', /a stricter rule for agents also matches “look”/);
    assert.equal(rules.length, 2);
    await choose('any*', 'Ask');
    assert.match(told.at(-1) ?? '', /A rule cannot match “any\*” alone/);
    assert.equal(rules.length, 2);
  });
});

describe('An unanswered call of an agent', () => {
  it('waits for the user only once it is asked about, and stays as a draft without an answer', async () => {
    const calls = new RunningCalls();
    const wish = { server: 'shop', tool: 'look', origin: 'agent', client: 'robot' } as const;
    const call = calls.begin('1', wish, noToken);
    assert.equal(isAgentWaiting(call), false);
    const { config } = serverOf('shop', []);
    call.found(config, entryOf('shop', toolOf('look')), decision);
    assert.equal(isAgentWaiting(call), true);
    assert.deepEqual(waitingBadge(calls.running), {
      value: 1,
      tooltip: '1 agent call is waiting for you',
    });
    const own = calls.begin('2', { ...wish, origin: 'tree' }, noToken);
    own.found(config, entryOf('shop', toolOf('look')), decision);
    assert.equal(waitingBadge(calls.running)?.value, 1);
    // Whoever counts anew with each change hears of this one.
    const gone = new Promise<void>((resolve) => {
      calls.onDidChange(() => {
        if (waitingBadge(calls.running) === undefined) resolve();
      });
    });
    call.cancel();
    assert.equal(isAgentWaiting(call), false);
    await gone;
    calls.end(own, { kind: 'cancelled', durationMs: 0 });
    calls.end(call, { kind: 'cancelled', durationMs: 0 });
    const ended = calls.ended.find(({ id }) => id === '1');
    assert.ok(ended);
    const draft = fromSession(ended, undefined, { arguments: { n: 1 } });
    const item = endedItem(draft, false);
    assert.equal(item.contextValue, contextValues.callDraft);
    assert.match(String(item.description), /^n: 1 · no answer · shop · \S+/);
    assert.ok(typeof item.tooltip === 'string');
    assert.match(item.tooltip, /from an agent “robot” \(as it calls itself\)/);
    assert.equal(endedItem(fromSession(ended), false).contextValue, contextValues.callEnded);
    calls.dispose();
  });
});

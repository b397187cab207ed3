import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { McpError } from '../../src/core/errors';
import { CallDeadline } from '../../src/core/rpc/callDeadline';
import type { CallOutcome } from '../../src/host/calls/call';
import type { OngoingCall } from '../../src/host/calls/ongoingCall';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import { CallCommands } from '../../src/ui/activity/callCommands';
import { CallList } from '../../src/ui/activity/callList';
import { endedItem, runningItem } from '../../src/ui/activity/callRows';
import { CallsTree } from '../../src/ui/activity/callsView';
import { formatProgress } from '../../src/ui/activity/formatCall';
import { fromHistory } from '../../src/ui/activity/shownCall';
import { contextValues } from '../../src/ids';
import { whileStopped } from '../core/stoppedClock';
import { pastCall } from '../host/pastCalls';
import { entryOf, serverOf, toolOf } from '../host/treeFixtures';
import { formatElapsed } from '../../src/ui/format/formatTime';
import { finishedCall } from '../host/decidedCalls';

const { token } = new CancellationTokenSource();
const { config } = serverOf('shop', []);
const stdio = { kind: 'stdio', command: 'node', args: [], env: {} } as const;
const entry = entryOf('shop', toolOf('sell', { title: 'Sell it' }));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const labelOf = ({ label }: vscode.TreeItem) => (typeof label === 'string' ? label : '');

/** Presses the first button of everything that is asked. */
function pressing(asked: string[], sentence: string, button?: string): Promise<string | undefined> {
  asked.push(sentence);
  return Promise.resolve(button);
}

/** With a history that has nothing. */
function listOf(running: RunningCalls): CallList {
  const history = {
    calls: [],
    find: () => undefined,
    onDidChange: new vscode.EventEmitter<void>().event,
  };
  const argumentsOf = (id: string) =>
    id === 'steps' ? { name: 'Sage\u202E', tall: 12 } : undefined;
  return new CallList({ running, history, hasDocuments: (id) => id === 'kept', argumentsOf });
}

describe('The view of calls', () => {
  let calls: RunningCalls;
  let list: CallList;
  let tree: CallsTree;

  beforeEach(() => {
    calls = new RunningCalls();
    list = listOf(calls);
    tree = new CallsTree(list);
  });
  afterEach(() => {
    tree.dispose();
    list.dispose();
    calls.dispose();
  });

  function begin(id: string): OngoingCall {
    const call = calls.begin(id, { server: 'shop', tool: 'sell', origin: 'tree' }, token);
    call.found({ ...config, transport: stdio }, entry);
    return call;
  }
  function send(id: string): OngoingCall {
    const call = begin(id);
    call.sending(new CallDeadline(20_000, 60_000), () => true);
    return call;
  }
  const end = (call: OngoingCall, outcome: CallOutcome) => calls.end(call, outcome);
  const items = async () => (await tree.getChildren()).map((row) => tree.getTreeItem(row));
  const icon = ({ iconPath }: vscode.TreeItem) =>
    iconPath instanceof vscode.ThemeIcon ? iconPath.id : '';
  const picture = async () =>
    (await items()).map((item) => {
      const line = `[${icon(item)}] ${labelOf(item)} | ${String(item.description)}`;
      return line.replace(/\d\d:\d\d$/, '(time)');
    });

  it('shows running calls with phase, time and progress, and below them the calls that ended', () =>
    whileStopped(async (clock) => {
      end(send('failed'), {
        kind: 'failed',
        error: new McpError('connectionClosed', { outcomeUnknown: true }),
        violations: [],
        durationMs: 1_500,
      });
      end(send('kept'), finishedCall({}, { entry, durationMs: 12 }));
      end(begin('denied'), { kind: 'denied', durationMs: 0 });
      begin('asking');
      begin('waiting').enter('waiting');
      send('steps').progressed({ progress: 3, total: 10, message: 'third\u202E [a](b)' });
      send('cancelling').cancel();
      clock.advance(61_500);
      assert.deepEqual(await picture(), [
        '[question] Sell it | waiting for approval · shop · (time)',
        '[watch] Sell it | queued · shop · (time)',
        '[loading~spin] Sell it | 1 min 1 s · 3/10 · third\\u{202E} [a] (b) · name: "Sage\\u{202E}", tall: 12 · shop · (time)',
        '[circle-slash] Sell it | cancelled · shop · (time)',
        '[shield] Sell it | not called · shop · (time)',
        '[pass] Sell it | 12 ms · shop · (time)',
        '[question] Sell it | outcome unknown · Connection ended · 1.5 s · shop · (time)',
      ]);
      assert.deepEqual(
        (await items()).map(({ contextValue, command }) => [contextValue, command !== undefined]),
        [
          [contextValues.callAsking, false],
          [contextValues.callWaiting, false],
          [contextValues.callRunning, false],
          [contextValues.callCancelling, false],
          [contextValues.callEnded, false],
          [contextValues.callWithResult, true],
          [contextValues.callFailed, true],
        ],
      );
    }));

  it('says that an answer violates the schema of its tool, in this session and later', async () => {
    const answer = { violations: [], missingStructuredContent: false, isExternal: false };
    const violations = [{ pointer: '/a', message: 'must be string', keyword: 'type' }];
    const result = { content: [], isError: false };
    const seen = { kind: 'result', result, entry, durationMs: 12 } as const;
    end(send('good'), { ...seen, ...answer });
    end(send('missing'), { ...seen, ...answer, missingStructuredContent: true });
    end(send('wrong'), { ...seen, ...answer, violations });
    const rows = [
      '[warning] Sell it | breaks output schema · 12 ms · shop · (time)',
      '[warning] Sell it | breaks output schema · 12 ms · shop · (time)',
      '[pass] Sell it | 12 ms · shop · (time)',
    ];
    assert.deepEqual(await picture(), rows);
    const [wrong] = await items();
    assert.match(wrong?.accessibilityInformation?.label ?? '', /breaks output schema/);
    assert.ok(typeof wrong?.tooltip === 'string');
    assert.match(wrong.tooltip, /does not match the output schema of the tool/);
    assert.match(wrong.tooltip, /^breaks output schema · 12 ms$/m);

    const past = { server: 'shop', tool: 'sell', outcome: 'result' } as const;
    const shown = [
      fromHistory(pastCall('4', past)),
      fromHistory(pastCall('5', { ...past, answer: { ...answer, violations } })),
    ].map((call) => endedItem(call, false));
    assert.deepEqual(shown.map(icon), ['pass', 'warning']);
    assert.match(String(shown[1]?.description), /^count: 1 · breaks output schema · /);
  });

  it('tells screen readers everything except the seconds', async () => {
    send('1').progressed({ progress: 1, total: 3 });
    const [item] = await items();
    assert.equal(item?.accessibilityInformation?.label, 'Sell it, shop, Running., 1/3');
  });

  it('keeps the row of a call, and redraws only running calls when time passes', async () => {
    end(begin('old'), { kind: 'cancelled', durationMs: 0 });
    send('1');
    const [row] = await tree.getChildren();
    assert.equal((await tree.getChildren())[0], row);
    const fired: unknown[] = [];
    tree.onDidChangeTreeData((rows) => fired.push(rows));
    tree.tick();
    assert.deepEqual(fired, [[row]]);
  });

  it('reloads the list only when another row appears, so that a button always finds its row', async () => {
    const call = send('1');
    const [row] = await tree.getChildren();
    const fired = () =>
      new Promise((resolve) => {
        const subscription = tree.onDidChangeTreeData((rows) => {
          subscription.dispose();
          resolve(rows);
        });
      });
    await fired();
    const progress = fired();
    call.progressed({ progress: 1, total: 3 });
    assert.deepEqual(await progress, [row]);
    const ended = fired();
    end(call, { kind: 'cancelled', durationMs: 0 });
    assert.equal(await ended, undefined);
  });

  it('says first why a call waits, and what happened to a failed one', async () => {
    const error = new McpError('connectionClosed');
    end(send('failed'), { kind: 'failed', error, violations: [], durationMs: 1_000 });
    const [failed] = await items();
    assert.equal(failed?.contextValue, contextValues.callFailed);
    assert.match(textOf(failed?.tooltip), /^Sell it \(sell\) on “shop”/);
    assert.deepEqual(await tree.getChildren(), [{ callId: 'failed', serverId: 'shop' }]);
    const waiting = runningItem(send('waiting'), 'a: 1', Date.now(), true);
    assert.match(String(waiting.description), /^Waiting for sign-in · 0 s · a: 1 · shop · /);
    assert.match(waiting.accessibilityInformation?.label ?? '', /Waiting for sign-in/);
  });

  it('has one line for a successful call, and shows a name once', async () => {
    const named = fromHistory(pastCall('1', { tool: 'Sell it', server: 'shop' }));
    const { tooltip } = endedItem({ ...named, briefArguments: 'a: 1' }, true);
    assert.match(textOf(tooltip), /^Sell it on “[^”]+” · a: 1 · .+$/);
    assert.ok(!textOf(tooltip).includes('\n'));
  });

  it('shows progress in steps or percent, and time in readable units', () => {
    assert.deepEqual(
      [
        { progress: 3, total: 10 },
        { progress: 0.25, total: 1 },
        { progress: 5_000_000, total: 10_000_000 },
        { progress: 12, total: 10.5 },
        { progress: 3 },
        { progress: 3, total: 0 },
      ].map(formatProgress),
      ['3/10', '25 %', '50 %', '100 %', '', ''],
    );
    assert.deepEqual([-5, 999, 59_999, 60_000, 3_600_000].map(formatElapsed), [
      '0 s',
      '0 s',
      '59 s',
      '1 min 0 s',
      '1 h 0 min',
    ]);
  });

  it('offers to stop a server that has not responded, on a second Cancel that is no double-click', () =>
    whileStopped(async (clock) => {
      const asked: string[] = [];
      const stopped: string[] = [];
      const commands = new CallCommands({
        running: calls,
        list,
        openResult: () => Promise.resolve(false),
        focused: async () => [],
        actions: { stop: (id) => Promise.resolve(stopped.push(id) > 0) },
        ask: (sentence, button) => pressing(asked, sentence, button),
      });
      const call = send('1');
      await commands.cancel('1');
      end(call, { kind: 'cancelled', durationMs: 5 });
      assert.equal((await items())[0]?.contextValue, contextValues.callUnanswered);
      await commands.cancel('1');
      assert.deepEqual(stopped, []);
      clock.advance(2_000);
      await commands.cancel('1');
      assert.deepEqual([asked.length, stopped], [1, ['shop']]);
      call.answeredLate();
      await commands.cancel('1');
      assert.equal(asked.length, 1);
    }));
});

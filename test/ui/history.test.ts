import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { CancellationToken } from 'vscode-jsonrpc/node';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { AgentDrafts } from '../../src/host/agents/agentDrafts';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import { History } from '../../src/host/history/history';
import type { HistoryLimits, PastCall, RestorableCall } from '../../src/host/history/pastCall';
import { CallHistory } from '../../src/ui/activity/callHistory';
import { SecretValues } from '../../src/host/secrets/secretValues';
import { SettingsReader } from '../../src/ui/settings/settings';
import { CallList } from '../../src/ui/activity/callList';
import { CallsTree } from '../../src/ui/activity/callsView';
import { Comparisons } from '../../src/ui/activity/comparisons';
import { addToCallFile, saveCalls, toWrittenCall } from '../../src/ui/callFiles/savedCall';
import { PastCallCommands, callsOf } from '../../src/ui/activity/pastCallCommands';
import type { KnownArguments } from '../../src/ui/calls/callToolCommand';
import type { CallTarget } from '../../src/ui/arguments/argumentDocuments';
import { registerExpectAnswer } from '../../src/ui/activity/expectAnswer';
import { omissionSentence } from '../../src/ui/activity/formatCall';
import { fromHistory } from '../../src/ui/activity/shownCall';
import { markOwnArgument } from '../../src/ui/editor/ownArguments';
import { openPastResult } from '../../src/ui/activity/pastResults';
import { commands as ids, contextValues } from '../../src/ids';
import { answered, historyLimits, pastCall, resultOf } from '../host/pastCalls';
import { entryOf, serverOf, toolOf } from '../host/treeFixtures';
import { assertEach } from '../assertions';
import { AnsweredDialogs } from './dialogs';
import { WindowAnswers } from './windowAnswers';
import { formatDay } from '../../src/ui/format/formatTime';
import { atEnd, commandsOf, diffInFront, replace } from './replacing';

const msPerDay = 24 * 60 * 60 * 1_000;
const scheme = 'toolgate-comparison-test';

describe('The history of calls', () => {
  let folder: string;
  let history: History;
  let limits: HistoryLimits;
  let running: RunningCalls;
  let list: CallList;
  let tree: CallsTree;
  let commands: PastCallCommands;
  let comparisons: Comparisons;
  let said: WindowAnswers;
  let read: string[];
  let started: [string, string, string, JsonObject | undefined][];
  let targets: CallTarget[];
  let known: KnownArguments[];
  let leftCalls: AgentDrafts;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'toolgate-history-'));
    history = new History({
      folder,
      limits: () => limits,
      isOpen: () => false,
      onProblem: (problem) => assert.fail(JSON.stringify(problem)),
    });
    limits = historyLimits;
    running = new RunningCalls();
    list = new CallList({ running, history, hasDocuments: () => false });
    tree = new CallsTree(list, () => history.read());
    comparisons = new Comparisons({ history, volatileFields: () => ['at'], scheme });
    said = new WindowAnswers().begin();
    started = [];
    read = [];
    targets = [];
    leftCalls = new AgentDrafts();
    known = [];
    const start =
      (how: string) => async (target: CallTarget, given?: JsonObject, more?: KnownArguments) => {
        started.push([how, target.serverId, target.toolName, given]);
        targets.push(target);
        if (more !== undefined) known.push(more);
      };
    commands = new PastCallCommands({
      prompts: promptsTo(read),
      list,
      running,
      history,
      drafts: leftCalls,
      comparisons,
      results: { pathOf: (callId) => `/shop/${callId}` },
      registry: { find: (id) => (id === 'shop' ? serverOf('shop', []) : undefined) },
      calls: { repeat: start('repeat'), change: start('change') },
      focused: async () => [],
    });
  });
  afterEach(async () => {
    said.dispose();
    comparisons.dispose();
    tree.dispose();
    list.dispose();
    running.dispose();
    await history.stop();
    history.dispose();
    rmSync(folder, { recursive: true, force: true });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  const promptsTo = (to: string[]) => ({
    again: async ({ tool }: PastCall, origin: string) => void to.push(`${tool} ${origin}`),
    change: async ({ tool }: PastCall, given: JsonObject) =>
      void to.push(`${tool} ${JSON.stringify(given)}`),
  });

  async function keep(
    callId: string,
    more: Partial<PastCall> = {},
    text = callId,
  ): Promise<PastCall> {
    const call = pastCall(callId, more);
    const answer = { result: resultOf(text), pathOf: () => undefined };
    history.keep(call, call.answer === undefined ? undefined : answer);
    await history.stop();
    return call;
  }
  const iconOf = ({ iconPath }: vscode.TreeItem) =>
    iconPath instanceof vscode.ThemeIcon ? iconPath.id : '';
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
  const wordsOf = (item: vscode.TreeItem) =>
    `[${iconOf(item)}] ${textOf(item.label)} | ${String(item.description)}`.replace(
      /\d\d:\d\d$/,
      '(time)',
    );

  it('gets a prompt again as a prompt, never as a tool', async () => {
    const given = { who: 'Ada' };
    const call = await keep('p', { tool: 'greet', isPrompt: true, arguments: given });
    await commands.runAgain(call);
    await commands.change(call);
    assert.deepEqual([read, started], [['greet history', 'greet {"who":"Ada"}'], []]);
    await saveCalls([call]);
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.deepEqual(JSON.parse(text), { server: 'shop', prompt: 'greet', arguments: given });
  });

  it('groups calls of earlier days by day, the newest first', async () => {
    const noon = new Date();
    noon.setHours(12, 0, 0, 0);
    const at = (days: number, minutes = 0) => noon.getTime() - days * msPerDay - minutes * 60_000;
    await keep('1', { endedAt: at(1, 5), toolTitle: 'Older' });
    await keep('2', { endedAt: at(1), toolTitle: 'Newer' });
    await keep('3', { endedAt: at(20), outcome: 'toolError' });
    await keep('4', { endedAt: Date.now() });
    const rows = await tree.getChildren();
    const items = rows.map((row) => tree.getTreeItem(row));
    const [today, yesterday, longAgo] = items.map(wordsOf);
    assert.equal(today, '[pass] Sell it | count: 1 · 12 ms · Shop · (time)');
    assert.equal(yesterday, '[calendar] Yesterday | 2 calls');
    assert.match(longAgo ?? '', /^\[calendar\] \w+day, \w+ \d+(, \d{4})? \| 1 call$/);
    assert.match(formatDay(at(400), noon.getTime()), /^\w+day, \w+ \d+, \d{4}$/);
    assert.equal(items[1]?.collapsibleState, vscode.TreeItemCollapsibleState.Collapsed);
    assert.equal(items[1]?.accessibilityInformation?.label, 'Yesterday, 2 calls');
    const below = await tree.getChildren(rows[1]);
    assertEach(below, (row) => textOf(tree.getTreeItem(row).label), ['Newer', 'Older']);
    // The same rows again, or VS Code would close them.
    assert.equal((await tree.getChildren())[1], rows[1]);
  });

  it('reads the time of each call once for all days, until the list changes', async () => {
    let reads = 0;
    const ended = Array.from({ length: 500 }, (_, index) =>
      Object.defineProperty(fromHistory(pastCall(`${index}`)), 'endedAt', {
        get: () => {
          reads += 1;
          return Date.now() - (index + 1) * msPerDay;
        },
      }),
    );
    const changes = new vscode.EventEmitter<'running' | 'list'>();
    const days = new CallsTree({
      running: [],
      ended,
      find: () => undefined,
      hasResult: () => false,
      briefArgumentsOf: () => '',
      isSigningIn: () => false,
      onDidChange: changes.event,
    });
    atEnd(() => days.dispose());
    const drawAll = async (): Promise<readonly vscode.TreeItem[]> => {
      reads = 0;
      const rows = await days.getChildren();
      const items = rows.map((row) => days.getTreeItem(row));
      for (const row of rows) assert.equal((await days.getChildren(row)).length, 1);
      return items;
    };
    assert.equal((await drawAll()).length, 500);
    // Once for its day, and once for the label of the day.
    assert.equal(reads, 2 * 500);
    ended.pop();
    changes.fire('list');
    assert.equal((await drawAll()).length, 499);
  });

  it('moves the calls of today below a row of their day when the next day has begun', async () => {
    const before = new Date().setHours(23, 50, 0, 0);
    let now = before;
    replace(Date, { now: () => now });
    await keep('late', { endedAt: before - 60_000 });
    let refreshes = 0;
    tree.onDidChangeTreeData((rows) => (refreshes += rows === undefined ? 1 : 0));
    const isRow = async () => (await tree.getChildren()).map((row) => 'callId' in row);
    assert.deepEqual(await isRow(), [true]);
    tree.tick();
    assert.equal(refreshes, 0);
    now += 60 * 60_000;
    tree.tick();
    assert.equal(refreshes, 1);
    assert.deepEqual(await isRow(), [false]);
    tree.tick();
    assert.equal(refreshes, 1);
  });

  it('shows in the row how a call ended, why it was allowed, and why its result is not kept', async () => {
    const now = Date.now();
    await keep('1', {
      endedAt: now,
      outcome: 'failed',
      error: { code: 'connectionClosed', facts: { outcomeUnknown: true } },
    });
    const reason = 'Only \u202egood';
    const rule = { kind: 'rule', place: { scope: 'user', index: 1 }, reason } as const;
    const decision = { effect: 'allow', cause: rule } as const;
    const large = { ...answered, omitted: 'tooLarge' } as const;
    await keep('2', { endedAt: now - 1, answer: large, decision });
    const newer = { code: 'fromTheFuture', facts: {} };
    const unknown = Object.assign(pastCall('3'), {
      endedAt: now - 2,
      outcome: 'failed',
      error: newer,
    });
    await keep('3', unknown);
    const items = (await tree.getChildren()).map((row) => tree.getTreeItem(row));
    assert.deepEqual(items.map(wordsOf), [
      '[question] Sell it | count: 1 · outcome unknown · Connection ended · 12 ms · Shop · (time)',
      '[pass] Sell it | count: 1 · 12 ms · result not kept · Shop · (time)',
      '[error] Sell it | count: 1 · failed · 12 ms · Shop · (time)',
    ]);
    assert.match(
      textOf(items[1]?.tooltip),
      /exceeds the limit of the setting "toolgate\.history\.maxResultBytes"/,
    );
    assert.match(
      textOf(items[1]?.tooltip),
      /\nRule 2 in your user settings allows it: “Only \\u\{202E\}good”\./,
    );
    assert.equal(items[1]?.contextValue, contextValues.callEnded);
    assert.equal(items[1]?.command, undefined);
  });

  it('runs a call again with its arguments, and one with secrets from the page of arguments', async () => {
    await commands.runAgain(pastCall('1'));
    const { arguments: _, ...without } = pastCall('2');
    await commands.runAgain(without);
    await commands.runAgain(
      pastCall('3', { hasSecrets: true, arguments: { user: 'ann', key: '(secret)' } }),
    );
    await commands.runAgain({ ...without, argumentsOmitted: 'tooLarge' });
    assert.deepEqual(started, [
      ['repeat', 'shop', 'sell', { count: 1 }],
      ['repeat', 'shop', 'sell', undefined],
      ['change', 'shop', 'sell', { user: 'ann' }],
      ['change', 'shop', 'sell', {}],
    ]);
    assert.deepEqual(said.told, [
      '“Sell it” was called with secrets, which are never kept. Enter them again.',
      'The arguments of this call of “Sell it” were not kept. Enter them again.',
    ]);
  });

  it('selects the argument that changed last', async () => {
    const likely = async (...before: readonly Partial<PastCall>[]): Promise<unknown> => {
      await history.clear();
      for (const [index, more] of before.entries()) {
        await keep(String(index), { endedAt: Date.now() + index, ...more });
      }
      known.length = 0;
      const last = history.find(String(before.length - 1)) ?? assert.fail();
      await commands.change(last);
      return known[0]?.likely;
    };
    const [first, other] = [{ arguments: { a: 1, b: 2 } }, { arguments: { a: 1, b: 3 } }];
    assert.equal(await likely(first, other), 'b');
    assert.equal(await likely(first, { ...other, tool: 'buy' }), undefined);
    assert.equal(await likely(other, first, first), 'b');
    assert.equal(await likely(first, first), undefined);
    assert.equal(await likely(first), undefined);
  });

  it('knows whose arguments are run again, and fills in no calls of the user with those of others', async () => {
    const whose = async (more: Partial<PastCall>): Promise<unknown[]> => {
      targets.length = 0;
      await commands.runAgain(pastCall('1', more));
      await commands.change(pastCall('1', more));
      return targets.map(({ origin, isForeign }) => [origin, isForeign]);
    };
    const own = ['history', undefined];
    const others = ['history', true];
    assert.deepEqual(await whose({}), [own, own]);
    assert.deepEqual(await whose({ origin: 'history', isForeign: true }), [others, others]);
    for (const origin of ['agent', 'api', 'command'] as const) {
      assert.deepEqual(await whose({ origin }), [others, others]);
    }
  });

  it('accepts a click of the user only for rows that it has drawn', async () => {
    await keep('1', { endedAt: Date.now() });
    const origins: (string | undefined)[] = [];
    const note = async ({ origin }: CallTarget) => void origins.push(origin);
    const handlers = commandsOf(() =>
      new PastCallCommands({
        prompts: promptsTo([]),
        list,
        running,
        history,
        drafts: leftCalls,
        comparisons,
        results: { pathOf: () => undefined },
        registry: { find: () => serverOf('shop', []) },
        calls: { repeat: note, change: note },
        focused: async () => [{ callId: '1' }],
      }).register(),
    );
    const [row] = await tree.getChildren();
    assert.ok(row);
    const { id = '' } = tree.getTreeItem(row);
    // A link could name a row whose id is known.
    assert.notEqual(id, '1');
    for (const command of [ids.runAgain, ids.runAgainWithChanges]) {
      const act = handlers.get(command) ?? assert.fail();
      for (const given of [row, { ...row }, JSON.parse(JSON.stringify(row)), 'focus']) {
        await act(given, undefined);
      }
    }
    const once = ['history', 'command', 'command', 'command'];
    assert.deepEqual(origins, [...once, ...once]);
    const remove = handlers.get(ids.removeCalls) ?? assert.fail();
    await remove({ ...row }, [row]);
    assert.deepEqual(said.told, ['Remove 1 call from the history?']);
    assert.ok(history.find('1'));
    leftCalls.add({ callId: '1', server: 'shop', tool: 'sell' });
    await remove(row, [{ callId: '2' }]);
    assert.deepEqual([said.told.length, history.find('1')], [1, undefined]);
    assert.equal(leftCalls.find('1'), undefined);
  });

  it('finds a call that ended a moment ago and is not stored yet, from its answer and as the last one', async () => {
    const handlers = commandsOf(() => commands.register());
    await history.read();
    for (const callId of ['1', '2', '3']) {
      const call = pastCall(callId, { endedAt: Date.now(), arguments: { n: Number(callId) } });
      history.keep(call, { result: resultOf(callId), pathOf: () => undefined });
    }
    assert.deepEqual(history.calls, []);
    const uri = vscode.Uri.from({ scheme: 'toolgate', path: '/shop/2/sell.mcptxt' });
    await handlers.get(ids.runAgainWithChanges)?.(uri, undefined);
    await handlers.get(ids.runAgain)?.(uri, undefined);
    await handlers.get(ids.repeatLastCall)?.(undefined, undefined);
    assert.deepEqual(
      started.map(([how, , , given]) => [how, given]),
      [
        ['change', { n: 2 }],
        ['repeat', { n: 2 }],
        ['repeat', { n: 3 }],
      ],
    );
    assert.deepEqual(known[0], { likely: 'n', inFields: false });
  });

  it('offers a call that is not stored yet where its result is expected or compared', async () => {
    const [one, two] = ['1', '2'].map((callId) => {
      const call = pastCall(callId, { endedAt: 1, answer: answered });
      history.keep(call, { result: resultOf(callId), pathOf: () => undefined });
      return call;
    });
    assert.ok(one && two);
    assert.deepEqual(history.calls, []);
    const options = {
      runs: { callOf: () => undefined },
      history,
      results: { pathOf: () => undefined },
      answers: { write: () => assert.fail() },
    };
    await commandsOf(() => registerExpectAnswer(options)).get(ids.expectAnswer)?.();
    assert.deepEqual(said.listed, ['Sell it', 'Sell it']);
    await comparisons.open(two, one);
    // Both ended in the same millisecond, so their order tells which is the older one.
    assert.match(diffInFront().original.path, /\/1\//);
  });

  it('says what to do if the server of a call no longer exists', async () => {
    await commands.runAgain(pastCall('1', { server: 'gone', serverLabel: 'Gone' }));
    assert.deepEqual(started, []);
    assert.match(said.told[0] ?? '', /because server “Gone” is no longer configured\. Add it/);
  });

  it('saves a call file in which only secrets are variables', async () => {
    await saveCalls([
      pastCall('1', {
        hasSecrets: true,
        arguments: {
          text: 'costs ${env:HOME}',
          token: '(secret)',
          list: [{ 'odd key': '(secret)' }],
        },
      }),
    ]);
    const text = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.deepEqual(JSON.parse(text), {
      inputs: { token: { password: true }, secret: { password: true } },
      server: 'shop',
      tool: 'sell',
      arguments: {
        text: 'costs $${env:HOME}',
        token: '${input:token}',
        list: [{ 'odd key': '${input:secret}' }],
      },
    });
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('has an input of its own for each secret of a call', () => {
    const given = { from: { password: '(secret)' }, to: { password: '(secret)' } };
    const call = pastCall('1', { hasSecrets: true, arguments: given });
    assert.deepEqual(toWrittenCall(call, new Set(['password-2'])), {
      server: 'shop',
      tool: 'sell',
      arguments: {
        from: { password: '${input:password}' },
        to: { password: '${input:password-3}' },
      },
      inputs: { password: { password: true }, 'password-3': { password: true } },
    });
  });

  it('saves several calls in one file, or adds one to a file with a name', async () => {
    const secret = { hasSecrets: true, arguments: { token: '(secret)' } } as const;
    await saveCalls([pastCall('1', secret), pastCall('2', secret)]);
    const text = () => vscode.window.activeTextEditor?.document.getText() ?? '';
    const call = (input: string) => ({
      server: 'shop',
      tool: 'sell',
      arguments: { token: `\${input:${input}}` },
    });
    const inputs = { token: { password: true }, 'token-2': { password: true } };
    assert.deepEqual(JSON.parse(text()), {
      calls: { sell: call('token'), 'sell-2': call('token-2') },
      inputs,
    });
    const { uri } = vscode.window.activeTextEditor?.document ?? assert.fail();
    said.pick = vscode.workspace.asRelativePath(uri);
    said.type = ({ title }) => (title === 'Add to Call File' ? 'last sale' : undefined);
    await addToCallFile([pastCall('3', { arguments: { count: 3 } })]);
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), uri.toString());
    assert.deepEqual(JSON.parse(text()), {
      calls: {
        sell: call('token'),
        'sell-2': call('token-2'),
        'last sale': { server: 'shop', tool: 'sell', arguments: { count: 3 } },
      },
      inputs,
    });
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('says so if one call file cannot hold all the calls that are to be saved', async () => {
    const calls = Array.from({ length: 1_001 }, (_, index) => pastCall(`${index}`));
    const open = new Set(vscode.workspace.textDocuments);
    await saveCalls(calls);
    assert.deepEqual(said.told, [
      'Nothing was saved because one call file cannot hold these calls.',
    ]);
    const opened = vscode.workspace.textDocuments.filter((document) => !open.has(document));
    assert.deepEqual(opened, []);
    await saveCalls(calls.slice(0, 2));
    const { uri } = vscode.window.activeTextEditor?.document ?? assert.fail();
    said.pick = vscode.workspace.asRelativePath(uri);
    await addToCallFile(calls.slice(0, 999));
    assert.match(
      said.told.at(-1) ?? '',
      /^Nothing was added because “.+” cannot hold more calls\.$/,
    );
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('compares two results, the older one on the left, and says if nothing differs', async () => {
    const older = await keep('1', { endedAt: Date.now() - 1_000 }, '{"at":1,"same":true}');
    const newer = await keep('2', {}, '{"at":2,"same":true}');
    await comparisons.open(newer, older);
    const { original, modified } = diffInFront();
    assert.deepEqual(
      [original.path, modified.path],
      ['/all/1/sell.mcpjson', '/all/2/sell.mcpjson'],
    );
    const text = (await vscode.workspace.openTextDocument(modified)).getText();
    assert.deepEqual(JSON.parse(text), {
      content: [{ text: { at: 2, same: true }, type: 'text' }],
      isError: false,
    });
    const lasting = modified.with({ path: '/lasting/2/sell.mcpjson' });
    assert.match((await vscode.workspace.openTextDocument(lasting)).getText(), /"at": "…"/);
    await comparisons.open(older, await keep('3', {}, '{"same":true,"at":1}'));
    assert.deepEqual(said.told, [
      'The two results differ only in volatile fields.',
      'The two results are identical.',
    ]);
  });

  it('compares texts as texts', async () => {
    const older = await keep('1', { endedAt: Date.now() - 1_000 }, 'one\ntwo');
    const newer = await keep('2', {}, 'one\nthree');
    await comparisons.open(newer, older);
    const { original, modified } = diffInFront();
    const texts = await Promise.all(
      [original, modified].map(async (uri) =>
        (await vscode.workspace.openTextDocument(uri)).getText(),
      ),
    );
    assert.deepEqual(texts, ['one\ntwo\n', 'one\nthree\n']);
  });

  it('lists calls of the same tool first to compare with, distinguished by their arguments', async () => {
    const now = Date.now();
    const yesterday = now - msPerDay;
    const buy = { tool: 'buy', toolTitle: 'Buy', arguments: { word: '$(x)' } };
    await keep('1', { ...buy, endedAt: now - 4 });
    await keep('2', { endedAt: yesterday, arguments: { word: 'leaf' } });
    await keep('3', { tool: 'wrap', toolTitle: 'Wrap', arguments: {}, endedAt: now - 3 });
    await keep('4', { answer: { ...answered, omitted: 'tooLarge' } });
    await keep('5');
    let listed: readonly string[] = [];
    replace(vscode.window, {
      showQuickPick: (items: readonly vscode.QuickPickItem[]) => {
        listed = items.map(({ label, description = '', detail = '' }) =>
          [label, description, detail].filter((part) => part !== '').join(' | '),
        );
        return Promise.resolve(undefined);
      },
    });
    const compare = commandsOf(() => commands.register()).get(ids.compareResults);
    await compare?.({ callId: '5' }, undefined);
    assertEach(listed, (row) => row.replace(/ \d\d:\d\d /, ' (time) '), [
      'The same tool',
      `Sell it | Shop · (time) · done · 12 ms · ${formatDay(yesterday, now)} | word: "leaf"`,
      'Other tools',
      'Wrap | Shop · (time) · done · 12 ms',
      'Buy | Shop · (time) · done · 12 ms | word: "\\$(x)"',
    ]);
  });

  it('restores a result of an earlier session in its tab, and says if it cannot be read', async () => {
    const call = await keep('1', { answer: { ...answered, path: '/shop/calls/then' } });
    await keep('2');
    const restored: RestorableCall[] = [];
    const results = {
      open: (id: string) => Promise.resolve(restored.some(({ callId }) => callId === id)),
      restoreCall: async (one: RestorableCall) => void restored.push(one),
    };
    assert.equal(await openPastResult({ history, results }, '1'), true);
    assert.equal(await openPastResult({ history, results }, '2'), true);
    assert.equal(await openPastResult({ history, results }, 'never'), false);
    const [one, two] = restored;
    assert.deepEqual(
      [one?.path, one?.toolTitle, one?.durationMs],
      [call.answer?.path, 'Sell it', 12],
    );
    assert.match(two?.path ?? '', /^\/shop\/calls\/[\d-]+-sell-2$/);
    // From now on it is there.
    await history.stop();
    assert.equal(history.find('2')?.answer?.path, two?.path);
  });

  it('says if a result that is expected, or a prompt for the chat, is no longer there', async () => {
    const omissions = ['tooLarge', 'unwritable', 'secret', undefined] as const;
    for (const omitted of omissions) {
      const answer = { ...answered, ...(omitted === undefined ? {} : { omitted }) };
      await keep(String(omitted), { answer, isPrompt: true });
    }
    rmSync(path.join(folder, 'answers'), { recursive: true });
    const options = {
      runs: { callOf: () => ({ uri: vscode.Uri.file('/no.mcpcall'), name: '' }) },
      history,
      results: { pathOf: () => undefined },
      answers: { write: () => assert.fail() },
    };
    const expect = commandsOf(() => registerExpectAnswer(options)).get(ids.expectAnswer);
    for (const omitted of omissions) await expect?.(markOwnArgument({ callId: String(omitted) }));
    const open = commandsOf(() => commands.register()).get(ids.openPromptInChat);
    await open?.(markOwnArgument({ callId: 'undefined' }));
    const unreadable = 'The result of “Sell it” cannot be read from disk: “(error)”';
    assertEach(said.told, (sentence) => sentence.replace(/“ENOENT.*”/, '“(error)”'), [
      'The result of this call is no longer available.',
      'The result of this call is no longer available.',
      'The result of “Sell it” was not written: it contains a secret, and call files are shared.',
      unreadable,
      unreadable,
    ]);
    await expect?.();
    assert.equal(said.listed.length, 1);
  });

  it('offers no result of a call that it does not store, and says why there is none', async () => {
    limits = { ...historyLimits, maxCalls: 0 };
    await keep('1', { answer: answered });
    assert.equal(
      omissionSentence(history.find('1')?.answer?.omitted ?? assert.fail()),
      'The result is not kept: the setting "toolgate.history.maxCalls" is 0.',
    );
    const compare = commandsOf(() => commands.register()).get(ids.compareResults);
    await compare?.(markOwnArgument({ callId: '1' }));
    assert.deepEqual(said.told, ['The result of this call is no longer available.']);
  });

  it('is cleared after a single question', async () => {
    await keep('1');
    await keep('2', { outcome: 'denied' });
    said.dispose();
    const dialogs = new AnsweredDialogs(() => undefined).begin();
    atEnd(() => dialogs.dispose());
    await commands.clear();
    assert.equal(list.ended.length, 2);
    dialogs.press = () => 'Clear History';
    await commands.clear();
    assert.deepEqual(list.ended, []);
    assert.equal(dialogs.seen.length, 2);
    assert.match(dialogs.seen[0]?.detail ?? '', /^This deletes 2 calls/);
  });

  function historyHere(): { past: CallHistory; settings: SettingsReader } {
    const log = { warn: (text: string) => assert.fail(text) };
    const settings = new SettingsReader(log);
    const storageUri = vscode.Uri.file(folder);
    const past = new CallHistory({
      context: { storageUri, globalStorageUri: storageUri },
      settings,
      log,
      values: new SecretValues(),
      running,
    });
    return { past, settings };
  }

  it('shows no secret of an unanswered call of an agent, and keeps it for making the call', () => {
    const { past, settings } = historyHere();
    const drafts = new AgentDrafts();
    const argumentsOfDraft: CallHistory['argumentsOfDraft'] = (...given) =>
      past.argumentsOfDraft(...given);
    const left = new CallList({
      running,
      history,
      hasDocuments: () => false,
      drafts,
      argumentsOfDraft,
    });
    const properties = { key: { type: 'string', format: 'password' } };
    const entry = entryOf('shop', toolOf('sell', { inputSchema: { type: 'object', properties } }));
    const request = { server: 'shop', tool: 'sell', origin: 'agent' } as const;
    const call = running.begin('1', request, CancellationToken.None);
    call.found(serverOf('shop', []).config, entry);
    running.end(call, { kind: 'cancelled', durationMs: 1 });
    const given = { name: 'Ada', key: 'open-sesame-now' };
    drafts.add({ callId: '1', server: 'shop', tool: 'sell', arguments: given });
    const shown = left.find('1');
    assert.equal(shown?.isDraft, true);
    assert.match(shown.briefArguments, /name: "Ada"/);
    assert.doesNotMatch(shown.briefArguments, /sesame/);
    assert.deepEqual(drafts.find('1')?.arguments, given);
    left.dispose();
    past.dispose();
    settings.dispose();
  });

  it('removes calls of this session that another window has removed', async () => {
    const { past, settings } = historyHere();
    for (const id of ['1', '2']) {
      const request = { server: 'shop', tool: 'sell', origin: 'tree' } as const;
      const call = running.begin(id, request, CancellationToken.None);
      running.end(call, { kind: 'cancelled', durationMs: 1 });
      past.history.keep(pastCall(id));
    }
    await past.history.stop();
    const other = new History({
      folder: path.join(folder, 'history'),
      limits: () => historyLimits,
      isOpen: () => false,
      onProblem: ({ detail }) => assert.fail(detail),
    });
    await other.remove(['1']);
    await past.history.refresh();
    assertEach(running.ended, ({ id }) => id, ['2']);
    other.dispose();
    past.dispose();
    settings.dispose();
  });

  it('passes commands the clicked row, the rows selected with it, or the focused row', async () => {
    const rows = [{ callId: '1' }, { callId: '2' }, { day: '2026-01-01' }];
    const focused = async () => rows;
    assert.deepEqual(await callsOf({ callId: '2' }, rows, focused), ['2', '1']);
    assert.deepEqual(await callsOf({ callId: '2' }, undefined, focused), ['2']);
    assert.deepEqual(await callsOf('focus', undefined, focused), ['1', '2']);
    assert.deepEqual(await callsOf('focus', undefined, async () => []), undefined);
    assert.deepEqual(await callsOf(undefined, undefined, focused), []);
  });
});

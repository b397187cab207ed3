import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { McpError } from '../../src/core/errors';
import type { CallOutcome, CallRequest } from '../../src/host/calls/call';
import { CallRunner, requestFor } from '../../src/ui/calls/callRunner';
import { notifyServerError } from '../../src/ui/editor/messages';
import {
  foundToolItems,
  idleServers,
  MadeItems,
  startItems,
  toolItems,
  type PickerItem,
} from '../../src/ui/picking/toolPickerItems';
import { pickableTools } from '../../src/ui/picking/pickableTools';
import { ToolSearch } from '../../src/ui/picking/toolSearch';
import { pastCall } from '../host/pastCalls';
import { annotated, entryOf, serverOf, Snapshots, toolOf } from '../host/treeFixtures';
import { finishedCall } from '../host/decidedCalls';
import { assertEach } from '../assertions';
import { replace } from './replacing';

const stopped = { state: { kind: 'stopped' } } as const;

/** Separators as `-- label`, rows with their icon. */
function picture(items: readonly PickerItem[]): string[] {
  return items.map(({ label, description = '', kind, iconPath }) => {
    if (kind === vscode.QuickPickItemKind.Separator) return `-- ${label}`;
    const icon = iconPath instanceof vscode.ThemeIcon ? `(${iconPath.id}) ` : '';
    return `${icon}${label} ${description}`.trim();
  });
}

describe('The rows of the tool picker', () => {
  it('are the callable tools of running servers, by server, with their risks', () => {
    const servers = [
      serverOf('a', [annotated('read', { readOnlyHint: true }), toolOf('x', { callable: false })]),
      serverOf('b', [toolOf('drop', { title: 'Drop it' })]),
      serverOf('c', [toolOf('unseen')], stopped),
    ];
    assert.deepEqual(picture(toolItems(pickableTools(servers))), [
      '-- a',
      '(eye) read a · read-only',
      '-- b',
      '(warning) Drop it drop · b · destructive (assumed)',
    ]);
  });

  it('have the latest calls on top and nowhere else, with arguments but without secrets', () => {
    const write = toolOf('write', { description: 'Puts a text into a file' });
    const given = { path: 'a/b.txt', password: '(secret)' };
    const calls = [pastCall('1', { server: 'a', tool: 'write', arguments: given })];
    const tools = pickableTools([serverOf('a', [toolOf('about'), write])], { calls });
    assertEach(toolItems(tools), ({ label, detail = '' }) => [label, detail], [
      ['Recently called', ''],
      ['write', 'path: "a/b.txt", password: (secret) · Puts a text into a file'],
      ['a', ''],
      ['about', ''],
    ]);
  });

  it('begin with the least risky tools of a server, each level in the order of the server', () => {
    const tools = [
      toolOf('z_bare'),
      annotated('drop', { destructiveHint: true }),
      annotated('plant', { destructiveHint: false }),
      annotated('z_read', { readOnlyHint: true }),
      annotated('a_read', { readOnlyHint: true, openWorldHint: false }),
    ];
    const order = toolItems(pickableTools([serverOf('a', tools)])).map(({ label }) => label);
    assert.deepEqual(order, ['a', 'z_read', 'a_read', 'plant', 'z_bare', 'drop']);
  });

  it('include the last known tools of a server, and a button if there are arguments of the last call', () => {
    const inputSchema = { properties: { count: { type: 'integer' } } };
    const read = annotated('read', { readOnlyHint: true });
    const sell = entryOf('shop', toolOf('sell', { inputSchema }));
    const facts = { lastKnown: () => [sell, entryOf('shop', read)], calls: [pastCall('1')] };
    const tools = pickableTools([serverOf('shop', [], stopped)], facts);
    const items = toolItems(tools, new MadeItems(true));
    assert.deepEqual(picture(items), [
      '-- Recently called',
      '(warning) sell shop · not running · destructive (assumed)',
      '-- shop (not running)',
      '(eye) read shop · not running · read-only',
    ]);
    const withButtons = items.filter(({ buttons = [] }) => buttons.length > 0);
    assertEach(withButtons, ({ label, other }) => [label, other], [
      ['sell', { kind: 'lastKnown', serverId: 'shop', toolName: 'sell', last: { count: 1 } }],
    ]);
  });

  it('offer to start servers that are not running', () => {
    const servers = [serverOf('a', []), serverOf('b', [], stopped), serverOf('c', [], stopped)];
    assert.deepEqual(picture(startItems(idleServers(servers))), [
      '-- Not running',
      '(run-all) Start All 2 Servers',
      '(debug-start) Start “b”',
      '(debug-start) Start “c”',
    ]);
    assert.deepEqual(startItems([]), []);
  });

  it('show no icon of a server, and are bounded in length', () => {
    const description = `$(check) safe\u202E\n${'x'.repeat(10_000)}`;
    const [, item] = toolItems(pickableTools([serverOf('s', [toolOf('$(zap)', { description })])]));
    assert.equal(item?.label, '\\$(zap)');
    assert.equal(item?.detail, '\\$(check) safe\\u{202E}');
  });

  it('show some of 20,000 tools, are found by words, and say how many more there are', () => {
    const tools = Array.from({ length: 20_000 }, (_, index) => toolOf(`tool_${index}`));
    const all = pickableTools([serverOf('big', tools)]);
    const search = new ToolSearch();
    const first = foundToolItems(all, '', search);
    assert.deepEqual(
      [first.length, first.at(-1)?.label, first.at(-1)?.choice],
      [502, '19500 more: type to find them', undefined],
    );
    assertEach(foundToolItems(all, 'tool_1999', search), ({ label }) => label, [
      'tool_1999',
      ...Array.from({ length: 10 }, (_, index) => `tool_1999${index}`),
      'tool_11999',
    ]);
  });
});

describe('Running a call', () => {
  const entry = entryOf('shop', toolOf('echo'));
  const answered = finishedCall({}, { entry });

  async function run(outcome: CallOutcome): Promise<{ asked: CallRequest[]; shown: unknown[] }> {
    const asked: CallRequest[] = [];
    const shown: unknown[] = [];
    const runner = new CallRunner({
      registry: new Snapshots([serverOf('shop', [entry.tool])]),
      gate: {
        call: (request) => {
          asked.push(request);
          return Promise.resolve(outcome);
        },
      },
      showOutcome: (_, what) => Promise.resolve(shown.push(what)),
    });
    const target = { serverId: 'shop', toolName: 'echo', origin: 'tree' } as const;
    assert.equal(await runner.run(requestFor(target, { a: 1 })), outcome);
    return { asked, shown };
  }

  it('goes through the gate with the entered arguments, and shows the answer', async () => {
    const { asked, shown } = await run(answered);
    const [request] = asked;
    assert.deepEqual(request, {
      server: 'shop',
      tool: 'echo',
      arguments: { a: 1 },
      origin: 'tree',
    });
    assert.deepEqual(shown, [answered]);
  });

  it('opens nothing when the call was denied or cancelled, or failed', async () => {
    const outcomes: CallOutcome[] = [
      { kind: 'denied', durationMs: 0 },
      { kind: 'cancelled', durationMs: 0 },
      { kind: 'failed', error: new McpError('timeout'), violations: [], durationMs: 0 },
    ];
    for (const outcome of outcomes) assert.deepEqual((await run(outcome)).shown, []);
  });

  it('offers what helps when the call failed: its arguments, its log, or the call once more', async () => {
    const { showErrorMessage } = vscode.window;
    const offered: string[] = [];
    const show = (sentence: string, ...buttons: readonly string[]) => {
      offered.push([sentence, ...buttons].join(' | '));
      return Promise.resolve(undefined);
    };
    Object.assign(vscode.window, { showErrorMessage: show });
    try {
      for (const error of [
        new McpError('serverError', { rpcCode: -32602 }),
        new McpError('connectionClosed', { exitCode: 3, outcomeUnknown: true }),
        new McpError('connectionClosed', { exitCode: 3 }),
      ]) {
        await run({ kind: 'failed', error, violations: [], durationMs: 0, callId: 'one' });
      }
    } finally {
      Object.assign(vscode.window, { showErrorMessage });
    }
    assert.deepEqual(offered, [
      'Server “shop” answered with error -32602. Check the arguments, or see its log. | Run Again with Changes… | Show Log',
      'Server “shop” exited with exit code 3. See its log. Outcome unknown: the call was sent and may have had an effect. Check before you call it again. | Show Log | Open Configuration',
      'Server “shop” exited with exit code 3. See its log. | Run Again | Show Log',
    ]);
  });

  it('offers at most three buttons when a server failed: VS Code would cut the titles of more', () => {
    const offered: (readonly string[])[] = [];
    replace(vscode.window, {
      showErrorMessage: (_: string, ...buttons: readonly string[]) => {
        offered.push(buttons);
        return Promise.resolve(undefined);
      },
    });
    const server = { id: 'shop', label: 'shop', inputs: [] };
    const headers = { Authorization: 'Bearer key' };
    const transport = { kind: 'http', url: 'https://shop.example/mcp', headers } as const;
    const anonymous = { offersNoSignIn: true, wasAnonymous: true } as const;
    notifyServerError(server, new McpError('unauthorized', anonymous));
    notifyServerError({ ...server, transport }, new McpError('unauthorized'));
    notifyServerError(server, new McpError('exitedEarly', { exitCode: 1 }));
    assert.deepEqual(offered, [
      ['Add Header…', 'Diagnose Server…', 'Show Log'],
      ['Open Configuration', 'Use Sign-In Instead', 'Diagnose Server…'],
      ['Show Log', 'Diagnose Server…', 'Open Configuration'],
    ]);
  });
});

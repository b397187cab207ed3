import assert from 'node:assert/strict';
import type { CallOutcome, CallRequest } from '../../src/host/calls/call';
import type { OngoingCall } from '../../src/host/calls/ongoingCall';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import type { TaskState } from '../../src/core/tasks/taskState';
import { formatKeeping, formatRunningCall } from '../../src/ui/activity/formatCall';
import { CancellationToken } from 'vscode-jsonrpc/node';

const request: CallRequest = { server: 'a', tool: 'dig', origin: 'tree' };
const state: TaskState = { taskId: 't', status: 'working', pollMs: 500 };
const isConnected = () => true;

describe('The row of a task', () => {
  let calls: RunningCalls;
  let call: OngoingCall;
  beforeEach(() => {
    calls = new RunningCalls();
    call = calls.begin('1', request, CancellationToken.None, 0);
    call.goesOn('here', 0, isConnected);
  });
  afterEach(() => calls.dispose());
  const words = () => formatRunningCall(call, 65_000);

  it('says how long it runs, what the server reports, and until when it is kept', () => {
    call.runsAsTask({ ...state, statusMessage: 'Digging $(bug)' });
    call.taskKept(true, Date.now() + 60_000);
    assert.match(words(), /^task · 1 min 5 s · Digging .*bug.* · kept until \d/);
    assert.equal(formatKeeping(call), 'Runs as a task. It continues without this window.');
    call.taskKept(false, undefined);
    assert.equal(formatKeeping(call), 'Runs as a task. It ends with this window.');
  });

  it('says whom the task waits for, and that its time is over', () => {
    call.runsAsTask({ ...state, status: 'input_required' });
    assert.equal(words(), 'task asks you · 1 min 5 s');
    call.goesOn('elsewhere', 0, isConnected);
    call.runsAsTask(state);
    assert.equal(words(), 'task in another window · 1 min 5 s');
    call.goesOn('left', 0, isConnected);
    call.taskKept(true, 1);
    assert.equal(words(), 'task waits for server · 1 min 5 s · timed out');
    call.cancel();
    assert.equal(words(), 'task · cancelled · timed out');
  });

  it('replaces the call that ended with its connection', () => {
    const left: CallOutcome = { kind: 'cancelled', durationMs: 1 };
    calls.end(call, left);
    assert.equal(calls.ended.length, 1);
    call = calls.begin('1', request, CancellationToken.None, 0);
    assert.deepEqual([calls.running.length, calls.ended.length], [1, 0]);
    calls.withdraw(call);
    assert.deepEqual([calls.running.length, calls.ended.length], [0, 0]);
  });
});

import assert from 'node:assert/strict';
import { Emitter } from 'vscode-jsonrpc/node';
import { McpError, type McpErrorFacts } from '../../src/core/errors';
import { SchemaValidator } from '../../src/core/schema/schema';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import type { RegistryChange } from '../../src/host/connections/snapshot';
import { serverFingerprint } from '../../src/host/consent/facts/fingerprints';
import type { StoredTask } from '../../src/host/tasks/storedTasks';
import { TaskKeeper } from '../../src/host/tasks/taskKeeper';
import { whileStopped, type StoppedClock } from '../core/stoppedClock';

const config: ServerConfig = {
  id: 'tasks',
  label: 'Tasks',
  source: { kind: 'setting' },
  transport: { kind: 'http', url: 'https://tasks.example/mcp', headers: {} },
};
const task: StoredTask = {
  callId: 'c1',
  server: 'tasks',
  configuration: serverFingerprint(config),
  account: '',
  origin: 'tree',
  startedAt: 1,
  sentAt: 2,
  handle: { wire: 'stateless', taskId: 't', createdAt: 1, tool: 'long' },
};

/** A window with one stored task, whose running server only fails. */
class FailingTask {
  asked = 0;
  facts: McpErrorFacts = { httpStatus: 500 };
  readonly calls = new RunningCalls();
  readonly changes = new Emitter<RegistryChange>();
  readonly keeper: TaskKeeper;

  constructor() {
    const server = { config, state: { kind: 'running' }, tools: [] };
    const registry = {
      find: () => server,
      client: () => ({ resumeTask: () => this.#fail() }),
      onDidChange: this.changes.event,
    };
    this.keeper = new TaskKeeper({
      store: {
        put: () => Promise.resolve(),
        all: () => Promise.resolve([task]),
        get: () => Promise.resolve(task),
        remove: () => Promise.resolve(),
        onDidChange: new Emitter<void>().event,
      },
      locks: { attempt: async (_name, act) => ({ done: await act() }) },
      registry: registry as never,
      calls: this.calls,
      journal: { ended: () => Promise.resolve() },
      validator: new SchemaValidator(),
      storedArgumentsOf: () => undefined,
      accountOf: () => Promise.resolve(''),
      onProblem: (detail) => assert.fail(detail),
    });
  }

  /** Returns how often the server was asked meanwhile. */
  async during(clock: StoppedClock, ms: number): Promise<number> {
    const before = this.asked;
    for (let passed = 0; passed < ms; passed += 1_000) {
      clock.advance(1_000);
      await new Promise(setImmediate);
    }
    return this.asked - before;
  }

  #fail(): Promise<never> {
    this.asked += 1;
    return Promise.reject(new McpError('httpError', this.facts));
  }
}

async function withFailingTask(act: (failing: FailingTask, clock: StoppedClock) => Promise<void>) {
  await whileStopped(async (clock) => {
    const failing = new FailingTask();
    try {
      await failing.keeper.look();
      await new Promise(setImmediate);
      assert.equal(failing.asked, 1);
      await act(failing, clock);
    } finally {
      failing.keeper.dispose();
      failing.calls.dispose();
    }
  });
}

describe('A stored task whose server only fails', () => {
  it('is asked for more and more rarely, and never given up', () =>
    withFailingTask(async (failing, clock) => {
      const first = await failing.during(clock, 60_000);
      assert.ok(first >= 2 && first <= 5, `${first} times in the first minute`);
      const hour = await failing.during(clock, 3_600_000);
      assert.ok(hour >= 8 && hour <= 22, `${hour} times in the next hour`);
      assert.equal(failing.calls.running[0]?.taskPlace, 'left');
    }));

  it('is asked for at once after its server changed, and not before the server wants it', () =>
    withFailingTask(async (failing, clock) => {
      await failing.during(clock, 600_000);
      const { asked } = failing;
      failing.changes.fire({ kind: 'state', id: 'other' });
      await failing.during(clock, 1_000);
      assert.equal(failing.asked, asked);
      failing.facts = { httpStatus: 500, retryAfterMs: 400_000 };
      failing.changes.fire({ kind: 'state', id: 'tasks' });
      await failing.during(clock, 1_000);
      assert.equal(failing.asked, asked + 1);
      assert.equal(await failing.during(clock, 390_000), 0);
      assert.equal(await failing.during(clock, 20_000), 1);
    }));
});

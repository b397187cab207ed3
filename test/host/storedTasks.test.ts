import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { numberOf, stringifyExactly } from '../../src/core/json/writtenNumber';
import type { SharedSecretStore } from '../../src/host/authorization/secretRecords';
import {
  StoredTasks,
  maxStoredTaskChars,
  parseStoredTask,
  type StoredTask,
} from '../../src/host/tasks/storedTasks';
import { whileStopped } from '../core/stoppedClock';
import { until } from '../waiting';
import { TaskServer } from '../servers/taskServer';
import { assertEach } from '../assertions';
import { rowsOf } from './journalEntries';
import { SharedSecrets } from './sharedSecrets';
import { SecretsInFolder, TaskWindow } from './taskWindow';
import { useFolders } from './testFolders';
import { useWindows } from './windowProcess';

const handle = { wire: 'stateless', taskId: 't', createdAt: 1, tool: 'long' } as const;
const task: StoredTask = {
  callId: 'c1',
  server: 'tasks',
  configuration: 'f',
  account: '',
  origin: 'tree',
  startedAt: 1,
  sentAt: 2,
  handle,
};

describe('A task that outlives its window', () => {
  const newFolder = useFolders('tasks');
  const openProcess = useWindows();
  let server: TaskServer;
  let folder: string;
  let shared: SharedSecrets;
  const windows: TaskWindow[] = [];
  const open = (secrets: SharedSecretStore = shared.window()) => {
    const window = new TaskWindow(folder, secrets, server.url);
    windows.push(window);
    return window;
  };
  const close = async (window: TaskWindow) => {
    windows.splice(windows.indexOf(window), 1);
    await window.close();
  };
  const serve = async (options: Parameters<typeof TaskServer.start>[0]) => {
    await server.stop();
    server = await TaskServer.start(options);
  };
  beforeEach(async () => {
    folder = newFolder();
    shared = new SharedSecrets();
    server = await TaskServer.start({ era: 'stateless' });
  });
  afterEach(async () => {
    await Promise.all(windows.splice(0).map((window) => window.close()));
    await server.stop();
  });

  /** Starts a task and closes its window while it runs; returns the id of its call. */
  async function leaveTask(window = open()): Promise<string> {
    await window.registry.start('tasks');
    void window.call('long');
    await window.until(() => window.calls.running[0]?.isTaskKept === true);
    const id = window.calls.running[0]?.id ?? '';
    await close(window);
    return id;
  }

  /** Kills a window that has printed `lines` lines, and opens the next one. */
  async function openAfterKill(
    call: readonly string[],
    ready: () => Promise<unknown> = () => Promise.resolve(),
    lines = 1,
  ): Promise<TaskWindow> {
    const doomed = openProcess('doomedTaskWindow.ts', [folder, server.url, ...call]);
    await doomed.hasSaid(lines);
    await ready();
    doomed.child.kill('SIGKILL');
    await doomed.closed;
    return open(new SecretsInFolder(path.join(folder, 'secrets')));
  }

  async function resume(window: TaskWindow): Promise<void> {
    await window.registry.start('tasks');
    await window.until(() => window.calls.running[0]?.taskPlace === 'here');
  }

  /** The server answers, and the window records the end. */
  async function finish(window: TaskWindow): Promise<void> {
    server.finish();
    await window.until(() => window.calls.ended.length === 1);
  }

  /** How a call stands in the journal and in the history. */
  async function recorded(window: TaskWindow) {
    await window.journal.stop();
    await window.history.stop();
    const rows = (await rowsOf(window.journal)).filter(({ kind }) => kind === 'call');
    await window.history.refresh();
    return {
      journal: rows.map((row) => row.kind === 'call' && row.outcome),
      history: window.history.calls,
    };
  }

  for (const era of ['stateful', 'stateless'] as const) {
    it(`is resumed by the next window, and recorded once: ${era}`, async () => {
      await serve({ era });
      const first = open();
      await first.registry.start('tasks');
      const call = first.call('long', { depth: 3 });
      await first.until(() => first.calls.running[0]?.isTaskKept === true);
      assert.equal(first.calls.running[0]?.task?.status, 'working');
      await close(first);
      assert.equal((await call).kind, 'failed');
      const second = open();
      await second.keeper.look();
      assertEach(second.calls.running, ({ phase, taskPlace }) => [phase, taskPlace], [
        ['running', 'left'],
      ]);
      await resume(second);
      await finish(second);
      assert.equal(server.count('tools/call'), 1);
      const { journal, history } = await recorded(second);
      assertEach(journal, (outcome) => outcome && [outcome.outcome, outcome.resumed], [
        ['result', true],
      ]);
      assertEach(history, (past) => [past.outcome, past.arguments, past.startedAt], [
        ['result', { depth: 3 }, second.calls.ended[0]?.startedAt],
      ]);
      assert.equal(shared.kept.size, 0);
    });

    it(`is resumed after its window was killed, and no secret of it is on disk: ${era}`, async () => {
      await serve({ era });
      const next = await openAfterKill(['long'], () => server.arrival('tasks/get'));
      await resume(next);
      await finish(next);
      const { journal, history } = await recorded(next);
      assertEach(journal, (outcome) => outcome && [outcome.outcome, outcome.resumed], [
        ['result', true],
      ]);
      assert.equal(history.length, 1);
      const onDisk = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
        (file) => file.isFile() && !file.parentPath.endsWith('secrets'),
      );
      assert.ok(onDisk.length > 2);
      for (const { parentPath, name } of onDisk) {
        const text = readFileSync(path.join(parentPath, name), 'utf8');
        assert.doesNotMatch(text, /task-\d|session-\d/, name);
      }
    });
  }

  it('is lost if the window is killed before the handle is stored, and the journal says that its window ended', async () => {
    const next = await openAfterKill(['long', 'before keeping']);
    await next.registry.start('tasks');
    await next.keeper.look();
    assert.deepEqual(next.calls.running, []);
    const outcome = next.call('long');
    await server.arrival('tasks/get');
    server.finish();
    assert.equal((await outcome).kind, 'result');
    const { journal } = await recorded(next);
    assert.deepEqual(
      new Set(journal.map((each) => each && each.outcome)),
      new Set(['result', 'windowEnded']),
    );
  });

  for (const { moment, said, rest } of [
    { moment: 'before its first poll', said: 1, rest: ['long', 'before polling'] },
    { moment: 'with an open question', said: 2, rest: ['ask'] },
  ]) {
    it(`is resumed if the window was killed ${moment}`, async () => {
      const next = await openAfterKill(rest, undefined, said);
      assert.equal(server.count('tasks/get') > 0, rest[0] === 'ask');
      assert.equal(server.count('tasks/update'), 0);
      next.elicit = () => Promise.resolve({ action: 'accept', content: { colour: 'red' } });
      await resume(next);
      if (rest[0] === 'ask') await server.arrival('tasks/update');
      await finish(next);
      assert.equal(next.calls.ended[0]?.outcome, 'result');
    });
  }

  it('continues in the same window after its server was restarted', async () => {
    await serve({ era: 'stateful' });
    const window = open();
    await window.registry.start('tasks');
    const call = window.call('long');
    await window.until(() => window.calls.running[0]?.isTaskKept === true);
    await window.registry.stop('tasks');
    const outcome = await call;
    assert.equal(outcome.kind === 'failed' && outcome.error.code, 'taskLeft');
    await window.until(() => window.calls.running[0]?.taskPlace === 'left');
    assert.deepEqual(window.calls.ended, []);
    await resume(window);
    server.finish();
    await window.until(() => window.calls.ended[0]?.outcome === 'result');
  });

  it('is followed by one of two windows and shown by both, and the other can cancel it', async () => {
    const [first, second] = [open(), open()];
    await Promise.all([first.registry.start('tasks'), second.registry.start('tasks')]);
    const call = first.call('long');
    await first.until(() => first.calls.running[0]?.isTaskKept === true);
    await second.until(() => second.calls.running[0]?.taskPlace === 'elsewhere');
    assert.equal(first.calls.running[0]?.taskPlace, 'here');
    second.calls.cancel(second.calls.running[0]?.id ?? '');
    const outcome = await call;
    assert.equal(outcome.kind === 'failed' && outcome.error.code, 'taskCancelled');
    await second.until(() => second.calls.running.length === 0);
    assert.deepEqual(second.calls.ended, []);
    const { journal, history } = await recorded(first);
    assert.equal(journal.length, 1);
    assert.equal(history.length, 1);
  });

  it('asks its question again after the window that showed it', async () => {
    const first = open();
    const asked = new Promise<void>((resolve) => {
      first.elicit = (_, token) =>
        new Promise((answer) => {
          resolve();
          token.onCancellationRequested(() => answer({ action: 'cancel' }));
        });
    });
    await first.registry.start('tasks');
    void first.call('ask');
    await asked;
    await close(first);
    assert.equal(server.count('tasks/update'), 0);
    const second = open();
    second.elicit = () => Promise.resolve({ action: 'accept', content: { colour: 'red' } });
    await second.registry.start('tasks');
    await server.arrival('tasks/update');
    await finish(second);
    const answer = second.history.find(second.calls.ended[0]?.id ?? '');
    assert.ok(answer);
    assert.match(JSON.stringify(await second.history.answerOf(answer)), /red/);
  });

  it('has an unknown outcome if its server no longer knows it', async () => {
    await serve({ era: 'stateful' });
    await leaveTask();
    server.forget();
    const second = open();
    await second.registry.start('tasks');
    await second.until(() => second.calls.ended.length === 1);
    const [ended] = second.calls.ended;
    assert.equal(ended?.error?.code, 'taskLost');
    assert.equal(ended.error.facts.outcomeUnknown, true);
    assert.equal(shared.kept.size, 0);
  });

  for (const status of [404, 410]) {
    it(`has an unknown outcome if its server answers only with status ${status}`, async () => {
      await leaveTask();
      server.failure = status;
      const asked = server.count('tasks/get');
      const second = open();
      await second.registry.start('tasks');
      await until(() => server.count('tasks/get') > asked);
      await second.until(
        () => second.calls.ended.length === 1 || second.calls.running[0]?.taskPlace === 'left',
      );
      const [ended] = second.calls.ended;
      assert.equal(ended?.error?.code, 'taskLost');
      assert.equal(ended.error.facts.outcomeUnknown, true);
      assert.equal(shared.kept.size, 0);
    });
  }

  it('has an unknown outcome if its time is over and its server fails, and waits before that', async () => {
    for (const ttlMs of [1, 600_000]) {
      await serve({ era: 'stateless', ttlMs });
      await leaveTask();
      server.failure = 500;
      const asked = server.count('tasks/get');
      const second = open();
      await second.registry.start('tasks');
      const isOver = ttlMs === 1;
      await until(() => server.count('tasks/get') > asked);
      if (isOver) {
        await second.until(() => second.calls.ended.length === 1);
        assert.equal(second.calls.ended[0]?.error?.facts.outcomeUnknown, true);
      } else await second.until(() => second.calls.running[0]?.taskPlace === 'left');
      assert.equal(shared.kept.size, isOver ? 0 : 1);
      await close(second);
    }
  });

  it('is not read from the store repeatedly while it waits', async () => {
    await leaveTask();
    const secrets = shared.window();
    const second = open(secrets);
    await whileStopped(async (clock) => {
      await second.keeper.look();
      assert.equal(second.calls.running[0]?.taskPlace, 'left');
      const { reads } = secrets;
      for (let count = 0; count < 12; count += 1) {
        clock.advance(5_000);
        await new Promise(setImmediate);
      }
      assert.equal(secrets.reads, reads);
    });
  });

  it('waits for its account and configuration, and can be removed', async () => {
    const first = open();
    first.account = 'ann';
    await leaveTask(first);
    const gets = server.count('tasks/get');
    const second = open();
    second.account = 'bob';
    await second.registry.start('tasks');
    await second.keeper.look();
    assert.equal(second.calls.running[0]?.taskPlace, 'left');
    second.registry.setConfiguration([], []);
    await second.keeper.look();
    assert.deepEqual(second.calls.running, []);
    assert.equal(server.count('tasks/get'), gets);
    await second.keeper.forget([...shared.kept.keys()][0]?.slice('task:'.length) ?? '');
    assert.equal(shared.kept.size, 0);
  });

  it('that cannot be stored continues anyway, with a message', async () => {
    const secrets = shared.window();
    secrets.isBroken = true;
    const window = open(secrets);
    await window.registry.start('tasks');
    const call = window.call('long');
    await window.until(() => window.calls.running[0]?.isTaskKept === false);
    server.finish();
    assert.equal((await call).kind, 'result');
    assert.deepEqual(window.problems, ['no keyring']);
  });

  it('is one of at most 200, whatever is in the store', async () => {
    for (let index = 0; index < 10_000; index += 1) {
      const callId = `c${index}`;
      const recent = { ...task, callId, handle: { ...handle, createdAt: Date.now() } };
      shared.kept.set(`task:${callId}`, JSON.stringify(recent));
    }
    const tasks = new StoredTasks(shared.window());
    assert.equal((await tasks.all()).length, 200);
    await assert.rejects(tasks.put({ ...task, callId: 'one more' }), /200 tasks/);
    tasks.dispose();
  });

  it('takes the place of one that its server may have deleted long ago', async () => {
    const now = Date.now();
    const day = 24 * 60 * 60 * 1_000;
    const old = [{ createdAt: now - 2 * day, ttlMs: 60_000 }, { createdAt: now - 31 * day }];
    const young = [{ createdAt: now - day, ttlMs: 60_000 }, { createdAt: now - 29 * day }];
    for (let index = 0; index < 200; index += 1) {
      const callId = `c${index}`;
      const age = [...old, ...young][index % 4];
      const text = JSON.stringify({ ...task, callId, handle: { ...handle, ...age } });
      shared.kept.set(`task:${callId}`, text);
    }
    const tasks = new StoredTasks(shared.window());
    await tasks.put({ ...task, callId: 'one more' });
    assert.equal(shared.kept.size, 101);
    tasks.dispose();
  });

  it('that is removed ends with an unknown outcome, in the list as well', async () => {
    const id = await leaveTask();
    const second = open();
    await second.keeper.look();
    await second.keeper.forget(id);
    await second.keeper.look();
    assertEach(second.calls.ended, (call) => [call.id, call.error?.code], [[id, 'taskLost']]);
    assert.deepEqual([second.calls.running.length, shared.kept.size], [0, 0]);
  });
});

describe('A stored task', () => {
  it('keeps every digit of the tool’s arguments', async () => {
    const store = new StoredTasks(new SharedSecrets().window());
    const given = { id: numberOf('9007199254740993'), rate: numberOf('1.0') };
    await store.put({ ...task, arguments: given });
    const kept = (await store.get('c1'))?.arguments;
    assert.equal(stringifyExactly(kept), '{"id":9007199254740993,"rate":1.0}');
    store.dispose();
  });

  it('is read as it was written, and anything else is rejected', () => {
    const whole: StoredTask = {
      ...task,
      client: 'agent',
      handle: { ...handle, sessionId: 's', ttlMs: 5 },
      arguments: { a: [1, { b: null }] },
      secrets: ['x'],
    };
    for (const each of [task, whole]) {
      assert.deepEqual(parseStoredTask('c1', JSON.stringify(each)), each);
    }
    const wrong = [
      undefined,
      '',
      'null',
      '[]',
      '"c1"',
      '{',
      JSON.stringify({ ...task, callId: 'c2' }),
      JSON.stringify({ ...task, origin: 'moon' }),
      JSON.stringify({ ...task, handle: { ...handle, wire: 'pigeon' } }),
      JSON.stringify({ ...task, handle: { ...handle, taskId: 'x'.repeat(5_000) } }),
      JSON.stringify({ ...task, handle: { ...handle, ttlMs: '1' } }),
      JSON.stringify({ ...task, arguments: [] }),
      JSON.stringify({ ...task, secrets: [1] }),
      JSON.stringify({ ...task, arguments: { a: 'x'.repeat(maxStoredTaskChars) } }),
    ];
    for (const text of wrong) assert.equal(parseStoredTask('c1', text), undefined, text);
  });
});

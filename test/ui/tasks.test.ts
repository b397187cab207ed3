import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type * as vscode from 'vscode';
import { commands, settings } from '../../src/ids';
import { TaskNotices } from '../../src/ui/activity/taskNotices';
import { offerTask } from '../../src/ui/configuration/taskChoiceCommands';
import { SharedSecrets } from '../host/sharedSecrets';
import { TaskWindow } from '../host/taskWindow';
import { TaskServer } from '../servers/taskServer';
import { until } from '../waiting';
import { run, set, useWindow } from './realWindow';
import { chooseRow, escape, pressRow, ShownPicks } from './shownPicks';

const clock = performance.now.bind(performance);
const wordsOf = ({ items }: vscode.QuickPick<vscode.QuickPickItem>) =>
  items.map(({ label, description = '', detail = '' }) =>
    [label, description, detail].filter((part) => part !== '').join(' | '),
  );

describe('Tasks in a window', () => {
  let picks: ShownPicks;
  /** Of the stateless era, so that it asks; of the stateful one, so that it lists. */
  let asking: TaskServer;
  let digging: TaskServer;
  let silent: TaskServer;

  before(async () => {
    [asking, digging, silent] = await Promise.all([
      TaskServer.start({ era: 'stateless' }),
      TaskServer.start({ era: 'stateful' }),
      TaskServer.start({ era: 'stateful' }),
    ]);
    silent.listed = 'never';
    await set(settings.rules, [{ effect: 'allow', risk: 'destructive' }]);
  });
  const { extension, answers } = useWindow({
    servers: () =>
      Object.fromEntries(
        Object.entries({ asking, digging, silent }).map(([id, { url }]) => [id, { url }]),
      ),
  });
  before(() => {
    picks = new ShownPicks();
  });
  beforeEach(() => {
    answers.told.length = 0;
  });
  afterEach(() => {
    performance.now = clock;
  });
  after(async () => {
    picks.dispose();
    await set(settings.rules, undefined);
    await Promise.all([asking, digging, silent].map((server) => server.stop()));
  });

  /** Shows the list of tasks; `act` closes it. */
  async function tasks<T>(
    act: (pick: vscode.QuickPick<vscode.QuickPickItem>) => Promise<T>,
  ): Promise<T> {
    const { count } = picks;
    const listing = run(commands.listTasks);
    const result = await act(await picks.shownAfter(count));
    await listing;
    return result;
  }

  it('have questions that wait when they are closed, and are answered later, once', async () => {
    const { count } = picks;
    const call = extension.api.callTool({ server: 'asking', tool: 'ask' });
    const first = await picks.shownAfter(count);
    assert.equal(first.title, 'Server “asking” asks you');
    await escape(first);
    answers.pick = 'Asking Work';
    const second = picks.shownAfter(count + 1);
    await run(commands.answerTask);
    assert.equal(answers.listed.length, 1);
    await chooseRow(await second, 'Later');
    const listed = await tasks(async (pick) => {
      const words = wordsOf(pick);
      answers.pick = 'Answer…';
      await chooseRow(pick, 'Asking Work');
      return words;
    });
    assert.match(listed.join('\n'), /Asking Work \| asking · task asks you/);
    assert.equal(asking.count('tasks/update'), 0, 'closing is no answer');
    await chooseRow(await picks.shownAfter(count + 3), 'Decline');
    await asking.arrival('tasks/update');
    asking.finish();
    const { content } = await call;
    const text = 'result of ask after {"colour":{"action":"decline"}}';
    assert.deepEqual(content, [{ type: 'text', text }]);
    assert.equal(asking.count('tasks/update'), 1);
    await run(commands.answerTask);
    assert.equal(answers.told.at(-1), 'No task is asking you a question.');
  });

  it('can be hidden and shown again, and announce their end anyway', async () => {
    const call = extension.api.callTool({ server: 'digging', tool: 'long' });
    await digging.arrival('tasks/get');
    const picture = () =>
      tasks(async (pick) => {
        const words = wordsOf(pick).find((row) => row.startsWith('Long Work'));
        await escape(pick);
        return words ?? '';
      });
    answers.pick = 'Long Work';
    await run(commands.hideTask);
    assert.match(await picture(), /digging · task · hidden/);
    await tasks((pick) => {
      answers.pick = 'Show Again';
      return chooseRow(pick, 'Long Work');
    });
    assert.doesNotMatch(await picture(), /hidden/);
    answers.pick = 'Long Work';
    await run(commands.hideTask);
    performance.now = () => clock() + 20_000;
    digging.finish();
    assert.equal((await call).kind, 'result');
    assert.deepEqual(answers.told, ['“Long Work” on “digging” has ended.']);
    answers.pick = undefined;
    await until(async () => {
      await run(commands.openCallResult);
      return answers.listed.includes('Long Work');
    });
  });

  it('are listed with tasks that only servers know, which are read-only', async () => {
    const state = { createdAt: '', lastUpdatedAt: '', ttl: null, status: 'working' };
    digging.listed = Array.from({ length: 120 }, (_, at) => ({
      ...state,
      taskId: `secret ${at}`,
      statusMessage: `Baking ${at} $(bug)`,
    }));
    const arrived = digging.count('tasks/get');
    const call = extension.api.callTool({ server: 'digging', tool: 'long' });
    await until(() => Promise.resolve(digging.count('tasks/get') > arrived));
    await tasks(async (pick) => {
      await until(() => Promise.resolve(pick.items.length > 1));
      const [own = '', heading, ...foreign] = wordsOf(pick);
      assert.match(own, /^Long Work \| digging · task · /);
      assert.equal(heading, 'Only on the server (read-only)');
      assert.equal(foreign.length, 101, 'one server that does not answer holds up no other');
      assert.match(foreign[0] ?? '', /^Running \| digging · read-only \| “Baking 0 /);
      assert.equal(foreign.at(-1), 'digging | The server lists more tasks.');
      assert.doesNotMatch(JSON.stringify(pick.items), /secret/);
      assert.doesNotMatch(foreign.join(), /[^\\]\$\(bug\)/);
      assert.equal(pick.busy, true);
      await pressRow(pick, 'Running');
      await escape(pick);
    });
    digging.listed = [];
    digging.finish();
    assert.equal((await call).kind, 'result');
  });
});

describe('A message about a task', () => {
  let folder: string;
  let server: TaskServer;
  let window: TaskWindow;
  const told: string[] = [];
  const show = (_: string, sentence: string, ...actions: readonly { readonly title: string }[]) =>
    void told.push([sentence, ...actions.map(({ title }) => title)].join(' | '));

  beforeEach(async () => {
    told.length = 0;
    folder = await mkdtemp(path.join(tmpdir(), 'toolgate-tasks-'));
    server = await TaskServer.start({ era: 'stateful' });
    window = new TaskWindow(folder, new SharedSecrets().window(), server.url);
    await window.registry.start('tasks');
  });
  afterEach(async () => {
    performance.now = clock;
    await window.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('offers once to run a tool as a task, after a call that took longer than ten seconds', async () => {
    const { registry, choices: taskChoices, calls: running } = window;
    const options = { registry, taskChoices, running, notify: show };
    running.onDidEnd((call) => offerTask(options, call));
    for (const takesMs of [0, 9_000, 11_000, 11_000]) {
      server.onCall = () => (performance.now = () => clock() + takesMs);
      assert.equal((await window.call('either')).kind, 'result');
      performance.now = clock;
      if (takesMs < 10_000) assert.deepEqual(told, []);
    }
    const offer = 'A call of “either” took long. The tool can also run as a task.';
    assert.deepEqual(told, [`${offer} | Run as Task`]);
  });

  it('says that a long task has ended, unless its row is visible', async () => {
    let isInSight = false;
    const notices = new TaskNotices({
      calls: window.calls,
      isInSight: () => isInSight,
      notify: show,
    });
    const end = async (takesMs: number, hides = false) => {
      told.length = 0;
      const call = window.call('long');
      await window.until(() => window.calls.running[0]?.isTaskKept === true);
      if (hides) window.calls.hide(window.calls.running[0]?.id ?? '', true);
      performance.now = () => clock() + takesMs;
      server.finish();
      assert.equal((await call).kind, 'result');
      performance.now = clock;
      return [...told];
    };
    const sentence = '“Long Work” on “Tasks” has ended. | Show Result';
    assert.deepEqual(await end(0), []);
    assert.deepEqual(await end(11_000), [sentence]);
    isInSight = true;
    assert.deepEqual(await end(11_000), []);
    assert.deepEqual(await end(11_000, true), [sentence]);
    notices.dispose();
  });
});

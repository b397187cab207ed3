import assert from 'node:assert/strict';
import { TaskServer } from '../servers/taskServer';
import { SharedSecrets } from './sharedSecrets';
import { newMemory, TaskWindow } from './taskWindow';
import { useFolders } from './testFolders';

describe('A tool that can run as a task', () => {
  const newFolder = useFolders('task-choices');
  let server: TaskServer;
  let window: TaskWindow;
  const memory = newMemory();
  const open = async () => {
    window = new TaskWindow(newFolder(), new SharedSecrets().window(), server.url, memory);
    await window.registry.start('tasks');
  };
  const config = () => window.registry.find('tasks')?.config ?? assert.fail();
  const choices = () =>
    window.registry.find('tasks')?.tools.map(({ tool, taskChoice }) => [tool.name, taskChoice]);
  afterEach(async () => {
    await window.close();
    await server.stop();
  });

  /** Whether a call of `either` ran as a task. */
  async function ranAsTask(): Promise<boolean> {
    server.tasks.splice(0);
    const calling = window.call('either');
    await Promise.race([calling, window.until(() => server.tasks.length > 0)]);
    server.finish();
    const { kind, wasTask } = await calling;
    assert.equal(kind, 'result');
    return wasTask === true;
  }

  it('does so if the user chose it, which is stored, and is called directly otherwise', async () => {
    server = await TaskServer.start({ era: 'stateful' });
    await open();
    assert.equal(await ranAsTask(), false);
    await window.choices.choose(config(), 'either', true);
    assert.deepEqual(choices(), [
      ['long', undefined],
      ['either', 'task'],
      ['ask', undefined],
    ]);
    assert.equal(await ranAsTask(), true);
    await window.close();
    await open();
    assert.equal(await ranAsTask(), true);
    await window.choices.choose(config(), 'either', false);
    assert.equal(await ranAsTask(), false);
  });

  it('is never run as a task if its server does not declare that', async () => {
    server = await TaskServer.start({ era: 'stateful', declaresTasks: false });
    await open();
    await window.choices.choose(config(), 'either', true);
    assert.deepEqual(
      choices()?.map(([, choice]) => choice),
      [undefined, undefined, undefined],
    );
    assert.equal(await ranAsTask(), false);
    const { message } = await server.arrival('tools/call');
    assert.equal(message.params?.task, undefined);
  });

  it('is suggested as a task once, also in the next window', async () => {
    server = await TaskServer.start({ era: 'stateful' });
    await open();
    const first = [1, 2].map(() => window.choices.isFirstOffer(config(), 'either'));
    await window.close();
    await open();
    assert.deepEqual(
      [...first, window.choices.isFirstOffer(config(), 'either')],
      [true, false, false],
    );
  });
});

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { CallOutcome, ServerSnapshot, ToolgateApi } from '../../src/api';
import { exactNumber } from '../../src/core/json/writtenNumber';
import { InactiveApi } from '../../src/ui/activation/inactiveFiles';

const server: ServerSnapshot = {
  id: 'one',
  label: 'One',
  source: 'a file',
  state: 'stopped',
  tools: [],
  problems: [],
};

describe('The API before the rest of the extension is loaded', () => {
  const onDidChange = new vscode.EventEmitter<void>();
  const answer: CallOutcome = { kind: 'result', durationMs: 1 };
  let stops = 0;
  const awake: ToolgateApi = {
    version: 1,
    servers: [server],
    onDidChange: onDidChange.event,
    start: (id) => Promise.resolve({ ...server, id }),
    stop: () => Promise.resolve(void (stops += 1)),
    exactNumber,
    callTool: () => Promise.resolve(answer),
  };
  let wakes = 0;
  let wake: () => Promise<ToolgateApi>;
  let api: InactiveApi;
  let changes = 0;

  beforeEach(() => {
    [wakes, changes, stops] = [0, 0, 0];
    wake = () => {
      wakes += 1;
      return Promise.resolve(awake);
    };
    api = new InactiveApi(() => wake());
    api.onDidChange(() => (changes += 1));
  });
  afterEach(() => api.dispose());
  after(() => onDidChange.dispose());

  it('has no servers, stops none, and loads nothing when it is only inspected', async () => {
    assert.deepEqual(api.servers, []);
    await api.stop('one');
    assert.deepEqual([wakes, stops], [0, 0]);
  });

  it('announces that the full API has replaced it, and forwards its changes', async () => {
    api.follow(awake);
    assert.deepEqual([api.servers, changes], [[server], 1]);
    onDidChange.fire();
    assert.equal(changes, 2);
    await api.stop('one');
    assert.equal(stops, 1);
  });

  it('loads the rest for a start and for a call, and returns the same answers', async () => {
    assert.equal((await api.start('two')).id, 'two');
    assert.equal(await api.callTool({ server: 'one', tool: 'any' }), answer);
    assert.equal(wakes, 2);
  });

  it('stops a server whose start waits until the rest is loaded', async () => {
    const told: string[] = [];
    let load = (): void => undefined;
    const loading = new Promise<void>((resolve) => (load = resolve));
    const notify = <T>(what: string, value: T): Promise<T> => {
      told.push(what);
      return Promise.resolve(value);
    };
    wake = () =>
      loading.then(() => ({
        ...awake,
        start: () => notify('start', server),
        stop: () => notify('stop', undefined),
      }));
    const started = api.start('one');
    const stopped = api.stop('one');
    load();
    await Promise.all([started, stopped]);
    assert.deepEqual(told, ['start', 'stop']);
  });

  it('has nothing to stop if the rest cannot be loaded', async () => {
    wake = () => Promise.reject(new Error('no such file'));
    const started = api.start('one');
    await api.stop('one');
    await assert.rejects(started, /no such file/);
  });

  it('reports a failed call if the rest cannot be loaded', async () => {
    wake = () => Promise.reject(new Error('no such file'));
    const { kind, error } = await api.callTool({ server: 'one', tool: 'any' });
    assert.deepEqual([kind, error?.code], ['failed', 'notLoaded']);
    assert.match(error?.message ?? '', /no such file/);
    await assert.rejects(api.start('one'), /no such file/);
  });
});

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { holdsFocusKey, internalCommands } from '../../src/ids';
import { accept, pressingKey, watchMade, watchShown } from './pressingKeys';
import { serverOf, toolOf } from '../host/treeFixtures';
import { pickTool } from '../../src/ui/picking/toolPicker';
import type { OnStartBegun } from '../../src/ui/servers/serverActions';
import { until } from '../waiting';
import { atEnd, commandsOf, replace } from './replacing';
import { FocusPlaceholder } from '../../src/ui/picking/focusPlaceholder';

/** What Escape does, by the key that VS Code was told last, and which boxes are left open. */
describe('The focus placeholder while servers start', () => {
  const { executeCommand } = vscode.commands;
  let hasKey: unknown;
  let escape: () => unknown;
  let disposed: string[];
  let focus: FocusPlaceholder;
  const onDidAnswer = new vscode.EventEmitter<void>();

  beforeEach(() => {
    hasKey = undefined;
    disposed = [];
    replace(vscode.commands, {
      executeCommand: (id: string, ...given: unknown[]) => {
        if (id === 'setContext' && given[0] === holdsFocusKey) hasKey = given[1];
        return executeCommand(id, ...given);
      },
    });
    watchMade({
      pick: (pick) => {
        const dispose = pick.dispose.bind(pick);
        pick.dispose = () => {
          disposed.push(pick.title ?? '');
          dispose();
        };
      },
    });
    focus = new FocusPlaceholder(onDidAnswer.event);
    // The extension, which has a command of that name, may wake at any time.
    const handlers = commandsOf(() => {
      const registered = focus.register();
      atEnd(() => registered.dispose());
    });
    escape = handlers.get(internalCommands.cancelStart) ?? assert.fail();
  });

  /** The picker of tools while the server of its first row starts, and the end of that start. */
  async function startFromPicker() {
    const call = focus.begin();
    const server = serverOf('shop', [], { state: { kind: 'stopped' } });
    const servers = [server];
    let finish = (_isStarted: boolean): void => assert.fail();
    const start = (_id: string, _isByHand?: boolean, begun?: OnStartBegun) => {
      const token = begun?.('shop');
      return new Promise<boolean>((resolve) => {
        finish = (isStarted) => {
          servers[0] = serverOf('shop', [toolOf('sell')]);
          resolve(isStarted);
        };
        token?.onCancellationRequested(() => resolve(false));
      });
    };
    const actions = { start, startAll: async () => undefined };
    const shown: string[] = [];
    watchShown({ pick: ({ title = '' }) => shown.push(title) });
    const picked = pickTool({ registry: { servers }, actions, held: call });
    await until(async () => {
      await vscode.commands.executeCommand(accept);
      return shown.length > 1;
    });
    return { call, shown, picked, finish: () => finish(true) };
  }

  it('lets Escape cancel the start of a server from the picker of tools, which stays closed', async () => {
    const { call, shown, picked } = await startFromPicker();
    assert.equal(hasKey, true);
    escape();
    assert.equal(await picked, undefined);
    assert.deepEqual(shown, ['Call Tool', 'Call Tool']);
    focus.end(call);
    assert.equal(hasKey, false);
  });

  it('leaves the picker of tools open when the server has started', async () => {
    const { call, picked, finish } = await startFromPicker();
    finish();
    assert.equal((await pressingKey(accept, picked))?.tool.name, 'sell');
    assert.equal(hasKey, false);
    assert.deepEqual(disposed, []);
    focus.end(call);
    assert.deepEqual(disposed, ['Call Tool']);
  });

  it('belongs to one call, and the end of one call leaves the others unchanged', () => {
    const [one, two] = [focus.begin(), focus.begin()];
    const first = one.start('one');
    const second = two.start('two');
    focus.end(one);
    assert.deepEqual(disposed, ['Starting server “one”…']);
    assert.equal(hasKey, true);
    escape();
    assert.equal(first.token.isCancellationRequested, false);
    assert.equal(second.token.isCancellationRequested, true);
    focus.end(two);
    assert.equal(hasKey, false);
  });

  it('lets Escape close a picker that has replaced it, before VS Code knows that', async () => {
    const call = focus.begin();
    const { token } = call.start('one');
    const other = vscode.window.createQuickPick();
    atEnd(() => other.dispose());
    const closed = new Promise<void>((resolve) => other.onDidHide(resolve));
    other.show();
    await until(() => hasKey === false);
    escape();
    await closed;
    assert.equal(token.isCancellationRequested, false);
    focus.end(call);
  });

  it('applies Escape to the newest, even if it hides an older one', async () => {
    const older = focus.begin();
    const newer = focus.begin();
    const hidden = new Promise<void>((resolve) => {
      watchMade({ pick: (pick) => void pick.onDidHide(() => setTimeout(resolve)) });
    });
    older.start('older');
    const { token } = newer.start('newer');
    await hidden;
    assert.equal(hasKey, true);
    onDidAnswer.fire();
    escape();
    assert.equal(token.isCancellationRequested, true);
    focus.end(newer);
    focus.end(older);
    assert.equal(hasKey, false);
  });
});

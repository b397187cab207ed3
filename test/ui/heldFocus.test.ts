import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { holdsFocusKey, internalCommands } from '../../src/ids';
import { watchMade } from './pressingKeys';
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

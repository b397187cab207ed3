import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { holdsFocusKey, internalCommands } from '../../src/ids';
import { FocusPlaceholder } from '../../src/ui/picking/focusPlaceholder';

/** What Escape does, by the key that VS Code was told last, and which boxes are left open. */
describe('The focus placeholder while servers start', () => {
  const { registerCommand, executeCommand } = vscode.commands;
  const { createQuickPick } = vscode.window;
  let hasKey: unknown;
  let escape: () => unknown;
  let disposed: string[];
  let focus: FocusPlaceholder;
  let registered: vscode.Disposable;
  const onDidAnswer = new vscode.EventEmitter<void>();

  beforeEach(() => {
    hasKey = undefined;
    disposed = [];
    Object.assign(vscode.commands, {
      executeCommand: (id: string, ...given: unknown[]) => {
        if (id === 'setContext' && given[0] === holdsFocusKey) hasKey = given[1];
        return executeCommand(id, ...given);
      },
    });
    Object.assign(vscode.window, {
      createQuickPick: () => {
        const pick = createQuickPick();
        const dispose = pick.dispose.bind(pick);
        pick.dispose = () => {
          disposed.push(pick.title ?? '');
          dispose();
        };
        return pick;
      },
    });
    focus = new FocusPlaceholder(onDidAnswer.event);
    // The extension, which has a command of that name, may wake at any time.
    Object.assign(vscode.commands, {
      registerCommand: (id: string, act: () => unknown) => {
        assert.equal(id, internalCommands.cancelStart);
        escape = act;
        return new vscode.Disposable(() => undefined);
      },
    });
    registered = focus.register();
    Object.assign(vscode.commands, { registerCommand });
  });
  afterEach(() => {
    registered.dispose();
    Object.assign(vscode.commands, { executeCommand });
    Object.assign(vscode.window, { createQuickPick });
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

  it('applies Escape to the newest, even if it hides an older one', async () => {
    const older = focus.begin();
    const newer = focus.begin();
    const hidden = new Promise<void>((resolve) => {
      Object.assign(vscode.window, {
        createQuickPick: () => {
          const pick = createQuickPick();
          pick.onDidHide(() => setTimeout(resolve));
          return pick;
        },
      });
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

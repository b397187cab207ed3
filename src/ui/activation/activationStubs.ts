import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands, internalCommands, views } from '../../ids';
import { makeTestController, type TestsOnRequest } from './testProfiles';

/**
 * Resolves when everything is registered and the configuration has been read. Rejects with the
 * reason otherwise.
 */
type Activate = () => Promise<unknown>;

/** A request to the Test Explorer from before the extension was loaded. */
export type TestRequest = (explorer: TestsOnRequest) => Promise<void>;

/**
 * Registers stubs while the extension is not loaded. Each call of a stub activates the extension,
 * waits for it and forwards to it. Dispose of the stubs before the real providers are registered.
 */
export function registerActivationStubs(
  wake: Activate,
  requestTests: (request: TestRequest) => void,
): vscode.Disposable {
  const onlyWake = async (): Promise<void> => void (await wake());
  const activateFor = async (
    token: vscode.CancellationToken,
    request: TestRequest,
  ): Promise<void> => {
    await wake();
    if (token.isCancellationRequested) return;
    let granted = Promise.resolve();
    requestTests((explorer) => (granted = request(explorer)));
    await granted;
  };
  return vscode.Disposable.from(
    ...[...Object.values(commands), ...Object.values(internalCommands)].map((id) =>
      vscode.commands.registerCommand(id, async (...given: unknown[]) => {
        await wake();
        return vscode.commands.executeCommand(id, ...given);
      }),
    ),
    ...Object.values(views).map((id) => registerView(id, wake)),
    // None of this extension's test items exists yet, so a request without a selection means all
    // tests, and one with a selection concerns other test items.
    makeTestController(() => ({
      resolve: onlyWake,
      refresh: onlyWake,
      run: ({ continuous }, token, kind) =>
        activateFor(token, (explorer) => explorer.run(all(continuous), token, kind)),
      runInEnvironments: (_, token) =>
        activateFor(token, (explorer) => explorer.runInEnvironments(all(), token)),
    })),
  );
}

function all(isContinuous = false): vscode.TestRunRequest {
  return new vscode.TestRunRequest(undefined, undefined, undefined, isContinuous);
}

/** VS Code requests rows when it shows the view, and shows progress until they arrive. */
function registerView(id: string, wake: Activate): vscode.Disposable {
  return vscode.window.registerTreeDataProvider<never>(id, {
    getChildren: async () => {
      await wake();
      return [];
    },
    getTreeItem: (row) => row,
  });
}

/** Says that the extension does not work in this window, and what most likely helps. */
export function notifyNotLoaded(error: unknown): void {
  const reload = l10n.t('Reload Window');
  const sentence = l10n.t(
    'Toolgate could not be loaded, perhaps because it was updated. Reload the window. ({0})',
    String(error),
  );
  void vscode.window.showErrorMessage(sentence, reload).then((picked) => {
    if (picked === reload) void vscode.commands.executeCommand('workbench.action.reloadWindow');
  });
}

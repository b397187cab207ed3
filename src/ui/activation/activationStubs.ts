import * as vscode from 'vscode';
import { commands, internalCommands, views } from '../../ids';
import { makeTestController, type TestsOnRequest } from '../testing/testProfiles';

/** Resolves when everything is registered and the configuration has been read; says why if it cannot. */
export type Wake = () => Promise<unknown>;

/** What somebody wanted of the tests before there were any. */
export type TestWish = (explorer: TestsOnRequest) => Promise<void>;

/**
 * Stands where the extension will be while nothing of it is loaded: whatever comes here wakes it,
 * waits until it is up, and goes where it wanted to. To be disposed before the real ones register.
 */
export function registerActivationStubs(
  wake: Wake,
  wishTests: (wish: TestWish) => void,
): vscode.Disposable {
  const onlyWake = async (): Promise<void> => void (await wake());
  const wishAwake = async (token: vscode.CancellationToken, wish: TestWish): Promise<void> => {
    await wake();
    if (token.isCancellationRequested) return;
    let granted = Promise.resolve();
    wishTests((explorer) => (granted = wish(explorer)));
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
    // There are no tests of ours before, so that who runs any wants all; of others none are ours to run.
    makeTestController(() => ({
      resolve: onlyWake,
      refresh: onlyWake,
      run: ({ continuous }, token, kind) =>
        wishAwake(token, (explorer) => explorer.run(all(continuous), token, kind)),
      runInEnvironments: (_, token) =>
        wishAwake(token, (explorer) => explorer.runInEnvironments(all(), token)),
    })),
  );
}

function all(isContinuous = false): vscode.TestRunRequest {
  return new vscode.TestRunRequest(undefined, undefined, undefined, isContinuous);
}

/** VS Code asks for rows when it shows the view; it shows that it waits until there are some. */
function registerView(id: string, wake: Wake): vscode.Disposable {
  return vscode.window.registerTreeDataProvider<never>(id, {
    getChildren: async () => {
      await wake();
      return [];
    },
    getTreeItem: (row) => row,
  });
}

import * as vscode from 'vscode';
import { commands, internalCommands, views } from '../../ids';
import { makeTestController } from '../testing/testProfiles';

/** Resolves when everything is registered and the configuration has been read; says why if it cannot. */
export type Wake = () => Promise<unknown>;

/**
 * Stands where the extension will be while nothing of it is loaded: whatever comes here wakes it,
 * waits until it is up, and goes where it wanted to. To be disposed before the real ones register.
 */
export function registerStandIns(wake: Wake): vscode.Disposable {
  const onlyWake = async (): Promise<void> => void (await wake());
  return vscode.Disposable.from(
    ...[...Object.values(commands), ...Object.values(internalCommands)].map((id) =>
      vscode.commands.registerCommand(id, async (...given: unknown[]) => {
        await wake();
        return vscode.commands.executeCommand(id, ...given);
      }),
    ),
    ...Object.values(views).map((id) => registerView(id, wake)),
    // There are no tests of ours before that could be run, and those of others are not ours to run.
    makeTestController(() => ({
      resolve: onlyWake,
      refresh: onlyWake,
      run: onlyWake,
      runInEnvironments: onlyWake,
    })),
  );
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

import * as vscode from 'vscode';
import type { TestExplorer } from './testExplorer';

/** What the Test Explorer shows of us before anything of it is used; `explorer` makes the rest. */
export function makeTestController(explorer: () => TestExplorer): vscode.TestController {
  const title = vscode.l10n.t('MCP Calls');
  const controller = vscode.tests.createTestController('toolgate', title);
  controller.resolveHandler = (item) => explorer().resolve(item);
  controller.refreshHandler = (token) => explorer().refresh(token);
  const addProfile = (label: string, isFresh: boolean): void => {
    const profile = controller.createRunProfile(
      label,
      vscode.TestRunProfileKind.Run,
      (request, token) => explorer().run(request, token, { isFresh }),
      !isFresh,
    );
    profile.supportsContinuousRun = !isFresh;
  };
  addProfile(vscode.l10n.t('Run'), false);
  addProfile(vscode.l10n.t('Run with Fresh Server'), true);
  return controller;
}

import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { TestExplorer } from './testExplorer';
import type { RunKind } from './testServers';

export type TestsOnRequest = Pick<
  TestExplorer,
  'resolve' | 'refresh' | 'run' | 'runInEnvironments'
>;

/** Creates the test controller before the rest is loaded. `explorer` loads it. */
export function makeTestController(explorer: () => TestsOnRequest): vscode.TestController {
  const title = l10n.t('MCP Calls');
  const controller = vscode.tests.createTestController('toolgate', title);
  controller.resolveHandler = (item) => explorer().resolve(item);
  controller.refreshHandler = (token) => explorer().refresh(token);
  const addProfile = (label: string, kind: RunKind = {}): void => {
    const isPlain = Object.keys(kind).length === 0;
    const profile = controller.createRunProfile(
      label,
      vscode.TestRunProfileKind.Run,
      (request, token) => explorer().run(request, token, kind),
      isPlain,
    );
    profile.supportsContinuousRun = isPlain;
  };
  addProfile(l10n.t('Run'));
  addProfile(l10n.t('Run with Fresh Server'), { isFresh: true });
  addProfile(l10n.t('Replay'), { isReplay: true });
  controller.createRunProfile(
    l10n.t('Run in Several Environments…'),
    vscode.TestRunProfileKind.Run,
    (request, token) => explorer().runInEnvironments(request, token),
  );
  return controller;
}

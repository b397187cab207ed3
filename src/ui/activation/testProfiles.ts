import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

/** Options of a run. */
export interface RunKind {
  /** True if its servers are restarted first. */
  readonly isFresh?: boolean;
  /** True if recorded servers answer in place of their servers. */
  readonly isReplay?: boolean;
  /**
   * True if the run starts automatically. It starts no server and makes only calls without a
   * question.
   */
  readonly isQuiet?: boolean;
  /**
   * Names of environments. The calls are made once with each. Defaults to the selected environment.
   */
  readonly environments?: readonly string[];
}

/** The Test Explorer, as far as VS Code calls it. */
export interface TestsOnRequest {
  resolve(item: vscode.TestItem | undefined): Promise<void>;
  refresh(token: vscode.CancellationToken): Promise<void>;
  run(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    kind: RunKind,
  ): Promise<void>;
  runInEnvironments(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void>;
}

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

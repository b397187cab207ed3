import * as vscode from 'vscode';
import type { RuleSources } from '../../host/consent/rules/rule';
import { settings } from '../../ids';

/**
 * Reads the rules of every scope, and again when one of them changes. By scope, not as VS Code
 * merges them: the merged value of a workspace would replace what the user wrote.
 */
export class RuleSettings implements vscode.Disposable {
  readonly #subscriptions: vscode.Disposable;

  /** Hands over what there is at once. */
  constructor(apply: (sources: RuleSources) => void) {
    const read = (): void => apply(readRuleSources());
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`${settings.section}.${settings.rules}`)) read();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(read),
    );
    read();
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

/** As saved; a default, which another extension could set, does not count. */
export function readRuleSources(): RuleSources {
  const whole = wholeSources(inspect());
  // Without a workspace file, the settings of the one folder are those of the workspace.
  const folders =
    vscode.workspace.workspaceFile === undefined ? [] : (vscode.workspace.workspaceFolders ?? []);
  return {
    ...whole,
    folders: folders.map(({ uri }) => ({
      folder: uri.fsPath,
      value: inspect(uri)?.workspaceFolderValue,
    })),
  };
}

function inspect(folder?: vscode.Uri) {
  const { section, rules } = settings;
  return vscode.workspace.getConfiguration(section, folder).inspect<unknown>(rules);
}

/**
 * What VS Code calls global is, in a remote window, what the machine has over what the person has: a
 * container's comes from a file of the repository. It tells the two apart at run time, though its types
 * do not say so; where it does not, nothing of a remote window counts as the person's.
 */
function wholeSources(inspected: ReturnType<typeof inspect>): Omit<RuleSources, 'folders'> {
  const told: object = inspected ?? {};
  const workspace: unknown = inspected?.workspaceValue;
  if ('globalLocalValue' in told) {
    const machine = 'globalRemoteValue' in told ? told.globalRemoteValue : undefined;
    return { user: told.globalLocalValue, machine, workspace };
  }
  const isLocal = vscode.env.remoteName === undefined;
  const whole: unknown = inspected?.globalValue;
  return { user: isLocal ? whole : undefined, machine: isLocal ? undefined : whole, workspace };
}

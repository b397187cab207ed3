import * as vscode from 'vscode';
import type { ConnectionLog } from '../../core/log';
import type { RuleSources } from '../../host/consent/rules/rule';
import { settings } from '../../ids';
import { type Settings, SettingsCheck } from './settingsCheck';

/** Reads the settings when they change. */
export class SettingsReader implements vscode.Disposable {
  readonly #check: SettingsCheck;
  readonly #subscription: vscode.Disposable;
  #current: Settings;

  readonly #onDidChange = new vscode.EventEmitter<Settings>();
  /** Fires if at least one value changed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(log: Pick<ConnectionLog, 'warn'>) {
    this.#check = new SettingsCheck(log);
    this.#current = this.#read();
    this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration(settings.section)) return;
      this.#current = this.#read();
      this.#onDidChange.fire(this.#current);
    });
  }

  get current(): Settings {
    return this.#current;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  #read(): Settings {
    const given = vscode.workspace.getConfiguration(settings.section);
    return this.#check.read((name) => given.get(name));
  }
}

/**
 * Reads the rules of every scope, and again when one of them changes. Each scope is read
 * separately, because the merged value of a workspace would replace the user's rules.
 */
export class RuleSettings implements vscode.Disposable {
  readonly #subscriptions: vscode.Disposable;

  /** Passes the current rules to `apply` immediately. */
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

/**
 * Returns the rules as saved. A default value is ignored, because another extension could set it.
 */
export function readRuleSources(): RuleSources {
  const whole = wholeSources(inspect());
  // Without a workspace file, the settings of the single folder are the workspace settings.
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
 * Returns true if the value of any setting is not the one of the user's own settings: a workspace, a
 * remote machine or another extension may have set it.
 */
export function isForeignSetting(key: string, folder: vscode.Uri | undefined): boolean {
  const configuration = vscode.workspace.getConfiguration(undefined, folder);
  const { user } = wholeSources(configuration.inspect<unknown>(key));
  return user === undefined || user !== configuration.get<unknown>(key);
}

/**
 * In a remote window, VS Code's global value is the machine's setting if there is one, and a
 * container's may come from a file of the repository. VS Code separates the two at run time,
 * although its types do not say so. If it does not, no rule of a remote window counts as the
 * user's.
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

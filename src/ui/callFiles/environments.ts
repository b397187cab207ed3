import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CallFile } from '../../core/callFiles/callFile';
import { variablesOfCall } from '../../core/callFiles/callVariables';
import { isJsonObject } from '../../core/json/shapes';
import type { JsonObject, JsonValue } from '../../core/json/jsonValue';
import { commands, settings } from '../../ids';
import { notify } from '../editor/messages';
import { labelText } from '../format/labelText';
import { holdsCalls } from './callFileDocuments';

const stateKey = 'callFile.environment';
const maxNameChars = 40;
/** Limit on environments, because each one runs all calls. */
const maxAtOnce = 10;

/** The named sets of values in the settings, and the set selected in this workspace. */
export class Environments implements vscode.Disposable {
  readonly #state: vscode.Memento;
  readonly #item = vscode.window.createStatusBarItem(
    commands.selectEnvironment,
    vscode.StatusBarAlignment.Right,
    100,
  );
  readonly #subscriptions: vscode.Disposable;

  readonly #onDidChange = new vscode.EventEmitter<void>();
  /** Fires when another environment is selected or the environments change. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(state: vscode.Memento) {
    this.#state = state;
    this.#item.name = l10n.t('Environment of Call Files');
    this.#item.command = commands.selectEnvironment;
    const show = (): void => this.#show();
    this.#subscriptions = vscode.Disposable.from(
      this.#item,
      vscode.window.onDidChangeActiveTextEditor(show),
      vscode.workspace.onDidChangeConfiguration((change) => {
        show();
        if (change.affectsConfiguration(settingName)) this.#onDidChange.fire();
      }),
    );
    show();
  }

  register(): vscode.Disposable {
    return vscode.commands.registerCommand(commands.selectEnvironment, () => this.#select());
  }

  /** The selected environment; `undefined` if none is selected or it no longer exists. */
  get name(): string | undefined {
    const name = this.#state.get<unknown>(stateKey);
    return typeof name === 'string' && Object.hasOwn(readAll(), name) ? name : undefined;
  }

  valueOf(variable: string, name = this.name): JsonValue | undefined {
    const values = name === undefined ? undefined : readAll()[name];
    return isJsonObject(values) && Object.hasOwn(values, variable) ? values[variable] : undefined;
  }

  /** Returns the names of the values in the selected environment. */
  variables(): readonly string[] {
    const { name } = this;
    const values = name === undefined ? undefined : readAll()[name];
    return isJsonObject(values) ? Object.keys(values) : [];
  }

  /**
   * Returns at most 10 environments, in the order of the settings; `undefined` if the user selected
   * none.
   */
  async pickSeveral(): Promise<readonly string[] | undefined> {
    const names = Object.keys(readAll());
    if (names.length === 0) {
      notifyNone();
      return undefined;
    }
    const items = names.map((name) => ({ label: labelText(name, maxNameChars), name }));
    const picked = await vscode.window.showQuickPick(items, {
      title: l10n.t('Run in Several Environments'),
      placeHolder: l10n.t('Each call runs once in each environment, at most {0}', maxAtOnce),
      canPickMany: true,
    });
    if (picked === undefined || picked.length === 0) return undefined;
    if (picked.length <= maxAtOnce) return picked.map(({ name }) => name);
    notify('warning', l10n.t('Select at most {0} environments.', maxAtOnce));
    return undefined;
  }

  /**
   * Lets the user select an environment if the file needs one and none is selected. Resolves with
   * false if the user cancelled. If no environments exist, the missing values are reported later.
   */
  async chooseFor(file: CallFile): Promise<boolean> {
    if (this.name !== undefined || !takesValues(file)) return true;
    if (Object.keys(readAll()).length === 0) return true;
    return this.#select();
  }

  /**
   * Returns the lens title for a file that uses an environment; `undefined` if there is nothing to
   * choose.
   */
  titleFor(file: CallFile): string | undefined {
    if (!takesValues(file) || Object.keys(readAll()).length === 0) return undefined;
    return `$(server-environment) ${this.#title}`;
  }

  dispose(): void {
    this.#onDidChange.dispose();
    this.#subscriptions.dispose();
  }

  get #title(): string {
    const { name } = this;
    return name === undefined ? l10n.t('No Environment') : labelText(name, maxNameChars);
  }

  #show(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined || !holdsCalls(document)) {
      this.#item.hide();
      return;
    }
    this.#item.text = `$(server-environment) ${this.#title}`;
    this.#item.tooltip = l10n.t(
      'Values for ${var:…} in call files. Click to select another environment.',
    );
    this.#item.show();
  }

  /** Resolves with true if the user made a choice, including "No Environment". */
  async #select(): Promise<boolean> {
    const names = Object.keys(readAll());
    if (names.length === 0) {
      notifyNone();
      return false;
    }
    const { name: chosen } = this;
    const items = names.map((name) => ({
      label: labelText(name, maxNameChars),
      description: name === chosen ? l10n.t('selected') : '',
      name,
    }));
    const none = { label: l10n.t('No Environment'), description: '', name: undefined };
    const picked = await vscode.window.showQuickPick([...items, none], {
      title: l10n.t('Select Environment'),
      placeHolder: l10n.t('Values for ${var:…} in call files'),
    });
    if (picked === undefined) return false;
    await this.#state.update(stateKey, picked.name);
    this.#show();
    this.#onDidChange.fire();
    return true;
  }
}

function takesValues({ calls }: CallFile): boolean {
  return calls.some((call) =>
    variablesOfCall(call).some(({ variable }) => variable.kind === 'var'),
  );
}

const settingName = `${settings.section}.${settings.environments}`;

function notifyNone(): void {
  notify(
    'information',
    l10n.t('No environment is configured. Add named values for ${var:…} to "{0}".', settingName),
    {
      title: l10n.t('Open Settings'),
      command: 'workbench.action.openSettings',
      arguments: [settingName],
    },
  );
}

/** The setting has the scope `machine`, so a workspace cannot determine what is sent. */
function readAll(): JsonObject {
  const given: unknown = vscode.workspace
    .getConfiguration(settings.section)
    .get(settings.environments);
  // Copies the value, because VS Code returns proxies, which cannot be cloned.
  const copy: unknown = JSON.parse(JSON.stringify(given ?? {}));
  return isJsonObject(copy) ? copy : {};
}

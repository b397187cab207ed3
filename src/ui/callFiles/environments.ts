import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CallFile } from '../../core/callFiles/callFile';
import { variablesOfCall } from '../../core/callFiles/callVariables';
import { isJsonObject } from '../../core/json/shapes';
import type { JsonObject, JsonValue } from '../../core/json/jsonValue';
import { visibleText, withoutIcons } from '../../core/visibleText';
import { commands, settings } from '../../ids';
import { tell } from '../editor/messages';
import { holdsCalls } from './callFileDocuments';

const stateKey = 'callFile.environment';
const maxNameChars = 40;
/** Each is a run of everything. */
const maxAtOnce = 10;

/** The named sets of values in the settings, and the one that counts in this workspace. */
export class Environments implements vscode.Disposable {
  readonly #state: vscode.Memento;
  readonly #item = vscode.window.createStatusBarItem(
    commands.selectEnvironment,
    vscode.StatusBarAlignment.Right,
    100,
  );
  readonly #subscriptions: vscode.Disposable;

  readonly #onDidChange = new vscode.EventEmitter<void>();
  /** Another environment counts, or there are others. */
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

  /** The environment that counts; `undefined` when none is chosen or it is gone. */
  get name(): string | undefined {
    const name = this.#state.get<unknown>(stateKey);
    return typeof name === 'string' && Object.hasOwn(readAll(), name) ? name : undefined;
  }

  valueOf(variable: string, name = this.name): JsonValue | undefined {
    const values = name === undefined ? undefined : readAll()[name];
    return isJsonObject(values) && Object.hasOwn(values, variable) ? values[variable] : undefined;
  }

  /** Names of the values of the environment that counts. */
  variables(): readonly string[] {
    const { name } = this;
    const values = name === undefined ? undefined : readAll()[name];
    return isJsonObject(values) ? Object.keys(values) : [];
  }

  /** At most 10, in the order of the settings; `undefined` when the person wants none. */
  async pickSeveral(): Promise<readonly string[] | undefined> {
    const names = Object.keys(readAll());
    if (names.length === 0) {
      tellNone();
      return undefined;
    }
    const items = names.map((name) => ({ label: lineOf(name), name }));
    const picked = await vscode.window.showQuickPick(items, {
      title: l10n.t('Run in Several Environments'),
      placeHolder: l10n.t('Each call runs once in each environment, at most {0}', maxAtOnce),
      canPickMany: true,
    });
    if (picked === undefined || picked.length === 0) return undefined;
    if (picked.length <= maxAtOnce) return picked.map(({ name }) => name);
    tell('warning', l10n.t('Select at most {0} environments.', maxAtOnce));
    return undefined;
  }

  /**
   * The choice, for a run that takes values of one while none is chosen. Whether the run can begin: not
   * when the person leaves. Where there is none at all, what has no value says so.
   */
  async chooseFor(file: CallFile): Promise<boolean> {
    if (this.name !== undefined || !takesValues(file)) return true;
    if (Object.keys(readAll()).length === 0) return true;
    return this.#select();
  }

  /** What the lens of a file says that takes values of one; `undefined` where there is no choice. */
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
    return name === undefined ? l10n.t('No Environment') : lineOf(name);
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

  /** Whether something was picked; "No Environment" is something. */
  async #select(): Promise<boolean> {
    const names = Object.keys(readAll());
    if (names.length === 0) {
      tellNone();
      return false;
    }
    const { name: chosen } = this;
    const items = names.map((name) => ({
      label: lineOf(name),
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

function tellNone(): void {
  tell(
    'information',
    l10n.t('No environment is configured. Add named values for ${var:…} to "{0}".', settingName),
    {
      title: l10n.t('Open Settings'),
      command: 'workbench.action.openSettings',
      arguments: [settingName],
    },
  );
}

/** The scope of the setting is `machine`: no workspace says what is sent. */
function readAll(): JsonObject {
  const given: unknown = vscode.workspace
    .getConfiguration(settings.section)
    .get(settings.environments);
  // A copy: what the editor hands out are views on its own values, which cannot be sent.
  const copy: unknown = JSON.parse(JSON.stringify(given ?? {}));
  return isJsonObject(copy) ? copy : {};
}

function lineOf(name: string): string {
  return withoutIcons(visibleText(name, maxNameChars));
}

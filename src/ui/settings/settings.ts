import * as vscode from 'vscode';
import type { ConnectionLog } from '../../core/log';
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

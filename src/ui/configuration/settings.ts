import * as vscode from 'vscode';
import type { ConnectionLog } from '../../core/log';
import { settings } from '../../ids';

/** Values of `toolgate.*` as they count now, checked. Every scope is `machine`: no workspace sets them. */
export interface Settings {
  /** Still to be parsed by `host/configuration.ts`. */
  readonly servers: unknown;
  readonly isDemoServerEnabled: boolean;
  readonly sharesWorkspaceFolders: boolean;
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly maxMessageBytes: number;
  readonly resultBudgetBytes: number;
}

interface Bounds {
  readonly byDefault: number;
  readonly minimum: number;
  readonly maximum: number;
}

const bytesPerMiB = 1024 * 1024;

/** The same numbers stand in `package.json`, where they guide the person; here they hold. */
const numberBounds = {
  startTimeoutMs: { byDefault: 30_000, minimum: 1_000, maximum: 600_000 },
  callTimeoutMs: { byDefault: 60_000, minimum: 1_000, maximum: 3_600_000 },
  // One string may not be longer than 512 MiB in V8, so a larger message could not be read at all.
  maxMessageBytes: {
    byDefault: 256 * bytesPerMiB,
    minimum: bytesPerMiB,
    maximum: 512 * bytesPerMiB,
  },
  resultBudgetBytes: {
    byDefault: 256 * bytesPerMiB,
    minimum: 16 * bytesPerMiB,
    maximum: 2048 * bytesPerMiB,
  },
} satisfies Record<string, Bounds>;

/**
 * Reads the settings when they change. A value that is out of bounds or of the wrong type counts as
 * the default, and is told in the log once, until it changes again.
 */
export class SettingsReader implements vscode.Disposable {
  readonly #log: Pick<ConnectionLog, 'warn'>;
  readonly #told = new Map<string, string>();
  readonly #subscription: vscode.Disposable;
  #current: Settings;

  readonly #onDidChange = new vscode.EventEmitter<Settings>();
  /** At least one value is different from before. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(log: Pick<ConnectionLog, 'warn'>) {
    this.#log = log;
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
    const number = (key: string, { byDefault, minimum, maximum }: Bounds): number => {
      const isFine = (value: unknown): value is number =>
        Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
      const expected = vscode.l10n.t('a whole number from {0} to {1}', minimum, maximum);
      return this.#checked(key, given.get(key), isFine, byDefault, expected);
    };
    const trueOrFalse = vscode.l10n.t('true or false');
    const flag = (key: string): boolean =>
      this.#checked(key, given.get(key), isBoolean, false, trueOrFalse);
    return {
      servers: given.get(settings.servers),
      isDemoServerEnabled: flag(settings.demoServer),
      sharesWorkspaceFolders: flag(settings.shareWorkspaceFolders),
      startTimeoutMs: number(settings.startTimeoutMs, numberBounds.startTimeoutMs),
      callTimeoutMs: number(settings.callTimeoutMs, numberBounds.callTimeoutMs),
      maxMessageBytes: number(settings.maxMessageBytes, numberBounds.maxMessageBytes),
      resultBudgetBytes: number(settings.resultBudgetBytes, numberBounds.resultBudgetBytes),
    };
  }

  #checked<T>(
    key: string,
    value: unknown,
    isFine: (value: unknown) => value is T,
    byDefault: T,
    expected: string,
  ): T {
    if (isFine(value)) {
      this.#told.delete(key);
      return value;
    }
    const seen = JSON.stringify(value) ?? '';
    if (this.#told.get(key) !== seen) {
      this.#told.set(key, seen);
      this.#log.warn(
        vscode.l10n.t(
          'The setting {0} must be {1}; the default {2} is used instead.',
          `${settings.section}.${key}`,
          expected,
          String(byDefault),
        ),
      );
    }
    return byDefault;
  }
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

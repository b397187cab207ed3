import * as vscode from 'vscode';
import type { ConnectionLog } from '../../core/log';
import { settings } from '../../ids';

/**
 * Values of `toolgate.*` as they count now, checked. Every scope is `machine`: no workspace sets
 * them. The rules, which a workspace may tighten, are read by `ruleSettings.ts`.
 */
export interface Settings {
  /** Still to be parsed by `host/configuration.ts`. */
  readonly servers: unknown;
  readonly isDemoServerEnabled: boolean;
  readonly groupsByOrigin: boolean;
  readonly sharesWorkspaceFolders: boolean;
  readonly startServers: StartServers;
  readonly restartsCrashedServers: boolean;
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly callTimeouts: ReadonlyMap<string, number>;
  readonly callCeilingMs: number;
  readonly maxCallsPerServer: number;
  readonly maxMessageBytes: number;
  readonly maxMessageValues: number;
  readonly resultBudgetBytes: number;
  readonly spoolAboveBytes: number;
  /** 0: no call is kept. */
  readonly historyMaxCalls: number;
  readonly historyMaxBytes: number;
  readonly historyMaxAgeDays: number;
  readonly historyMaxAnswerBytes: number;
  readonly volatileFields: readonly string[];
  readonly allowsBroadDestructiveGrants: boolean;
  readonly recordsArguments: boolean;
  readonly journalRetentionDays: number;
  readonly journalMaxBytes: number;
  readonly requiresJournal: boolean;
}

/** When servers start without Start Server. */
const startServersValues = ['onFirstUse', 'always', 'never'] as const;
export type StartServers = (typeof startServersValues)[number];

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
  callTimeouts: { byDefault: 60_000, minimum: 1_000, maximum: 86_400_000 },
  callCeilingMs: { byDefault: 3_600_000, minimum: 1_000, maximum: 86_400_000 },
  maxCallsPerServer: { byDefault: 8, minimum: 1, maximum: 1_000 },
  // One string may not be longer than 512 MiB in V8, so a larger message could not be read at all.
  maxMessageBytes: {
    byDefault: 256 * bytesPerMiB,
    minimum: bytesPerMiB,
    maximum: 512 * bytesPerMiB,
  },
  // What comes in less than 256 KiB is not counted, and is never more than the minimum.
  maxMessageValues: { byDefault: 500_000, minimum: 200_000, maximum: 50_000_000 },
  resultBudgetBytes: {
    byDefault: 256 * bytesPerMiB,
    minimum: 16 * bytesPerMiB,
    maximum: 2048 * bytesPerMiB,
  },
  spoolAboveBytes: {
    byDefault: 8 * bytesPerMiB,
    minimum: bytesPerMiB,
    maximum: 512 * bytesPerMiB,
  },
  historyMaxCalls: { byDefault: 200, minimum: 0, maximum: 10_000 },
  historyMaxBytes: {
    byDefault: 256 * bytesPerMiB,
    minimum: bytesPerMiB,
    maximum: 4096 * bytesPerMiB,
  },
  historyMaxAgeDays: { byDefault: 30, minimum: 1, maximum: 3_650 },
  historyMaxAnswerBytes: {
    byDefault: 64 * bytesPerMiB,
    minimum: 1_024,
    maximum: 512 * bytesPerMiB,
  },
  journalRetentionDays: { byDefault: 365, minimum: 1, maximum: 3_650 },
  journalMaxBytes: {
    byDefault: 64 * bytesPerMiB,
    minimum: bytesPerMiB,
    maximum: 1024 * bytesPerMiB,
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
    const flag = (key: string, byDefault = false): boolean =>
      this.#checked(key, given.get(key), isBoolean, byDefault, trueOrFalse);
    return {
      servers: given.get(settings.servers),
      isDemoServerEnabled: flag(settings.demoServer),
      groupsByOrigin: flag(settings.groupByOrigin),
      sharesWorkspaceFolders: flag(settings.shareWorkspaceFolders),
      startServers: this.#checked(
        settings.startServers,
        given.get(settings.startServers),
        isStartServers,
        'onFirstUse',
        startServersValues.join(', '),
      ),
      restartsCrashedServers: flag(settings.restartCrashedServers, true),
      startTimeoutMs: number(settings.startTimeoutMs, numberBounds.startTimeoutMs),
      callTimeoutMs: number(settings.callTimeoutMs, numberBounds.callTimeoutMs),
      callTimeouts: this.#readTimeouts(given.get(settings.callTimeouts)),
      callCeilingMs: number(settings.callCeilingMs, numberBounds.callCeilingMs),
      maxCallsPerServer: number(settings.maxCallsPerServer, numberBounds.maxCallsPerServer),
      maxMessageBytes: number(settings.maxMessageBytes, numberBounds.maxMessageBytes),
      maxMessageValues: number(settings.maxMessageValues, numberBounds.maxMessageValues),
      resultBudgetBytes: number(settings.resultBudgetBytes, numberBounds.resultBudgetBytes),
      spoolAboveBytes: number(settings.spoolAboveBytes, numberBounds.spoolAboveBytes),
      historyMaxCalls: number(settings.historyMaxCalls, numberBounds.historyMaxCalls),
      historyMaxBytes: number(settings.historyMaxBytes, numberBounds.historyMaxBytes),
      historyMaxAgeDays: number(settings.historyMaxAgeDays, numberBounds.historyMaxAgeDays),
      historyMaxAnswerBytes: number(
        settings.historyMaxAnswerBytes,
        numberBounds.historyMaxAnswerBytes,
      ),
      volatileFields: this.#checked(
        settings.volatileFields,
        given.get(settings.volatileFields),
        areTexts,
        [],
        vscode.l10n.t('a list of names and JSON pointers'),
      ),
      allowsBroadDestructiveGrants: flag(settings.allowBroadDestructiveGrants),
      recordsArguments: flag(settings.recordArguments),
      journalRetentionDays: number(
        settings.journalRetentionDays,
        numberBounds.journalRetentionDays,
      ),
      journalMaxBytes: number(settings.journalMaxBytes, numberBounds.journalMaxBytes),
      requiresJournal: flag(settings.requireJournal),
    };
  }

  /** A value that is no time limit is left out, so that the next more general one counts. */
  #readTimeouts(given: unknown): ReadonlyMap<string, number> {
    const { minimum, maximum } = numberBounds.callTimeouts;
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
    const entries: [string, unknown][] = isObject ? Object.entries(given) : [];
    const isFine = (value: unknown): value is number =>
      Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
    const expected = vscode.l10n.t(
      'whole numbers from {0} to {1}, by server or tool',
      minimum,
      maximum,
    );
    const isWhole = (value: unknown): value is unknown =>
      isObject && value === given && entries.every(([, ms]) => isFine(ms));
    this.#checked<unknown>(settings.callTimeouts, given, isWhole, '{}', expected);
    return new Map(entries.flatMap(([key, ms]) => (isFine(ms) ? [[key, ms]] : [])));
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
          Array.isArray(byDefault) ? JSON.stringify(byDefault) : String(byDefault),
        ),
      );
    }
    return byDefault;
  }
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isStartServers(value: unknown): value is StartServers {
  return startServersValues.some((known) => known === value);
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

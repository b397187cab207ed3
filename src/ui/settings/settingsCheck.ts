import * as l10n from '@vscode/l10n';
import type { ConnectionLog } from '../../core/log';
import { parseToolSets, type ToolSet } from '../../host/agents/toolSets';
import { settings } from '../../ids';
import { isObject } from '../../core/json/shapes';
import { type SettingOfType, settingDeclarations } from './settingDeclarations';

/**
 * The checked values of `toolgate.*`. Rules are read by `ruleSettings.ts`, because a workspace may
 * make them stricter.
 */
export interface Settings {
  /** Unparsed; see `host/configuration/configuration.ts`. */
  readonly servers: unknown;
  readonly isDemoServerEnabled: boolean;
  readonly groupsByOrigin: boolean;
  readonly callsOnClick: boolean;
  readonly sharesWorkspaceFolders: boolean;
  readonly startServers: StartServers;
  readonly restartsCrashedServers: boolean;
  /** URL of the client id metadata document, or an empty string. */
  readonly clientDocument: string;
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly callTimeouts: ReadonlyMap<string, number>;
  readonly callCeilingMs: number;
  readonly maxCallsPerServer: number;
  readonly maxMessageBytes: number;
  readonly maxMessageValues: number;
  readonly resultBudgetBytes: number;
  readonly spoolAboveBytes: number;
  readonly opensTables: boolean;
  readonly opensPages: boolean;
  /** 0 keeps no calls. */
  readonly historyMaxCalls: number;
  readonly historyMaxBytes: number;
  readonly historyMaxAgeDays: number;
  readonly historyMaxAnswerBytes: number;
  readonly volatileFields: readonly string[];
  readonly allowsBroadDestructiveGrants: boolean;
  readonly servesAgents: boolean;
  /** Ids of the servers that agents may use. */
  readonly agentServers: readonly string[];
  readonly toolSets: ReadonlyMap<string, ToolSet>;
  readonly agentAnswerWithinMs: number;
  readonly recordsArguments: boolean;
  readonly journalRetentionDays: number;
  readonly journalMaxBytes: number;
  readonly requiresJournal: boolean;
  /** Unparsed JSON pointers. */
  readonly recordingOmits: readonly string[];
  /** Factor by which a replay is faster than the recording. */
  readonly replaySpeed: number;
}

/** Values that determine when servers start without Start Server. */
type StartServers = (typeof startServersValues)[number];
const startServersValues = settingDeclarations.startServers.enum;

/** Returns the value of a setting by its name in `ids.ts`, or `undefined` if it has none. */
type Given = (name: string) => unknown;

/**
 * Checks settings. A value outside its limits or of the wrong type is replaced by the default and
 * logged once, until it changes again.
 */
export class SettingsCheck {
  readonly #log: Pick<ConnectionLog, 'warn'>;
  readonly #told = new Map<string, string>();

  constructor(log: Pick<ConnectionLog, 'warn'>) {
    this.#log = log;
  }

  read(given: Given): Settings {
    const number = (name: SettingOfType<'integer'>): number => this.#readNumber(given, name);
    const flag = (name: SettingOfType<'boolean'>): boolean => this.#readFlag(given, name);
    const texts = (name: 'volatileFields' | 'agentServers' | 'recordingOmits', expected: string) =>
      this.#checked(
        settings[name],
        given(settings[name]),
        areTexts,
        settingDeclarations[name].default,
        expected,
      );
    return {
      servers: given(settings.servers),
      isDemoServerEnabled: flag('demoServer'),
      groupsByOrigin: flag('groupByOrigin'),
      callsOnClick: flag('callOnClick'),
      sharesWorkspaceFolders: flag('shareWorkspaceFolders'),
      startServers: this.#checked(
        settings.startServers,
        given(settings.startServers),
        isStartServers,
        settingDeclarations.startServers.default,
        startServersValues.join(', '),
      ),
      restartsCrashedServers: flag('restartCrashedServers'),
      clientDocument: this.#checked(
        settings.clientDocument,
        given(settings.clientDocument),
        isClientDocument,
        settingDeclarations.clientDocument.default,
        l10n.t('an https address with a path, or empty'),
      ),
      startTimeoutMs: number('startTimeoutMs'),
      callTimeoutMs: number('callTimeoutMs'),
      callTimeouts: this.#readTimeouts(given(settings.callTimeouts)),
      callCeilingMs: number('callCeilingMs'),
      maxCallsPerServer: number('maxCallsPerServer'),
      maxMessageBytes: number('maxMessageBytes'),
      maxMessageValues: number('maxMessageValues'),
      resultBudgetBytes: number('resultBudgetBytes'),
      spoolAboveBytes: number('spoolAboveBytes'),
      opensTables: flag('opensTables'),
      opensPages: flag('opensPages'),
      historyMaxCalls: number('historyMaxCalls'),
      historyMaxBytes: number('historyMaxBytes'),
      historyMaxAgeDays: number('historyMaxAgeDays'),
      historyMaxAnswerBytes: number('historyMaxAnswerBytes'),
      volatileFields: texts('volatileFields', l10n.t('a list of names and JSON pointers')),
      allowsBroadDestructiveGrants: flag('allowBroadDestructiveGrants'),
      servesAgents: flag('agentsEnabled'),
      agentServers: texts('agentServers', l10n.t('a list of server names')),
      toolSets: this.#readToolSets(given(settings.toolSets)),
      agentAnswerWithinMs: number('agentAnswerWithinMs'),
      recordsArguments: flag('recordArguments'),
      journalRetentionDays: number('journalRetentionDays'),
      journalMaxBytes: number('journalMaxBytes'),
      requiresJournal: flag('requireJournal'),
      recordingOmits: texts('recordingOmits', l10n.t('a list of JSON pointers')),
      replaySpeed: number('replaySpeed'),
    };
  }

  #readNumber(given: Given, name: SettingOfType<'integer'>): number {
    const { minimum, maximum, default: byDefault } = settingDeclarations[name];
    const isFine = (value: unknown) => isWholeNumber(value, minimum, maximum);
    const expected = l10n.t('an integer from {0} to {1}', minimum, maximum);
    const key = settings[name];
    return this.#checked(key, given(key), isFine, byDefault, expected);
  }

  #readFlag(given: Given, name: SettingOfType<'boolean'>): boolean {
    const key = settings[name];
    const { default: byDefault } = settingDeclarations[name];
    const expected = l10n.t('true or false');
    return this.#checked(key, given(key), isBoolean, byDefault, expected);
  }

  /** An invalid time limit is left out, so that the next more general one applies. */
  #readTimeouts(given: unknown): ReadonlyMap<string, number> {
    const { minimum, maximum } = settingDeclarations.callTimeouts.values;
    const entries = isObject(given) ? Object.entries(given) : [];
    const isFine = (value: unknown) => isWholeNumber(value, minimum, maximum);
    const expected = l10n.t('integers from {0} to {1}, by server or tool', minimum, maximum);
    const isWhole = isObject(given) && entries.every(([, ms]) => isFine(ms));
    this.#notifyLeftOut(settings.callTimeouts, given, isWhole, expected);
    return new Map(entries.flatMap(([key, ms]) => (isFine(ms) ? [[key, ms]] : [])));
  }

  /** An unreadable pattern matches no tool, so that a set is never wider than it says. */
  #readToolSets(given: unknown): ReadonlyMap<string, ToolSet> {
    const { sets, isWhole } = parseToolSets(given);
    const expected = l10n.t('lists of server or server/tool, by name');
    this.#notifyLeftOut(settings.toolSets, given, isWhole, expected);
    return sets;
  }

  /** Logs a setting whose valid parts are used. */
  #notifyLeftOut(key: string, value: unknown, isWhole: boolean, expected: string): void {
    const sentence = l10n.t(
      'The setting {0} must be {1}. Other values are ignored.',
      `${settings.section}.${key}`,
      expected,
    );
    this.#notifyOnce(key, value, isWhole, sentence);
  }

  #checked<T>(
    key: string,
    value: unknown,
    isFine: (value: unknown) => value is T,
    byDefault: T,
    expected: string,
  ): T {
    const isRead = isFine(value);
    const sentence = l10n.t(
      'The setting {0} must be {1}; the default {2} is used instead.',
      `${settings.section}.${key}`,
      expected,
      Array.isArray(byDefault) ? JSON.stringify(byDefault) : String(byDefault),
    );
    this.#notifyOnce(key, value, isRead, sentence);
    return isRead ? value : byDefault;
  }

  #notifyOnce(key: string, value: unknown, isFine: boolean, sentence: string): void {
    if (isFine) {
      this.#told.delete(key);
      return;
    }
    const seen = JSON.stringify(value) ?? '';
    if (this.#told.get(key) === seen) return;
    this.#told.set(key, seen);
    this.#log.warn(sentence);
  }
}

function isWholeNumber(value: unknown, minimum: number, maximum: number): value is number {
  return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isStartServers(value: unknown): value is StartServers {
  return startServersValues.some((known) => known === value);
}

const clientDocumentPattern = new RegExp(settingDeclarations.clientDocument.pattern, 'u');

function isClientDocument(value: unknown): value is string {
  return typeof value === 'string' && clientDocumentPattern.test(value);
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

import path from 'node:path';
import * as vscode from 'vscode';
import type { JsonObject } from '../../core/json/jsonValue';
import type { ConnectionLog } from '../../core/log';
import type { AgentDraft } from '../../host/agents/agentDrafts';
import { combineJournals, type CallJournal } from '../../host/calls/callJournal';
import type { RunningCalls } from '../../host/calls/runningCalls';
import { AnswerValues } from '../../host/history/answerValues';
import { History } from '../../host/history/history';
import { storedArguments, type StoredArguments } from '../../host/history/storedArguments';
import { HistoryRecorder } from '../../host/history/historyRecorder';
import type { HistoryLimits, RestorableCall } from '../../host/history/pastCall';
import type { SecretValues } from '../../host/secrets/secretValues';
import { scheme } from '../../ids';
import type { SettingsReader } from '../settings/settings';
import type { Settings } from '../settings/settingsCheck';
import type { ResultArguments } from '../results/resultOverview';
import { isFolderOpen } from '../editor/resultTabs';
import { toolTitle } from '../format/toolTitle';

interface CallHistoryOptions {
  readonly context: Pick<vscode.ExtensionContext, 'storageUri' | 'globalStorageUri'>;
  readonly settings: SettingsReader;
  readonly log: Pick<ConnectionLog, 'warn'>;
  /** Secrets in use; they are redacted before anything is stored. */
  readonly values: Pick<SecretValues, 'redact' | 'isEmpty'>;
  readonly running: Pick<RunningCalls, 'find' | 'forget'>;
}

/**
 * The call history of this workspace, or of windows without one. Reads nothing until it is needed.
 */
export class CallHistory implements vscode.Disposable {
  readonly history: History;
  /** Values from the answers of this session, by name. */
  readonly answers: AnswerValues;
  readonly recorder: HistoryRecorder;
  readonly #values: CallHistoryOptions['values'];
  #documents: { pathOf(callId: string): string | undefined } | undefined;
  readonly #disposables: readonly vscode.Disposable[];

  constructor({ context, settings, log, values, running }: CallHistoryOptions) {
    const storage = context.storageUri ?? context.globalStorageUri;
    const history = new History({
      folder: path.join(storage.fsPath, 'history'),
      limits: () => limitsOf(settings.current),
      isOpen: (documents) => isFolderOpen(scheme, documents),
      onProblem: ({ file, code, setAsideAs, detail }) => {
        const aside = setAsideAs === undefined ? '' : `, kept as ${setAsideAs}`;
        log.warn(`${file}: ${code}${aside} (${detail})`);
      },
    });
    this.history = history;
    this.#values = values;
    this.answers = new AnswerValues(toolTitle, values);
    this.recorder = new HistoryRecorder({
      history,
      calls: running,
      titleOf: toolTitle,
      known: values,
      pathOf: (callId) => this.#documents?.pathOf(callId),
    });
    let limits = JSON.stringify(limitsOf(settings.current));
    this.#disposables = [
      settings.onDidChange((changed) => {
        const now = JSON.stringify(limitsOf(changed));
        if (now !== limits) void history.refresh();
        limits = now;
      }),
      // Changes made by other windows are read when this window gets the focus.
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) void history.refresh();
      }),
      history.onDidVanish((callIds) => running.forget(callIds)),
      history,
    ];
  }

  /** From this call on, entries of this session store the paths of their documents. */
  follow(documents: { pathOf(callId: string): string | undefined }): void {
    this.#documents = documents;
  }

  /** Returns a journal that also records each call in the history. */
  alsoRecordIn(journal: CallJournal): CallJournal {
    return combineJournals(combineJournals(journal, this.recorder), this.answers);
  }

  /** Finds the result of a call of an earlier session by the folder of its documents. */
  async restore(documents: string): Promise<RestorableCall | undefined> {
    const call = await this.history.findByPath(documents);
    return call && this.history.restorable(call);
  }

  /** Returns the arguments of a running call, with secrets replaced. */
  argumentsOfRunning(callId: string): JsonObject | undefined {
    return this.recorder.argumentsOf(callId);
  }

  /** Returns the same arguments, including secrets. */
  storedArgumentsOf(callId: string): StoredArguments | undefined {
    return this.recorder.storedArgumentsOf(callId);
  }

  /** Returns the arguments that an agent gave to a draft, with secrets replaced. */
  argumentsOfDraft({ arguments: value }: AgentDraft, schema: JsonObject): JsonObject | undefined {
    const redact = (text: string): string => this.#values.redact(text);
    return value && storedArguments(value, schema, [], redact).value;
  }

  /**
   * Returns the secrets in the arguments of a call, including those that its schema marks;
   * `undefined` if unknown.
   */
  secretsOf(callId: string): readonly string[] | undefined {
    return this.recorder.secretsOf(callId);
  }

  /**
   * Returns the arguments of a call, with secrets replaced; `undefined` if the history has no such
   * call.
   */
  argumentsOf(callId: string): ResultArguments | undefined {
    const call = this.history.find(callId);
    if (call === undefined) return undefined;
    const { arguments: value, argumentsOmitted } = call;
    if (argumentsOmitted !== undefined) return { isOmitted: true };
    return value === undefined ? {} : { value };
  }

  /** Stores the path of documents that were created some time after the answer arrived. */
  documentsMade(callId: string, documents: string): void {
    // If the path cannot be written, a tab of these documents is empty after the next start, and
    // says so.
    void this.history.setPath(callId, documents).catch(() => undefined);
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

function limitsOf(settings: Settings): HistoryLimits {
  return {
    maxCalls: settings.historyMaxCalls,
    maxBytes: settings.historyMaxBytes,
    maxAgeDays: settings.historyMaxAgeDays,
    maxAnswerBytes: settings.historyMaxAnswerBytes,
  };
}

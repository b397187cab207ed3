import path from 'node:path';
import * as vscode from 'vscode';
import type { JsonObject } from '../../core/json/jsonValue';
import type { ConnectionLog } from '../../core/log';
import type { AgentDraft } from '../../host/agents/agentDrafts';
import { bothJournals, type CallJournal } from '../../host/calls/callJournal';
import type { RunningCalls } from '../../host/calls/runningCalls';
import { AnswerValues } from '../../host/history/answerValues';
import { History } from '../../host/history/history';
import { keptArguments, type KeptArguments } from '../../host/history/keptArguments';
import { HistoryRecorder } from '../../host/history/historyRecorder';
import type { HistoryLimits } from '../../host/history/historyLimits';
import type { RestorableCall } from '../../host/history/restorableCall';
import type { SecretValues } from '../../host/secrets/secretValues';
import { scheme } from '../../ids';
import type { SettingsReader } from '../settings/settings';
import type { Settings } from '../settings/settingsCheck';
import type { GivenArguments } from '../results/resultOverview';
import { isFolderOpen } from '../results/resultTabs';
import { toolTitle } from '../format/toolTitle';

export interface CallHistoryOptions {
  readonly context: Pick<vscode.ExtensionContext, 'storageUri' | 'globalStorageUri'>;
  readonly settings: SettingsReader;
  readonly log: Pick<ConnectionLog, 'warn'>;
  /** The secrets that are in use, so that none is written down. */
  readonly values: Pick<SecretValues, 'redact' | 'isEmpty'>;
  readonly running: Pick<RunningCalls, 'find' | 'forget'>;
}

/** The history of this workspace, or of windows without one. Reads nothing before it is needed. */
export class CallHistory implements vscode.Disposable {
  readonly history: History;
  /** What answers of this session brought, by name. */
  readonly answers: AnswerValues;
  readonly #recorder: HistoryRecorder;
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
    this.#recorder = new HistoryRecorder({
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
      // What other windows kept and removed is seen when the person comes to look.
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) void history.refresh();
      }),
      history.onDidVanish((callIds) => running.forget(callIds)),
      history,
    ];
  }

  /** From here on calls of this session keep where their documents are. */
  follow(documents: { pathOf(callId: string): string | undefined }): void {
    this.#documents = documents;
  }

  /** A journal that records for the history what it records itself. */
  besides(journal: CallJournal): CallJournal {
    return bothJournals(bothJournals(journal, this.#recorder), this.answers);
  }

  /** What a call of an earlier session brought, by the folder of its documents. */
  async restore(documents: string): Promise<RestorableCall | undefined> {
    const call = await this.history.findByPath(documents);
    return call && this.history.restorable(call);
  }

  /** What a call is made with that goes on, secrets replaced. */
  givenTo(callId: string): JsonObject | undefined {
    return this.#recorder.givenTo(callId);
  }

  /** The same, with the secrets. */
  keptOf(callId: string): KeptArguments | undefined {
    return this.#recorder.keptOf(callId);
  }

  /** What an agent gave to a call that is left to the person, secrets replaced. */
  leftWith({ arguments: value }: AgentDraft, schema: JsonObject): JsonObject | undefined {
    const redact = (text: string): string => this.#values.redact(text);
    return value && keptArguments(value, schema, [], redact).value;
  }

  /** The secrets that a call was given, and what its schema calls one; `undefined`: not known. */
  secretsOf(callId: string): readonly string[] | undefined {
    return this.#recorder.secretsOf(callId);
  }

  /** What a call was made with, secrets replaced; `undefined`: nobody knows. */
  argumentsOf(callId: string): GivenArguments | undefined {
    const call = this.history.find(callId);
    if (call === undefined) return undefined;
    const { arguments: value, argumentsOmitted } = call;
    if (argumentsOmitted !== undefined) return { isOmitted: true };
    return value === undefined ? {} : { value };
  }

  /** Documents of an answer were made a while after it came. */
  documentsMade(callId: string, documents: string): void {
    // Where that cannot be written, a tab of them is empty after the next start, and says so.
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

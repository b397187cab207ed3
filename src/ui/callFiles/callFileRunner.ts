import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isToolCall, type CallFile, type FileCall } from '../../core/callFiles/callFile';
import type { FilledCall } from '../../core/callFiles/callVariables';
import { type ExpectationFailure, protocolErrorOf } from '../../core/callFiles/expectations';
import { judgeCall } from '../../core/testing/runTests';
import type { ToolResult } from '../../core/types';
import type { SchemaValidator } from '../../core/schema/schema';
import type { CallApproval } from '../../host/calls/callApproval';
import type { CallOutcome } from '../../host/calls/call';
import type { CallOrigin } from '../../host/consent/facts/callFacts';
import { type ReadOutcome, fileRequest, toAttempt } from '../../host/callFiles/fileCalls';
import { withStructuredValue } from '../../host/calls/outcomeValue';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Gate } from '../../host/calls/gate';
import { SecretValues } from '../../host/secrets/secretValues';
import type { PromptReads } from '../../host/prompts/promptReads';
import { CallRunner, type CallRunnerOptions } from '../calls/callRunner';
import { withDelayedProgress } from '../editor/delayedProgress';
import { notify } from '../editor/messages';
import type { ServerActions } from '../servers/serverActions';
import { formatError, quoted } from '../format/sentences';
import { unmetSentence } from './formatRun';
import { findCallByName, readDocument, readerFor } from './callFileDocuments';
import { rangeOf } from '../editor/textPlaces';
import { readForFile } from './callFileReads';
import { stateAfter, type CallFileRuns, type RunState } from './callFileRuns';
import type { CallFileValues, RunValues } from './callFileValues';
import { problemSentence } from './formatCallFileProblem';

interface CallFileRunnerOptions extends Pick<CallRunnerOptions, 'showOutcome' | 'occasions'> {
  readonly registry: Pick<ServerRegistry, 'find' | 'client'>;
  readonly gate: Pick<Gate, 'call'>;
  readonly prompts: Pick<PromptReads, 'call'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly actions: Pick<ServerActions, 'startForUse'>;
  readonly values: Pick<CallFileValues, 'fill' | 'fileValuesOf' | 'newRun'>;
  /** Opens the content of a resource or a prompt. */
  readonly showRead: (call: FileCall, result: ToolResult) => Promise<unknown>;
  readonly runs: CallFileRuns;
}

/** A call of a file, with its origin. */
interface RequestedCall {
  readonly call: FileCall;
  readonly origin: CallOrigin;
  readonly values: RunValues;
  /** The approval that the user gave for several calls at once; if absent, the user is asked. */
  readonly approval?: CallApproval | undefined;
}

/** Callbacks that show outcomes; without `showRead`, content that was read is not shown. */
type ShownOutcomes = Pick<CallRunnerOptions, 'showOutcome' | 'occasions'> &
  Partial<Pick<CallFileRunnerOptions, 'showRead'>>;

/**
 * Runs calls of call files: starts servers, fills in values, passes the gate, then checks
 * expectations.
 */
export class CallFileRunner {
  readonly #options: CallFileRunnerOptions;

  constructor(options: CallFileRunnerOptions) {
    this.#options = options;
  }

  /** Runs one call and opens its result. */
  async run(document: vscode.TextDocument, name: string, origin: CallOrigin): Promise<void> {
    const { file } = readDocument(document);
    const call = findCallByName(document, name);
    if (file === undefined || call === undefined) {
      // The problems explain why. In Markdown, the problems of one block do not concern the others.
      await runnableFile(document);
      return;
    }
    const { showOutcome, showRead, occasions, values } = this.#options;
    if (!(await this.startServers([call], true))) return;
    const how = { showOutcome, showRead, ...(occasions === undefined ? {} : { occasions }) };
    const state = await this.runCall(
      document,
      file,
      { call, origin, values: values.newRun() },
      how,
    );
    if (state?.kind === 'unmet') notify('warning', unmetSentence(call, state));
  }

  /** Returns the result of the run; `undefined` if the user cancelled. */
  async runCall(
    { uri }: vscode.TextDocument,
    file: CallFile,
    { call, origin, values: ofRun, approval }: RequestedCall,
    how: ShownOutcomes,
  ): Promise<RunState | undefined> {
    if (!isToolCall(call)) return this.#read(uri, file, { call, values: ofRun }, how);
    const { registry, gate, runs, values } = this.#options;
    const filled = await values.fill(uri, file, call, ofRun);
    if (filled.kind === 'cancelled') return undefined;
    if (filled.kind === 'problem') return this.#unsent(uri, call, filled);
    const request = fileRequest(call, origin, filled);
    const runner = new CallRunner({
      registry,
      gate,
      ...how,
      isExpected: (error) =>
        call.expect.error !== undefined && protocolErrorOf(error) !== undefined,
    });
    runs.setState(uri, call, { kind: 'running' });
    const outcome = await withStructuredValue(await runner.run(request, approval));
    if (outcome.kind === 'result' || outcome.kind === 'toolError') {
      await this.#keep(uri, file, call, outcome.result, ofRun);
    }
    return this.#judge(uri, call, outcome, filled, request.answers?.failures);
  }

  async #judge(
    uri: vscode.Uri,
    call: FileCall,
    outcome: CallOutcome | ReadOutcome,
    { expect, secrets }: Extract<FilledCall, { kind: 'filled' }>,
    questions?: readonly ExpectationFailure[],
  ): Promise<RunState> {
    const { registry, runs, validator } = this.#options;
    const label = registry.find(call.server)?.config.label ?? call.server;
    const made = toAttempt(outcome, endMessage(label, outcome));
    const tools = { validator, readText: readerFor(uri), redact: redactionOf(secrets) };
    const result = await judgeCall(call, { ...made, expect, questions }, tools);
    const state = stateAfter(result, result.message ?? '');
    runs.setState(uri, call, state);
    return state;
  }

  #unsent(
    uri: vscode.Uri,
    call: FileCall,
    { sentence, pointer }: { readonly sentence: string; readonly pointer: string },
  ): RunState | undefined {
    const { runs } = this.#options;
    runs.setState(uri, call, { kind: 'unsent', message: sentence, pointer });
    notify('warning', l10n.t('Not sent. {0}', sentence));
    return runs.stateOf(uri, call);
  }

  async #read(
    uri: vscode.Uri,
    file: CallFile,
    { call, values }: Pick<RequestedCall, 'call' | 'values'>,
    { showRead }: ShownOutcomes,
  ): Promise<RunState | undefined> {
    const { registry, runs } = this.#options;
    const label = registry.find(call.server)?.config.label ?? call.server;
    const title = l10n.t(
      'Reading “{0}” from server “{1}”…',
      quoted(call.target.name),
      quoted(label),
    );
    runs.setState(uri, call, { kind: 'running' });
    const read = await withDelayedProgress(title, (token) =>
      readForFile(this.#options, { uri, file, call, run: values }, token),
    );
    if ('kind' in read) {
      if (read.kind === 'problem') return this.#unsent(uri, call, read);
      runs.setState(uri, call, { kind: 'skipped', message: l10n.t('cancelled') });
      return undefined;
    }
    const { outcome, filled } = read;
    if (outcome.kind === 'answered') {
      await this.#keep(uri, file, call, outcome.answer.result, values);
      await showRead?.(call, outcome.answer.result);
    }
    return this.#judge(uri, call, outcome, filled);
  }

  async #keep(
    uri: vscode.Uri,
    file: CallFile,
    call: FileCall,
    result: ToolResult,
    { environment, results }: RunValues,
  ): Promise<void> {
    const { runs } = this.#options;
    const keptIn = results === undefined ? runs.keptIn(file, call) : 'memory';
    await runs.setResult(uri, call, result, { environment, keptIn });
    await results?.set(call.name, result);
  }

  /**
   * Starts all servers before the first call, so that no run stops halfway because a server is
   * missing.
   * @param isFromUser true for a single call: the user waits for it and may be asked to sign in
   */
  async startServers(calls: readonly FileCall[], isByHand: boolean): Promise<boolean> {
    const { registry, actions } = this.#options;
    for (const id of new Set(calls.map(({ server }) => server))) {
      const server = registry.find(id);
      if (server === undefined) {
        const sentence = l10n.t('Not sent: server “{0}” does not exist.', quoted(id));
        notify('warning', sentence);
        return false;
      }
      if (server.state.kind === 'running') continue;
      if (!(await actions.startForUse(id, isByHand))) return false;
    }
    return true;
  }
}

/** Returns the file if it can be run; otherwise shows the first problem to the user. */
export async function runnableFile(document: vscode.TextDocument): Promise<CallFile | undefined> {
  const { file, problems } = readDocument(document);
  const [first] = problems;
  if (first === undefined) return file;
  const { start } = rangeOf(document, first);
  await vscode.window.showTextDocument(document, {
    preview: false,
    selection: new vscode.Range(start, start),
  });
  const sentence = problemSentence(first);
  notify(
    'warning',
    problems.length === 1
      ? l10n.t('Not sent. {0}', sentence)
      : l10n.t('Not sent: {0} problems. The first: {1}', problems.length, sentence),
  );
  return undefined;
}

/** Returns why there is no answer. */
function endMessage(label: string, outcome: CallOutcome | ReadOutcome): string {
  if (outcome.kind === 'failed') return formatError(label, outcome.error).title;
  return outcome.kind === 'denied' ? l10n.t('not called') : l10n.t('cancelled');
}

/**
 * Returns a function that redacts these secrets in failures, because an expected or actual value
 * may be a secret.
 */
export function redactionOf(secrets: readonly string[]): (text: string) => string {
  const values = new SecretValues();
  for (const secret of secrets) values.add(secret);
  return (text) => values.redact(text);
}

import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { isToolCall, type CallFile, type FileCall } from '../../core/callFiles/callFile';
import type { FileValueKind } from '../../core/callFiles/callVariables';
import { toMcpError } from '../../core/errors';
import type { ToolResult } from '../../core/types';
import type { AttemptedCall } from '../../core/testing/runTests';
import { withStructuredValue } from '../../host/calls/outcomeValue';
import type { CallApproval } from '../../host/calls/callApproval';
import type { CallOutcome, CallRequest } from '../../host/calls/call';
import type { Gate } from '../../host/calls/gate';
import type { PromptReads } from '../../host/prompts/promptReads';
import type { ServerRegistry } from '../../host/connections/registry';
import type { CallOrigin } from '../../host/consent/facts/callFacts';
import { decisionFacts } from '../../host/journal/decisionFacts';
import { readForFile } from '../callFiles/callFileReads';
import { redactionOf } from '../callFiles/callFileRunner';
import type { CallFileRuns } from '../callFiles/callFileRuns';
import type { CallFileValues, RunValues } from '../callFiles/callFileValues';
import { fileRequest, toAttempt, type ReadOutcome } from '../../host/callFiles/fileCalls';
import { formatDecision } from '../format/formatDecision';
import { errorSentence } from '../format/sentences';
import { writtenCall } from './readyFiles';

export interface TestCallsOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'client'>;
  readonly prompts: Pick<PromptReads, 'call'>;
  readonly gate: Pick<Gate, 'call' | 'preview'>;
  readonly runs: CallFileRuns;
  readonly values: Pick<
    CallFileValues,
    'fill' | 'fileValuesOf' | 'prepare' | 'newRun' | 'newSeparateRun'
  >;
  /** Fills in known values without asking. */
  readonly quietValues: Pick<CallFileValues, 'fill' | 'fileValuesOf'>;
}

/** A call of a test run. */
interface TestedCall {
  readonly uri: vscode.Uri;
  readonly file: CallFile;
  readonly call: FileCall;
  readonly origin: CallOrigin;
  readonly ofRun: RunValues;
  /** If absent, rules and permissions decide whether the user is asked. */
  readonly approval?: CallApproval | undefined;
  /** True if only calls without a question are made. */
  readonly isQuiet: boolean;
  /**
   * True if the run was cancelled, so that only approved calls and calls without a question are
   * made.
   */
  readonly isCleanUp: boolean;
}

/** How a call is made. */
type Manner = Pick<TestedCall, 'isQuiet' | 'isCleanUp'>;

/** Makes the calls of tests: resolves their values, then calls the gate. */
export class TestCalls {
  readonly #options: TestCallsOptions;

  constructor(options: TestCallsOptions) {
    this.#options = options;
  }

  /** Never rejects. The result is available to later calls. */
  async make(tested: TestedCall, token: vscode.CancellationToken): Promise<AttemptedCall> {
    const { uri, file, call, origin, ofRun, isCleanUp } = tested;
    if (!isToolCall(call)) return this.#read(tested, token);
    const isQuiet = tested.isQuiet || (isCleanUp && tested.approval === undefined);
    const { values, quietValues, runs } = this.#options;
    const kinds = tested.isQuiet ? values.fileValuesOf(uri, file, call, ofRun) : [];
    if (kinds.length > 0) return { kind: 'skipped', message: fileValueMessage(kinds) };
    const filled = await (isQuiet || isCleanUp ? quietValues : values).fill(uri, file, call, ofRun);
    if (filled.kind === 'problem') return { kind: 'errored', message: filled.sentence };
    if (filled.kind === 'cancelled') {
      return { kind: 'skipped', message: cancelledMessage(tested) };
    }
    const request = fileRequest(call, origin, filled);
    runs.setState(uri, writtenCall(file, call), { kind: 'running' });
    const outcome = await withStructuredValue(
      await (isQuiet ? this.#callQuietly(request, token) : this.#call(tested, request, token)),
    );
    if (outcome.kind === 'result' || outcome.kind === 'toolError') {
      await this.#keep(tested, outcome.result);
    }
    const made = toAttempt(outcome, this.#messageOf(call, outcome, { isQuiet, isCleanUp }));
    const redact = redactionOf(filled.secrets);
    return { ...made, expect: filled.expect, questions: request.answers?.failures, redact };
  }

  /** Only expectations may use inputs, which a quiet run does not ask for. */
  async #read(tested: TestedCall, token: vscode.CancellationToken): Promise<AttemptedCall> {
    const { uri, file, call, ofRun, isQuiet, isCleanUp } = tested;
    const { runs, quietValues } = this.#options;
    const options =
      isQuiet || isCleanUp ? { ...this.#options, values: quietValues } : this.#options;
    runs.setState(uri, writtenCall(file, call), { kind: 'running' });
    const read = await readForFile(options, { uri, file, call, run: ofRun }, token);
    if ('kind' in read) {
      return read.kind === 'problem'
        ? { kind: 'errored', message: read.sentence }
        : { kind: 'skipped', message: cancelledMessage(tested) };
    }
    const { outcome, filled } = read;
    if (outcome.kind === 'answered') await this.#keep(tested, outcome.answer.result);
    const made = toAttempt(outcome, this.#messageOf(call, outcome, tested));
    return { ...made, expect: filled.expect, redact: redactionOf(filled.secrets) };
  }

  async #keep({ uri, file, call, ofRun }: TestedCall, result: ToolResult): Promise<void> {
    const { runs } = this.#options;
    const { environment, results } = ofRun;
    const keptIn = runs.keptIn(file, call);
    if (results !== undefined) await results.set(call.name, result);
    else await runs.setResult(uri, call, result, { environment, keptIn });
  }

  #call(
    { approval, isCleanUp }: TestedCall,
    request: CallRequest,
    token: vscode.CancellationToken,
  ): Promise<CallOutcome> {
    return this.#options.gate.call(request, { token, approval, mayAsk: !isCleanUp });
  }

  /** The decision is checked first, so that a call that would ask is not recorded as refused. */
  async #callQuietly(request: CallRequest, token: vscode.CancellationToken): Promise<CallOutcome> {
    const { gate } = this.#options;
    try {
      const { decision } = await gate.preview(request, token);
      if (decision.effect === 'ask') return { kind: 'denied', durationMs: 0 };
    } catch (thrown) {
      return { kind: 'failed', error: toMcpError(thrown), violations: [], durationMs: 0 };
    }
    return gate.call(request, { token, mayAsk: false });
  }

  /** Returns why there is no answer. */
  #messageOf(call: FileCall, outcome: CallOutcome | ReadOutcome, how: Manner): string {
    if (outcome.kind === 'denied') return deniedMessage(outcome, how);
    if (outcome.kind !== 'failed') return l10n.t('It was cancelled.');
    const label = this.#options.registry.find(call.server)?.config.label ?? call.server;
    return errorSentence(label, outcome.error);
  }
}

function cancelledMessage({ isQuiet, isCleanUp }: Manner): string {
  if (isCleanUp) {
    return l10n.t(
      'Not cleaned up: the run was cancelled, and this call asks for an input. Run it separately.',
    );
  }
  if (isQuiet) {
    return l10n.t(
      'Not called: it asks for an input, and runs that start automatically ask for none.',
    );
  }
  return notCalled();
}

function fileValueMessage(kinds: readonly FileValueKind[]): string {
  if (kinds.every((kind) => kind === 'toQuestions')) {
    return l10n.t(
      'Not called: it answers server questions, and runs that start automatically answer none.',
    );
  }
  return l10n.t(
    'Not called: it uses values that are not in the file, and runs that start automatically have none.',
  );
}

function notCalled(): string {
  return l10n.t('Not called: you cancelled it.');
}

function deniedMessage(
  { decision }: Extract<CallOutcome, { kind: 'denied' }>,
  { isQuiet, isCleanUp }: Manner,
): string {
  if (decision !== undefined) {
    return l10n.t('Not called. {0}', formatDecision(decisionFacts(decision)));
  }
  if (!isQuiet) return notCalled();
  if (isCleanUp) {
    return l10n.t(
      'Not cleaned up: the run was cancelled, and this call asks first. Run it separately.',
    );
  }
  return l10n.t(
    'Not called: it needs your approval. Runs that start automatically only make calls that a rule or a permission allows.',
  );
}

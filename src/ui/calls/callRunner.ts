import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { assertNever, type McpError } from '../../core/errors';
import type { JsonObject } from '../../core/json/jsonValue';
import { callOperation, type SignInOccasions } from '../../host/authorization/signInTiming';
import { longTaskMs, type CallOutcome, type CallRequest } from '../../host/calls/call';
import type { CallApproval } from '../../host/calls/callApproval';
import { hasLostAnswer } from '../../host/calls/timeLimits';
import type { Decision } from '../../host/consent/consent';
import { isFromUser } from '../../host/consent/facts/callFacts';
import type { Gate } from '../../host/calls/gate';
import { decisionFacts } from '../../host/journal/decisionFacts';
import type { ServerRegistry } from '../../host/connections/registry';
import { commands } from '../../ids';
import type { CallTarget } from '../arguments/argumentDocuments';
import { violationSentence } from '../arguments/argumentProblems';
import { showLogAction, notify, notifyServerError, showStatus } from '../editor/messages';
import { markOwnArgument } from '../editor/ownArguments';
import { formatDecision } from '../format/formatDecision';
import { errorSentence, quoted } from '../format/sentences';

/** Outcome with an answer of the server, as opposed to a failure. */
type AnsweredCall = Extract<CallOutcome, { kind: 'result' | 'toolError' }>;

export interface CallRunnerOptions {
  readonly registry: Pick<ServerRegistry, 'find'>;
  readonly gate: Pick<Gate, 'call'>;
  /** Lets the user be asked to sign in while their call runs. Absent: no such question is asked. */
  readonly occasions?: Pick<SignInOccasions, 'during'>;
  /** Returns true if the user caused this error, so that no message is shown. Defaults to false. */
  readonly isExpected?: (error: McpError) => boolean;
  /** Opens the answer. */
  readonly showOutcome: (request: CallRequest, outcome: AnsweredCall) => Promise<unknown>;
}

/** Calls a tool through the gate with progress and Cancel, and shows the outcome. */
export class CallRunner {
  readonly #options: CallRunnerOptions;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
  }

  /** Does not reject for errors of the server. */
  async run(request: CallRequest, approval?: CallApproval): Promise<CallOutcome> {
    const { server, tool, origin } = request;
    const label = this.#options.registry.find(server)?.config.label ?? server;
    const { gate, occasions } = this.#options;
    const call = () => gate.call(request, { approval });
    const outcome =
      occasions !== undefined && isFromUser(origin)
        ? await occasions.during(server, call, callOperation(tool))
        : await call();
    // A long call has a notification instead, and a running task has its row.
    if (isLongTask(outcome)) return outcome;
    await this.#show(request, { id: server, label }, outcome);
    if (outcome.kind === 'failed' && isForAnotherTry(outcome.error)) {
      void this.#offerAgain(request, label, outcome.error);
    }
    return outcome;
  }

  /**
   * Offers to run the call again. Either the server requires a step outside VS Code, and only the
   * user knows when it is done; or the answer got lost, and nothing can have
   * happened twice.
   */
  async #offerAgain(request: CallRequest, label: string, error: McpError): Promise<void> {
    const again = l10n.t('Run Again');
    const log = showLogAction(request.server);
    const sentence = errorSentence(label, error);
    const pressed = hasLostAnswer(error)
      ? await vscode.window.showErrorMessage(sentence, again, log.title)
      : await vscode.window.showInformationMessage(sentence, again);
    if (pressed === again) await this.run(request);
    else if (pressed === log.title) {
      await vscode.commands.executeCommand(log.command, ...(log.arguments ?? []));
    }
  }

  async #show(
    request: CallRequest,
    server: { readonly id: string; readonly label: string },
    outcome: CallOutcome,
  ): Promise<void> {
    switch (outcome.kind) {
      case 'result':
      case 'toolError':
        await this.#options.showOutcome(request, outcome);
        return;
      case 'denied':
        if (outcome.decision === undefined) {
          showStatus(l10n.t('“{0}” was not called.', quoted(request.tool)));
        } else notifyDenied(request.tool, outcome.decision);
        return;
      case 'cancelled':
        showStatus(l10n.t('The call of “{0}” was cancelled.', quoted(request.tool)));
        return;
      case 'failed':
        if (this.#options.isExpected?.(outcome.error) === true) return;
        if (!isForAnotherTry(outcome.error)) notifyFailure(server, outcome);
        return;
      default:
        assertNever(outcome);
    }
  }
}

/** The request to call a tool with these arguments. */
export function requestFor(
  { serverId, toolName, origin, isForeign }: CallTarget,
  value: JsonObject | undefined,
): CallRequest {
  return {
    server: serverId,
    tool: toolName,
    origin,
    ...(isForeign && { isForeign }),
    // Absent arguments stay absent on the wire.
    ...(value && { arguments: value }),
  };
}

function isLongTask(outcome: CallOutcome): boolean {
  if (outcome.kind === 'failed' && outcome.error.code === 'taskLeft') return true;
  return outcome.wasTask === true && outcome.durationMs >= longTaskMs;
}

/** True if the user may be offered to call again. Calls are never repeated automatically. */
function isForAnotherTry(error: McpError): boolean {
  if (error.code === 'browserStepRequired') return true;
  return hasLostAnswer(error) && error.facts.outcomeUnknown !== true;
}

function notifyFailure(
  server: { readonly id: string; readonly label: string },
  { error, violations, callId }: Extract<CallOutcome, { kind: 'failed' }>,
): void {
  const [first] = violations;
  if (first === undefined) {
    notifyFailedCall(server, error, callId);
    return;
  }
  const sentence = l10n.t('{0} {1}', errorSentence(server.label, error), violationSentence(first));
  notify('error', sentence, showLogAction(server.id));
}

/**
 * Shows why a call failed. If the server refused it, its arguments can be changed. No restart is
 * offered, because a server that exited is restarted automatically.
 */
export function notifyFailedCall(
  server: { readonly id: string; readonly label: string },
  error: McpError,
  callId: string | undefined,
): void {
  if (error.code === 'serverError' && callId !== undefined) {
    notifyServerError(server, error, {
      title: l10n.t('Run Again with Changes…'),
      command: commands.runAgainWithChanges,
      arguments: [markOwnArgument({ callId })],
    });
  } else if (error.code === 'connectionClosed' || error.code === 'writeFailed') {
    notifyServerError(server, error, showLogAction(server.id));
  } else notifyServerError(server, error);
}

/** Names the rule that refuses the call, and the reason. */
export function notifyDenied(tool: string, decision: Pick<Decision, 'effect' | 'cause'>): void {
  const why = formatDecision(decisionFacts(decision));
  notify('warning', l10n.t('“{0}” was not called. {1}', quoted(tool), why), {
    title: l10n.t('Open Rules'),
    command: commands.openRules,
  });
}

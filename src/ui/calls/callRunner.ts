import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import type { JsonObject } from '../../core/types';
import { withoutIcons } from '../../core/visibleText';
import type { CallOutcome, CallRequest } from '../../host/call';
import type { Gate } from '../../host/gate';
import type { ServerRegistry } from '../../host/connections/registry';
import type { CallTarget } from '../arguments/argumentDocuments';
import { violationSentence } from '../arguments/argumentProblems';
import { withCallProgress } from './callProgress';
import { showLogAction, tell, tellServerError } from '../messages';
import { errorSentence, quoted } from '../words/sentences';

/** What came back from a server, as opposed to why nothing did. */
export type AnsweredCall = Extract<CallOutcome, { kind: 'result' | 'toolError' }>;

export interface CallRunnerOptions {
  readonly registry: Pick<ServerRegistry, 'find'>;
  readonly gate: Pick<Gate, 'call'>;
  /** Opens what came back. */
  readonly showOutcome: (request: CallRequest, outcome: AnsweredCall) => Promise<unknown>;
}

const statusMs = 5_000;

/** Calls a tool through the gate, with progress and Cancel, and shows how it went. */
export class CallRunner {
  readonly #options: CallRunnerOptions;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
  }

  /** Never rejects because of the server. */
  async run(target: CallTarget, value: JsonObject): Promise<CallOutcome> {
    const { serverId, toolName, origin } = target;
    const label = this.#options.registry.find(serverId)?.config.label ?? serverId;
    const tool = quoted(toolName);
    const request = { server: serverId, tool: toolName, arguments: value, origin };
    const title = vscode.l10n.t('Calling “{0}” on “{1}”', tool, quoted(label));
    const outcome = await withCallProgress(title, ({ token, onProgress, onSending }) =>
      this.#options.gate.call({ ...request, onProgress, onSending }, token),
    );
    await this.#show(request, { id: serverId, label }, outcome);
    if (outcome.kind === 'failed' && outcome.error.code === 'browserStepRequired') {
      void this.#offerAgain(target, value, errorSentence(label, outcome.error));
    }
    return outcome;
  }

  /** What the server demanded is done outside; only the person knows when. */
  async #offerAgain(target: CallTarget, value: JsonObject, sentence: string): Promise<void> {
    const again = vscode.l10n.t('Run Again');
    const pressed = await vscode.window.showInformationMessage(sentence, again);
    if (pressed === again) await this.run(target, value);
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
        showStatus(vscode.l10n.t('“{0}” was not called.', quoted(request.tool)));
        return;
      case 'cancelled':
        showStatus(vscode.l10n.t('The call of “{0}” was cancelled.', quoted(request.tool)));
        return;
      case 'failed':
        if (outcome.error.code !== 'browserStepRequired') tellFailure(server, outcome);
        return;
      default:
        assertNever(outcome);
    }
  }
}

function tellFailure(
  server: { readonly id: string; readonly label: string },
  { error, violations }: Extract<CallOutcome, { kind: 'failed' }>,
): void {
  const [first] = violations;
  if (first === undefined) {
    tellServerError(server, error);
    return;
  }
  const sentence = vscode.l10n.t(
    '{0} {1}',
    errorSentence(server.label, error),
    violationSentence(first),
  );
  tell('error', sentence, showLogAction(server.id));
}

function showStatus(sentence: string): void {
  vscode.window.setStatusBarMessage(withoutIcons(sentence), statusMs);
}

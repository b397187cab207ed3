import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ElicitationRequest, ElicitationResult } from '../../core/input/elicitation';
import { assertNever, McpError } from '../../core/errors';
import type { InputHandler } from '../../core/input/inputHandler';
import { raceCancellation } from '../../core/rpc/cancellation';
import type { OngoingCall } from '../../host/calls/ongoingCall';
import type { ConnectionLog } from '../../core/log';
import type { SchemaValidator } from '../../core/schema/schema';
import { escapeIcons } from '../../core/visibleText';
import { askFields } from '../arguments/fieldQuestions';
import { chooseInQuickPick } from '../arguments/rowPrompt';
import { quoted } from '../format/sentences';
import { FormDialog } from './formDialog';
import type { FormPrompts } from './formPrompts';
import { askUrl, modalUrlPrompts, type UrlPrompts } from './urlDialog';

export interface ElicitationsOptions {
  readonly validator: Pick<SchemaValidator, 'validate'>;
  /** Returns the call whose row keeps the closed questions of a task. Absent: no call does. */
  readonly callOfTask?: (serverId: string, taskId: string) => Pick<OngoingCall, 'asks'> | undefined;
  readonly forms?: FormPrompts;
  readonly urls?: UrlPrompts;
}

/** The server that asks, and the log for its questions. */
export interface ElicitingServer {
  readonly id: string;
  readonly label: string;
  readonly log: Pick<ConnectionLog, 'info' | 'warn'>;
}

/** Maximum number of questions, over all servers, that wait behind the one on screen. */
const maxWaiting = 20;
const statusMs = 5_000;

const nativeForms: FormPrompts = { choose: chooseInQuickPick, enter: askFields };

/**
 * Asks the user the questions of all servers, one at a time, and never answers one without the user
 * . A closed question of a task waits at the row of its call.
 */
export class Elicitations {
  readonly #validator: Pick<SchemaValidator, 'validate'>;
  readonly #forms: FormPrompts;
  readonly #urls: UrlPrompts;
  readonly #callOfTask: NonNullable<ElicitationsOptions['callOfTask']>;
  #lastTurn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: ElicitationsOptions) {
    const { validator, forms = nativeForms, urls = modalUrlPrompts, callOfTask } = options;
    this.#validator = validator;
    this.#forms = forms;
    this.#urls = urls;
    this.#callOfTask = callOfTask ?? (() => undefined);
  }

  /** The input handler for the connection to one server, for any protocol revision. */
  handlerFor(server: ElicitingServer): InputHandler {
    return {
      elicit: (request, token) => this.#elicit(server, request, token),
      elicitationCompleted: () => showCompleted(server),
    };
  }

  /** @throws {McpError} inputNotPossible */
  async #elicit(
    server: ElicitingServer,
    request: ElicitationRequest,
    token: vscode.CancellationToken,
  ): Promise<ElicitationResult> {
    const { taskId } = request;
    const call = taskId === undefined ? undefined : this.#callOfTask(server.id, taskId);
    const ask = this.#asking(server, request, call !== undefined, token);
    const result = await (call === undefined
      ? this.#inTurn(server, ask)
      : this.#untilAnswered(server, ask, call, token));
    server.log.info(`a question to you (${request.mode}) ended with: ${result.action}`);
    return result;
  }

  get #isFull(): boolean {
    return this.#waiting > maxWaiting;
  }

  /**
   * Shows one question at a time.
   * @throws {McpError} inputNotPossible
   */
  async #inTurn({ log }: ElicitingServer, ask: Ask): Promise<ElicitationResult> {
    if (this.#isFull) {
      log.warn('a question to you was declined because too many questions are waiting');
      throw new McpError('inputNotPossible', { detail: 'too many questions are waiting' });
    }
    this.#waiting += 1;
    const turn = this.#lastTurn.then(ask);
    // A failed question rejects for its own caller, and does not block the others.
    this.#lastTurn = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** A closed question stays at the row of the call, where the user can open it again. */
  async #untilAnswered(
    server: ElicitingServer,
    ask: Ask,
    call: Pick<OngoingCall, 'asks'>,
    token: vscode.CancellationToken,
  ): Promise<ElicitationResult> {
    let open = ignore;
    const answered = call.asks({ open: () => open() });
    try {
      for (;;) {
        const result = this.#isFull ? closed : await this.#inTurn(server, ask);
        if (result.action !== 'cancel' || token.isCancellationRequested) return result;
        await raceCancellation(new Promise<void>((resolve) => (open = resolve)), token);
      }
    } finally {
      answered();
    }
  }

  /** Uses the same dialog each time, so that earlier input is kept. */
  #asking(
    { label }: ElicitingServer,
    request: ElicitationRequest,
    canWait: boolean,
    token: vscode.CancellationToken,
  ): Ask {
    const ask = this.#dialogOf(label, request, canWait, token);
    return async () => (token.isCancellationRequested ? closed : ask());
  }

  #dialogOf(
    label: string,
    request: ElicitationRequest,
    canWait: boolean,
    token: vscode.CancellationToken,
  ): Ask {
    switch (request.mode) {
      case 'form': {
        const parts = { prompts: this.#forms, validator: this.#validator, canWait };
        const dialog = new FormDialog(label, request, parts, token);
        return () => dialog.ask();
      }
      case 'url':
        return () => askUrl(label, request, { prompts: this.#urls, canWait }, token);
      default:
        return assertNever(request);
    }
  }
}

const ignore = (): void => undefined;
const closed: ElicitationResult = { action: 'cancel' };

type Ask = () => Promise<ElicitationResult>;

function showCompleted({ label }: ElicitingServer): void {
  const sentence = l10n.t('Server “{0}” reports that the browser step is complete.', quoted(label));
  vscode.window.setStatusBarMessage(escapeIcons(sentence), statusMs);
}

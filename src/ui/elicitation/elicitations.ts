import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { assertNever, McpError } from '../../core/errors';
import type {
  ElicitationRequest,
  ElicitationResult,
  UrlElicitation,
} from '../../core/input/elicitation';
import { assessUrl } from '../../core/input/elicitationUrl';
import type { InputHandler } from '../../core/input/inputHandler';
import type { ConnectionLog } from '../../core/log';
import { raceCancellation } from '../../core/rpc/cancellation';
import type { SchemaValidator } from '../../core/schema/schema';
import type { OngoingCall } from '../../host/calls/ongoingCall';
import { askFields } from '../arguments/fieldQuestions';
import { chooseInQuickPick } from '../arguments/rowPrompt';
import { openAddress, showStatus } from '../editor/messages';
import { dialogText } from '../format/dialogLines';
import { quoted } from '../format/sentences';
import { urlDetail, urlMessage } from './formatElicitation';
import { FormDialog } from './formDialog';
import type { FormPrompts } from './formPrompts';
import { type Ask, closedQuestion, QuestionQueue } from './questionQueue';

interface ElicitationsOptions {
  readonly validator: Pick<SchemaValidator, 'validate'>;
  /** Returns the call whose row keeps the closed questions of a task. Absent: no call does. */
  readonly callOfTask?: (serverId: string, taskId: string) => Pick<OngoingCall, 'asks'> | undefined;
  readonly forms?: FormPrompts;
  readonly urls?: UrlPrompts;
}

/** The server that asks, and the log for its questions. */
interface ElicitingServer {
  readonly id: string;
  readonly label: string;
  readonly log: Pick<ConnectionLog, 'info' | 'warn'>;
}

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
  readonly #queue = new QuestionQueue();

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
      ? this.#inTurn(server, ask, token)
      : this.#untilAnswered(server, ask, call, token));
    server.log.info(`a question to you (${request.mode}) ended with: ${result.action}`);
    return result;
  }

  /**
   * Shows one question at a time.
   * @throws {McpError} inputNotPossible
   */
  async #inTurn(
    { id, log }: ElicitingServer,
    ask: Ask,
    token: vscode.CancellationToken,
  ): Promise<ElicitationResult> {
    if (this.#queue.isFullFor(id)) {
      log.warn('a question to you was declined because too many questions are waiting');
      throw new McpError('inputNotPossible', { detail: 'too many questions are waiting' });
    }
    return this.#queue.inTurn(id, ask, token);
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
        const isFull = this.#queue.isFullFor(server.id);
        const result = isFull ? closedQuestion : await this.#inTurn(server, ask, token);
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
    return async () => (token.isCancellationRequested ? closedQuestion : ask());
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

function showCompleted({ label }: ElicitingServer): void {
  const sentence = l10n.t('Server “{0}” reports that the browser step is complete.', quoted(label));
  showStatus(sentence);
}

interface OfferedButtons {
  readonly canOpen: boolean;
  readonly canWait: boolean;
}

/** Asks before a page is opened, and opens it in the browser. */
export interface UrlPrompts {
  /**
   * Resolves to `undefined` if the dialog is closed, or if Later is selected where the question can
   * wait.
   */
  ask(
    message: string,
    detail: string,
    offered: OfferedButtons,
  ): Promise<'open' | 'decline' | undefined>;
  /** Resolves to true if the system accepted the URL. */
  open(address: string): Promise<boolean>;
}

interface UrlDialogOptions {
  readonly prompts: UrlPrompts;
  /** True if closing the dialog leaves the question for later. */
  readonly canWait: boolean;
}

const modalUrlPrompts: UrlPrompts = { ask: askInModal, open: openAddress };

/**
 * Shows the whole URL, and opens it only when the user selects the button. `accept`
 * means that the page was opened, not that anything was done there.
 */
async function askUrl(
  server: string,
  request: UrlElicitation,
  { prompts, canWait }: UrlDialogOptions,
  token: vscode.CancellationToken,
): Promise<ElicitationResult> {
  const assessment = assessUrl(request.url);
  const canOpen = assessment.refusal === undefined;
  const message = urlMessage(server, assessment);
  const pressed = await prompts.ask(message, urlDetail(request, assessment), { canOpen, canWait });
  // A modal dialog cannot be closed by code, so a late button press must not open anything.
  if (pressed === undefined || token.isCancellationRequested) return { action: 'cancel' };
  if (pressed === 'decline' || !canOpen) return { action: 'decline' };
  return { action: (await prompts.open(assessment.address)) ? 'accept' : 'cancel' };
}

async function askInModal(
  message: string,
  detail: string,
  { canOpen, canWait }: OfferedButtons,
): Promise<'open' | 'decline' | undefined> {
  const open = { title: l10n.t('Open in Browser') };
  const decline = { title: l10n.t('Decline') };
  const later = { title: l10n.t('Later'), isCloseAffordance: true };
  const buttons = [...(canOpen ? [open] : []), decline, ...(canWait ? [later] : [])];
  const options = { modal: true, detail: dialogText(detail) };
  const picked = await vscode.window.showWarningMessage(message, options, ...buttons);
  if (picked === open) return 'open';
  return picked === decline ? 'decline' : undefined;
}

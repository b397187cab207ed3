import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ElicitationRequest, ElicitationResult } from '../../core/input/elicitation';
import { assertNever, McpError } from '../../core/errors';
import type { InputHandler } from '../../core/input/inputHandler';
import type { ConnectionLog } from '../../core/log';
import type { SchemaValidator } from '../../core/schema/schema';
import { withoutIcons } from '../../core/visibleText';
import { askFields } from '../arguments/fieldQuestions';
import { chooseInQuickPick } from '../arguments/rowPrompt';
import { quoted } from '../format/sentences';
import { FormDialog } from './formDialog';
import type { FormPrompts } from './formPrompts';
import { askUrl, modalUrlPrompts, type UrlPrompts } from './urlDialog';

export interface ElicitationsOptions {
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly forms?: FormPrompts;
  readonly urls?: UrlPrompts;
}

/** Who asks, and where it is noted. */
export interface AskingServer {
  readonly label: string;
  readonly log: Pick<ConnectionLog, 'info' | 'warn'>;
}

/** Questions of all servers that wait behind the one on the screen. */
const maxWaiting = 20;
const statusMs = 5_000;

const nativeForms: FormPrompts = { choose: chooseInQuickPick, enter: askFields };

/**
 * Puts the questions of servers to the person, one at a time whichever servers ask, and answers
 * none without the person.
 */
export class Elicitations {
  readonly #validator: Pick<SchemaValidator, 'validate'>;
  readonly #forms: FormPrompts;
  readonly #urls: UrlPrompts;
  #lastTurn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor({ validator, forms = nativeForms, urls = modalUrlPrompts }: ElicitationsOptions) {
    this.#validator = validator;
    this.#forms = forms;
    this.#urls = urls;
  }

  /** What the connection to one server asks through, whatever revision it speaks. */
  handlerFor(server: AskingServer): InputHandler {
    return {
      elicit: (request, token) => this.#elicit(server, request, token),
      elicitationCompleted: () => showCompleted(server),
    };
  }

  /** @throws {McpError} inputNotPossible */
  async #elicit(
    server: AskingServer,
    request: ElicitationRequest,
    token: vscode.CancellationToken,
  ): Promise<ElicitationResult> {
    if (this.#waiting > maxWaiting) {
      server.log.warn('a question to you was declined because too many questions are waiting');
      throw new McpError('inputNotPossible', { detail: 'too many questions are waiting' });
    }
    this.#waiting += 1;
    const turn = this.#lastTurn.then(() => this.#ask(server, request, token));
    // A question that failed is answered for whoever asked it, and holds up no other.
    this.#lastTurn = turn.catch(() => undefined);
    try {
      const result = await turn;
      server.log.info(`a question to you (${request.mode}) ended with: ${result.action}`);
      return result;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #ask(
    { label }: AskingServer,
    request: ElicitationRequest,
    token: vscode.CancellationToken,
  ): Promise<ElicitationResult> {
    if (token.isCancellationRequested) return { action: 'cancel' };
    switch (request.mode) {
      case 'form': {
        const parts = { prompts: this.#forms, validator: this.#validator };
        return new FormDialog(label, request, parts, token).ask();
      }
      case 'url':
        return askUrl(label, request, this.#urls, token);
      default:
        return assertNever(request);
    }
  }
}

function showCompleted({ label }: AskingServer): void {
  const sentence = l10n.t('Server “{0}” says that the step in the browser is done.', quoted(label));
  vscode.window.setStatusBarMessage(withoutIcons(sentence), statusMs);
}

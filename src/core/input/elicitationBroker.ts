import type { CancellationToken, Event } from 'vscode-jsonrpc/node';
import { raceCancellation } from '../rpc/cancellation';
import { parseElicitation, toElicitResult } from './elicitation';
import type { ElicitationOrigin, ElicitationRequest, UrlElicitation } from './elicitation';
import { McpError } from '../errors';
import type { InputHandler } from './inputHandler';
import type { ClaimedCapabilities } from '../types';

/** Limits the questions that wait behind the visible one. */
const maxWaiting = 10;
/** Limits the open questions of tasks, which the user may answer later. */
const maxOfTasks = 100;
/** Limits the questions in this time window. No user answers more. */
const maxInWindow = 30;
const windowMs = 60_000;
/** Limits the browser steps whose completion the server may still report. */
const maxOpenSteps = 100;

/**
 * Asks one question at a time, and limits their number. A question of a task does not block
 * others, because it may wait for hours.
 */
export class ElicitationBroker {
  readonly #handler: InputHandler;
  readonly #claimed: ClaimedCapabilities;
  #last: Promise<unknown> = Promise.resolve();
  readonly #open = { ofCalls: 0, ofTasks: 0 };
  #askedAt: number[] = [];
  readonly #openSteps = new Set<string>();

  constructor(handler: InputHandler, claimed: ClaimedCapabilities = {}) {
    this.#handler = handler;
    this.#claimed = claimed;
  }

  /** False if the user hides that this client asks. */
  get canElicit(): boolean {
    return this.#claimed.elicitation !== false;
  }

  get hasRoots(): boolean {
    return this.#handler.roots !== undefined && this.#claimed.roots !== false;
  }

  /** Absent without roots, because changes are reported only if roots were declared. */
  get onDidChangeRoots(): Event<void> | undefined {
    return this.hasRoots ? this.#handler.onDidChangeRoots : undefined;
  }

  /** Parses the params of `elicitation/create`. @throws {McpError} inputNotPossible */
  understand(params: unknown, origin: ElicitationOrigin = {}): ElicitationRequest {
    const request = this.canElicit ? parseElicitation(params) : 'elicitation/create';
    if (typeof request === 'string') throw new McpError('inputNotPossible', { detail: request });
    return { ...request, ...origin };
  }

  /**
   * Resolves to the result for the wire.
   * @throws {McpError} inputNotPossible | cancelled | what the handler throws
   */
  async ask(request: ElicitationRequest, token: CancellationToken): Promise<object> {
    const written = this.#handler.writtenAnswer?.(request);
    if (written !== undefined) return toElicitResult(request, written);
    const kind = request.taskId === undefined ? 'ofCalls' : 'ofTasks';
    this.#admit(kind);
    this.#open[kind] += 1;
    const before = kind === 'ofCalls' ? this.#last : Promise.resolve();
    const turn = before.then(() => this.#ask(request, token));
    // The next question comes after this one was closed, even if it failed.
    if (kind === 'ofCalls') this.#last = turn.catch(() => undefined);
    try {
      return await raceCancellation(turn, token);
    } finally {
      this.#open[kind] -= 1;
    }
  }

  /**
   * Returns the result of `roots/list`. @throws {McpError} inputNotPossible | what the handler
   * throws
   */
  async listRoots(token: CancellationToken): Promise<object> {
    if (!this.hasRoots || this.#handler.roots === undefined) {
      throw new McpError('inputNotPossible', { detail: 'roots/list' });
    }
    return { roots: await raceCancellation(this.#handler.roots(token), token) };
  }

  /** Handles the params of `notifications/elicitation/complete`. Ignores unknown ids. */
  complete(elicitationId: unknown): void {
    if (typeof elicitationId !== 'string' || !this.#openSteps.delete(elicitationId)) return;
    this.#handler.elicitationCompleted?.(elicitationId);
  }

  async #ask(request: ElicitationRequest, token: CancellationToken): Promise<object> {
    if (token.isCancellationRequested) throw new McpError('cancelled');
    const result = await this.#handler.elicit(request, token);
    if (request.mode === 'url' && result.action === 'accept') this.#noteOpenStep(request);
    return toElicitResult(request, result);
  }

  #admit(kind: 'ofCalls' | 'ofTasks'): void {
    const now = performance.now();
    const isFull =
      kind === 'ofCalls' ? this.#open.ofCalls > maxWaiting : this.#open.ofTasks >= maxOfTasks;
    this.#askedAt = this.#askedAt.filter((at) => now - at < windowMs);
    if (isFull || this.#askedAt.length >= maxInWindow) {
      throw new McpError('inputNotPossible', { detail: 'too many questions' });
    }
    this.#askedAt.push(now);
  }

  #noteOpenStep({ elicitationId }: UrlElicitation): void {
    if (elicitationId === undefined || this.#openSteps.size >= maxOpenSteps) return;
    this.#openSteps.add(elicitationId);
  }
}

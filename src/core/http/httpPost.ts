import {
  type HttpBody,
  discardBody,
  mediaTypeOf,
  readJson,
  unexpectedType,
  answerExcerpt,
} from './httpBody';
import { isMcpError, isTransient, McpError, toMcpError } from '../errors';
import type { HttpHeaders, OutgoingMessage } from './httpMessage';
import { AuthorizedExchange } from './authorizedExchange';
import type { HttpAnswer, HttpRequest, OpenExchange } from './httpExchange';
import type { HttpLink } from './httpLink';
import type { HttpSession } from './httpSession';
import { httpErrorOf, resumeDelayMs, type SseStream } from './sseStream';
import { messageStream } from './httpInbox';
import { isAnswer } from '../rpc/incoming';
import type { MessageLimits } from '../rpc/messageLimits';
import { boundedJson } from '../json/boundedJson';
import { isObject } from '../json/shapes';

/** Servers normally close the stream of an answered request; after this time, we do. */
export const lingerMs = 250;
const maxResumeFailures = 5;
/** Maximum length of an invalid answer in the error. */
const maxSaidChars = 1_000;

/** The parts of the transport that a POST needs. */
export interface PostHost {
  readonly link: HttpLink;
  readonly limits: MessageLimits;
  readonly session: HttpSession;
  /** Headers for the GET that resumes its stream. */
  getHeaders(): HttpHeaders;
  /**
   * True if the server has, or may still open, a stream outside of requests: answers may arrive
   * there.
   */
  hasOtherStream(): boolean;
  /**
   * Delivers a parsed value from the answer with the head `carrier`. Returns true if it answers any
   * request.
   */
  deliver(value: unknown, post: HttpPost, carrier: HttpBody): boolean;
  garbage(text: string): void;
}

/** One outgoing message as a POST, until its answer has arrived on any stream. */
export class HttpPost {
  readonly message: OutgoingMessage;
  readonly #host: PostHost;
  #exchange: OpenExchange | undefined;
  /** Head of the answer to the POST itself; resumed streams keep it. */
  #carrier: HttpBody | undefined;
  #isOver = false;
  /** Set while it waits for an answer on another stream. */
  #waiting: { readonly end: () => void; readonly fail: (error: McpError) => void } | undefined;
  #lingering: NodeJS.Timeout | undefined;

  constructor(message: OutgoingMessage, host: PostHost) {
    this.message = message;
    this.#host = host;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isRequest(): boolean {
    return this.message.kind === 'request';
  }

  /**
   * Resolves when the answer of a request has been delivered, or a notification was accepted.
   * @throws {McpError} unreachable | tlsError | connectionLost | unauthorized | httpError |
   * serverError | redirectRefused | unexpectedContentType | answerTooLarge | invalidResult
   */
  async run(headers: HttpHeaders): Promise<void> {
    const { body, isRepeatable } = this.message;
    try {
      if (!this.#isOver)
        await this.#take(
          this.#open({ method: 'POST', headers, body, isRepeatable, message: this.message }),
        );
    } catch (error) {
      // After an abort, or an answer on another stream, the error is irrelevant.
      if (!this.#isOver) throw error;
    } finally {
      clearTimeout(this.#lingering);
      this.#release();
    }
  }

  /**
   * Called when the answer has arrived, here or on another stream. An open stream may end on its
   * own.
   */
  settle(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waiting?.end();
    if (this.#exchange !== undefined && this.#carrier !== undefined) {
      this.#lingering = setTimeout(() => this.#exchange?.abort(), lingerMs).unref();
    }
  }

  /** Called when the stream outside of requests has ended for good. */
  otherStreamEnded(reason: McpError | undefined): void {
    this.#waiting?.fail(reason ?? neverAnswered());
  }

  abort(): void {
    this.#isOver = true;
    this.#waiting?.end();
    this.#exchange?.abort();
  }

  /** True if the server never accepted the request, so there is nothing to cancel. */
  get isUnsent(): boolean {
    const exchange = this.#exchange;
    return exchange === undefined || (exchange instanceof AuthorizedExchange && exchange.isUnsent);
  }

  #open(request: HttpRequest): OpenExchange {
    this.#release();
    this.#exchange = this.#host.link.open(request);
    return this.#exchange;
  }

  #release(): void {
    if (this.#exchange !== undefined) this.#host.link.release(this.#exchange);
  }

  async #take(exchange: OpenExchange): Promise<void> {
    const answer = await exchange.answer;
    const { status, message } = answer;
    if (status >= 300) throw await httpErrorOf(answer);
    if (this.message.revision === undefined) this.#host.session.follow(message);
    if (this.message.kind !== 'request') {
      // The sender does not wait for a body that is discarded.
      this.#exchange = undefined;
      void discardBody(message).then(() => this.#host.link.release(exchange));
      return;
    }
    const type = mediaTypeOf(message);
    if (type === 'text/event-stream') {
      this.#carrier = message;
      await this.#follow(message, message);
    } else if (this.#isDeferred(answer)) {
      await this.#takeDeferred(message);
    } else if (type === 'application/json') {
      await this.#takeJson(await readJson(message, this.#host.limits), message);
    } else {
      throw await unexpectedType(message);
    }
  }

  /**
   * True if the answer only says that the request was accepted. Some servers of the stateful era do
   * that with every request, and answer on their stream outside of requests.
   */
  #isDeferred({ status, message }: HttpAnswer): boolean {
    if (this.message.revision !== undefined) return false;
    const isEmpty = status === 204 || message.headers['content-length'] === '0';
    return status === 202 || (isEmpty && this.#host.hasOtherStream());
  }

  /** The body may still be the answer; any other content is ignored. */
  async #takeDeferred(message: HttpBody): Promise<void> {
    if (mediaTypeOf(message) === 'application/json') {
      try {
        this.#deliver(await readJson(message, this.#host.limits), message);
      } catch (error) {
        if (!isMcpError(error, 'invalidResult')) throw error;
      }
    } else await discardBody(message);
    if (this.#isOver) return;
    if (!this.#host.hasOtherStream()) throw neverAnswered();
    this.#release();
    await this.#untilAnswered();
  }

  /**
   * Resolves when the answer came on another stream or is no longer needed. @throws {McpError}
   * connectionLost
   */
  #untilAnswered(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) resolve();
      else this.#waiting = { end: resolve, fail: reject };
    });
  }

  async #takeJson(value: unknown, carrier: HttpBody): Promise<void> {
    const answersAny = this.#deliver(value, carrier);
    if (this.#isOver) return;
    // It answers another request, so another POST may bring the answer to this one.
    if (answersAny) {
      await this.#untilAnswered();
      return;
    }
    // There will be no second value.
    const said = answerExcerpt('application/json', boundedJson(value, maxSaidChars));
    throw new McpError('invalidResult', { detail: `it does not answer the request: ${said}` });
  }

  /** Reads the stream and those that resume it, until the answer has arrived. */
  async #follow(first: HttpBody, carrier: HttpBody): Promise<void> {
    const stream = messageStream(this.#host.limits, {
      deliver: (value) => this.#deliver(value, carrier),
      garbage: (text) => this.#host.garbage(text),
    });
    for (let message = first; ; message = await this.#resume(stream)) {
      await stream.read(message);
      if (this.#isOver) return;
      if (this.#endsElsewhere(stream, message)) {
        await this.#untilAnswered();
        return;
      }
    }
  }

  /** True if its stream ended properly, cannot be resumed, and another stream is open. */
  #endsElsewhere({ lastEventId }: SseStream, { complete }: HttpBody): boolean {
    const isStateful = this.message.revision === undefined;
    return isStateful && complete && lastEventId === undefined && this.#host.hasOtherStream();
  }

  /**
   * Resumes the stream. In the stateless era a broken stream has lost its request, as has
   * one without event ids.
   *
   * Spec: 2025-11-25 basic/transports#resumability-and-redelivery
   */
  async #resume(stream: SseStream): Promise<HttpBody> {
    let failure: unknown;
    for (let failures = 0; ;) {
      const { lastEventId } = stream;
      if (lastEventId === undefined || this.message.revision !== undefined) {
        throw new McpError('connectionLost');
      }
      // The server chooses this delay, so the end of the request cuts it short.
      await this.#host.link.wait(resumeDelayMs(stream, failures, failure), false, (wake) => {
        this.#waiting = { end: wake, fail: () => undefined };
      });
      this.#waiting = undefined;
      if (this.#isOver) throw new McpError('cancelled');
      try {
        return await this.#reopen(lastEventId);
      } catch (error) {
        failures += 1;
        failure = error;
        if (!isTransient(error) || failures >= maxResumeFailures) throw lostBy(error);
      }
    }
  }

  async #reopen(lastEventId: string): Promise<HttpBody> {
    const headers = { ...this.#host.getHeaders(), 'Last-Event-ID': lastEventId };
    const { message } = this;
    const answer = await this.#open({ method: 'GET', headers, isRepeatable: true, message }).answer;
    if (answer.status >= 300) throw await httpErrorOf(answer);
    if (mediaTypeOf(answer.message) === 'text/event-stream') return answer.message;
    throw await unexpectedType(answer.message);
  }

  /** @throws {McpError} serverError that denies the session */
  #deliver(value: unknown, carrier: HttpBody): boolean {
    const denial = this.#denialIn(value);
    if (denial !== undefined) throw denial;
    return this.#host.deliver(this.#claim(value), this, carrier);
  }

  #denialIn(value: unknown): McpError | undefined {
    const { id, revision } = this.message;
    const isError = revision === undefined && isObject(value) && isObject(value.error);
    if (!isError || !isAnswer(value)) return undefined;
    const isOwn = String(value.id) === String(id);
    return this.#host.session.denialIn(value.error, isOwn);
  }

  /** An error without an id belongs to the request of this POST. */
  #claim(value: unknown): unknown {
    const { id } = this.message;
    if (Array.isArray(value)) return value.map((item: unknown) => this.#claim(item));
    if (!isObject(value) || !isAnswer(value)) return value;
    const isNobodys = value.id === undefined || value.id === null;
    return isNobodys && isObject(value.error) ? { ...value, id } : value;
  }
}

/** The request was accepted, and no stream is left that could bring its answer. */
function neverAnswered(): McpError {
  return new McpError('connectionLost', {
    detail: 'the server took the request, and has no stream for its answer',
  });
}

/** The request was sent, so it may have had an effect, whatever broke its stream. */
function lostBy(error: unknown): McpError {
  const { code, facts } = toMcpError(error);
  return new McpError('connectionLost', { ...facts, detail: facts.detail ?? code, cause: error });
}

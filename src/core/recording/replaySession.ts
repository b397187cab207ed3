import { isObject } from '../json/shapes';
import type { Replay, ReplayedMessage } from './recordedServer';

type Id = string | number;

/** A longer one ends at once. */
const maxTimerMs = 2 ** 31 - 1;

/** The answer to one request, as far as it has been sent. */
interface Sending {
  readonly messages: readonly ReplayedMessage[];
  next: number;
  /** The time of the recording up to which it has come, after its request. */
  reachedMs: number;
  timer?: NodeJS.Timeout;
}

/**
 * Sends what a replay answers in the times of then: each message as long after the one before as it
 * came, and what followed a question of the server after the client has answered it.
 */
export class ReplaySession {
  readonly #replay: Pick<Replay, 'answer'>;
  readonly #speed: number | undefined;
  readonly #send: (message: object) => void;
  readonly #sendings = new Map<Id, Sending>();
  /** Requests for the client that wait for its answer, by the id that they have now. */
  readonly #asked = new Map<Id, Id>();
  #questions = 0;

  /** `speed`: how many times as fast as it was; absent: nothing waits. */
  constructor(
    replay: Pick<Replay, 'answer'>,
    speed: number | undefined,
    send: (message: object) => void,
  ) {
    this.#replay = replay;
    this.#speed = speed;
    this.#send = send;
  }

  /** A message of the client. Never throws. */
  take(message: unknown): void {
    if (!isObject(message)) return;
    const { id, method, params } = message;
    if (method === 'notifications/cancelled' && isObject(params)) {
      if (isId(params['requestId'])) this.#end(params['requestId']);
      return;
    }
    if (!isId(id)) return;
    if (typeof method !== 'string') {
      this.#answered(id);
      return;
    }
    const messages = this.#replay.answer(message);
    this.#end(id);
    this.#sendings.set(id, { messages, next: 0, reachedMs: 0 });
    this.#goOn(id);
  }

  /** Sends nothing any more. */
  dispose(): void {
    for (const id of this.#sendings.keys()) this.#end(id);
    this.#asked.clear();
  }

  #answered(id: Id): void {
    const request = this.#asked.get(id);
    this.#asked.delete(id);
    if (request !== undefined) this.#goOn(request);
  }

  #goOn(id: Id): void {
    for (;;) {
      const sending = this.#sendings.get(id);
      const message = sending?.messages[sending.next];
      if (sending === undefined || message === undefined) {
        this.#sendings.delete(id);
        return;
      }
      const waitMs =
        this.#speed === undefined ? 0 : (message.afterMs - sending.reachedMs) / this.#speed;
      if (waitMs > 0) {
        sending.reachedMs = message.afterMs;
        sending.timer = setTimeout(() => this.#goOn(id), Math.min(waitMs, maxTimerMs));
        return;
      }
      // Before it is sent: whoever gets it may answer at once.
      sending.next += 1;
      sending.reachedMs = message.answeredMs ?? message.afterMs;
      if (this.#sendOne(id, message)) return;
    }
  }

  /** Whether it is a question that was answered then, so that what follows waits for the answer. */
  #sendOne(request: Id, { message, answeredMs }: ReplayedMessage): boolean {
    const isQuestion = isObject(message) && 'method' in message && 'id' in message;
    if (!isQuestion) {
      this.#send(message);
      return false;
    }
    // The same one may be asked in two answers at a time.
    this.#questions += 1;
    const id = `question-${this.#questions}`;
    if (answeredMs !== undefined) this.#asked.set(id, request);
    this.#send({ ...message, id });
    return answeredMs !== undefined;
  }

  #end(id: Id): void {
    clearTimeout(this.#sendings.get(id)?.timer);
    this.#sendings.delete(id);
  }
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number';
}

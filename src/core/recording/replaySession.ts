import { isObject } from '../json/shapes';
import type { Replay, ReplayedMessage } from './recordedServer';

type Id = string | number;

/** Node fires a longer timer immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** The answer to one request, as far as it was sent. */
interface Sending {
  readonly messages: readonly ReplayedMessage[];
  next: number;
  /** The time in the recording, after its request, that was reached. */
  reachedMs: number;
  timer?: NodeJS.Timeout;
}

/**
 * Sends a replay's messages with their original delays. What followed a question of the server is
 * sent after the client has answered it.
 */
export class ReplaySession {
  readonly #replay: Pick<Replay, 'answer'>;
  readonly #speed: number | undefined;
  readonly #send: (message: object) => void;
  readonly #sendings = new Map<Id, Sending>();
  /** Open requests to the client, by their new id. */
  readonly #asked = new Map<Id, Id>();
  #questions = 0;

  /** @param speed Playback speed. If absent, messages are sent without delay. */
  constructor(
    replay: Pick<Replay, 'answer'>,
    speed: number | undefined,
    send: (message: object) => void,
  ) {
    this.#replay = replay;
    this.#speed = speed;
    this.#send = send;
  }

  /** Handles a message of the client. Never throws. */
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

  /** Stops sending. */
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
      // Updated before sending, because the receiver may answer synchronously.
      sending.next += 1;
      sending.reachedMs = message.answeredMs ?? message.afterMs;
      if (this.#sendOne(id, message)) return;
    }
  }

  /**
   * Returns true if the message is a question that was answered in the recording, so that the rest
   * has to wait.
   */
  #sendOne(request: Id, { message, answeredMs }: ReplayedMessage): boolean {
    const isQuestion = isObject(message) && 'method' in message && 'id' in message;
    if (!isQuestion) {
      this.#send(message);
      return false;
    }
    // Two answers may ask the same question at a time.
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

import type { Duplex } from 'node:stream';
import { ProtocolError, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { isObject } from '../../core/json/shapes';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { parseJson } from '../../core/json/parseJson';
import type { AgentBudget } from './agentLimits';
import type { ToolListTexts } from './agentTools';
import { isOwnRequest } from './agentProtocol';
import { canBeAnswered, malformedRequestAnswer, withIntegerIds } from './agentRefusal';

export interface AgentTransportLimits {
  /** Size of one message of the agent. */
  readonly maxMessageBytes: number;
  /** Number of unanswered requests. Further requests are refused. */
  readonly maxRequests: number;
  /** Requests within a minute. Further requests are refused. Calls have limits of their own. */
  readonly maxRequestsPerMinute: number;
  /** Bytes that may wait to be read by the agent. More end the connection. */
  readonly maxUnreadBytes: number;
  /** Number of lines that are no messages. One more ends the connection. */
  readonly maxGarbageLines: number;
}

export const agentTransportLimits: AgentTransportLimits = {
  maxMessageBytes: 4 * 1024 * 1024,
  maxRequests: 32,
  // Ten a second. An agent that lists again with every change, at most five a second, needs half of
  // it.
  maxRequestsPerMinute: 600,
  maxUnreadBytes: 64 * 1024 * 1024,
  maxGarbageLines: 20,
};

const newline = 0x0a;
const noBytes = Buffer.alloc(0);
const minuteMs = 60_000;
/** No more messages are read once this share of the unread limit waits for the agent. */
const pauseShare = 16;
/** Time for which messages of one agent are processed before others get their turn. */
const longestTurnMs = 5;
/** Longest pause after a budget is used up. */
const longestWaitMs = 1_000;
/** Time for the last message to be sent. */
const leaveMs = 1_000;

/**
 * Reads and writes the messages of one agent as JSON lines, within limits. When a limit is
 * exceeded, a last message says so and the connection ends.
 */
export class AgentTransport implements Transport {
  readonly #stream: Duplex;
  readonly #limits: AgentTransportLimits;
  readonly #budget: AgentBudget;
  readonly #lists: Pick<ToolListTexts, 'lineOf'>;
  readonly #open = new Set<unknown>();
  #minuteFrom = -Infinity;
  #inMinute = 0;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Bytes that were received and not processed yet. */
  #waiting: Buffer = noBytes;
  #timer: NodeJS.Timeout | undefined;
  #garbage = 0;
  /**
   * Lines that are sent together at the end of this turn, because a write for each costs more than
   * everything else.
   */
  #unsent: (string | Buffer)[] = [];
  #unsentChars = 0;
  #flushing: NodeJS.Immediate | undefined;
  #isClosed = false;

  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;

  constructor(
    stream: Duplex,
    limits: AgentTransportLimits,
    budget: AgentBudget,
    lists: Pick<ToolListTexts, 'lineOf'>,
  ) {
    this.#stream = stream;
    this.#limits = limits;
    this.#budget = budget;
    this.#lists = lists;
  }

  start(): Promise<void> {
    this.#stream.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#stream.on('error', (error) => this.onerror?.(error));
    for (const end of ['end', 'close']) this.#stream.on(end, () => void this.close());
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    if ('id' in message && !('method' in message)) this.#open.delete(message.id);
    this.#write(message);
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#chunks = [];
      this.#waiting = noBytes;
      clearTimeout(this.#timer);
      this.#flush();
      // Sends what was written already. An agent that does not read it in time is disconnected.
      this.#stream.end();
      const timer = setTimeout(() => this.#stream.destroy(), leaveMs).unref();
      this.#stream.once('close', () => clearTimeout(timer));
      this.#stream.resume();
      this.onclose?.();
    }
    return Promise.resolve();
  }

  /** Processes messages while the budget and the turn allow it, and the rest later. */
  #take(chunk: Buffer): void {
    let rest = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
    this.#waiting = noBytes;
    const startedAt = performance.now();
    for (;;) {
      if (this.#isClosed) return;
      const { waitMs } = this.#budget;
      if (waitMs > 0 || performance.now() - startedAt > longestTurnMs) {
        this.#wait(rest, waitMs);
        return;
      }
      const end = rest.indexOf(newline);
      const part = end === -1 ? rest : rest.subarray(0, end);
      this.#bytes += part.length;
      if (this.#bytes > this.#limits.maxMessageBytes) {
        this.#giveUp(`A message to Toolgate may have ${this.#limits.maxMessageBytes} bytes.`);
        return;
      }
      this.#chunks.push(part);
      if (end === -1) return;
      rest = rest.subarray(end + 1);
      this.#takeLine();
    }
  }

  #wait(rest: Buffer, ms: number): void {
    this.#waiting = rest;
    this.#stream.pause();
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#take(noBytes);
        this.#resume();
      },
      Math.min(ms, longestWaitMs),
    );
  }

  /** Processes a complete line. An empty line is no garbage, but costs the same. */
  #takeLine(): void {
    const startedAt = performance.now();
    const bytes = this.#bytes;
    const line = Buffer.concat(this.#chunks).toString('utf8').trim();
    this.#chunks = [];
    this.#bytes = 0;
    if (line !== '') this.#read(line);
    this.#budget.spend(bytes, performance.now() - startedAt);
  }

  /** Resumes reading, unless the agent is behind or has to wait. */
  #resume(): void {
    const mayFlow = this.#timer === undefined && !this.#isBehind;
    if (mayFlow && this.#stream.isPaused()) this.#stream.resume();
  }

  #read(line: string): void {
    const message = messageOf(line);
    if (message === undefined) {
      this.#garbage += 1;
      if (this.#garbage > this.#limits.maxGarbageLines) {
        this.#giveUp('Too many lines were no messages of MCP.');
      }
      return;
    }
    if ('method' in message && 'id' in message) {
      if (isOwnRequest(message)) {
        this.#refuse(message.id, 'Toolgate does not use itself as a server: it would call itself.');
        return;
      }
      if (message.method !== 'tools/call' && this.#isFlood()) {
        const most = this.#limits.maxRequestsPerMinute;
        const text = `Toolgate takes ${most} requests within a minute from one agent, beside calls. Wait a moment.`;
        this.#refuse(message.id, text);
        return;
      }
      const malformed = malformedRequestAnswer(message, line);
      if (malformed !== undefined) {
        this.#writePieces([`${malformed}\n`]);
        return;
      }
      if (this.#open.size >= this.#limits.maxRequests || this.#open.has(message.id)) {
        this.#refuse(message.id, tooMany(this.#limits.maxRequests));
        return;
      }
      this.#open.add(message.id);
    }
    this.#noteCancelled(message);
    this.onmessage?.(message);
  }

  /** Counts one more request; returns true if it exceeds a limit. */
  #isFlood(): boolean {
    const now = performance.now();
    if (now - this.#minuteFrom >= minuteMs) {
      this.#minuteFrom = now;
      this.#inMinute = 0;
    }
    this.#inMinute += 1;
    return this.#inMinute > this.#limits.maxRequestsPerMinute;
  }

  /** A cancelled request gets no answer. A notification of another form cancels nothing. */
  #noteCancelled(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    const params: unknown = message.params;
    if (!isObject(params)) return;
    const { requestId, reason, _meta: meta } = params;
    const hasReason = reason === undefined || typeof reason === 'string';
    if (hasReason && (meta === undefined || isObject(meta))) this.#open.delete(requestId);
  }

  #refuse(id: string | number, message: string): void {
    this.#write({ jsonrpc: '2.0', id, error: { code: refusalCode, message } });
  }

  #giveUp(sentence: string): void {
    const params = { level: 'error', logger: 'toolgate', data: sentence };
    this.#write({ jsonrpc: '2.0', method: 'notifications/message', params });
    this.onerror?.(new Error(sentence));
    void this.close();
  }

  #write(message: JSONRPCMessage): void {
    this.#writePieces(this.#lists.lineOf(message) ?? [`${stringifyExactly(message)}\n`]);
  }

  #writePieces(pieces: readonly (string | Buffer)[]): void {
    const chars = pieces.reduce((sum, { length }) => sum + length, 0);
    this.#unsent.push(...pieces);
    this.#unsentChars += chars;
    this.#budget.spend(chars, 0);
    this.#flushing ??= setImmediate(() => this.#flush());
    if (this.#unread > this.#limits.maxUnreadBytes) {
      this.#stream.destroy(new Error('It does not read what it is sent.'));
    } else if (this.#isBehind) this.#stream.pause();
  }

  get #unread(): number {
    return this.#stream.writableLength + this.#unsentChars;
  }

  get #isBehind(): boolean {
    return this.#unread > this.#limits.maxUnreadBytes / pauseShare;
  }

  #flush(): void {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    const pieces = joined(this.#unsent);
    this.#unsent = [];
    this.#unsentChars = 0;
    if (!this.#stream.writable) return;
    for (const piece of pieces) this.#stream.write(piece, () => this.#resume());
  }
}

/**
 * Joins small texts, because separate writes cost more. Buffers are shared between agents and not
 * copied.
 */
function joined(pieces: readonly (string | Buffer)[]): readonly (string | Buffer)[] {
  const writes: (string | Buffer)[] = [];
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else {
      if (text !== '') writes.push(text);
      writes.push(piece);
      text = '';
    }
  }
  return text === '' ? writes : [...writes, text];
}

/** Parses the envelope of a message. The SDK checks the rest. */
function messageOf(line: string): JSONRPCMessage | undefined {
  try {
    const value = withIntegerIds(parseJson(line));
    return isMessage(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0') return false;
  const { id, method } = value;
  return (typeof method === 'string' && id === undefined) || canBeAnswered(id);
}

/** JSON-RPC error code for errors without a specific code. */
const refusalCode = -32_000;

/** Limits the concurrent requests of one agent. */
export class RequestPlaces {
  readonly #limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Runs a request. Its place is released when the work has ended, because a cancelled request may
   * continue for a while. @throws {ProtocolError} if all places are taken
   */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.#limit) throw new ProtocolError(refusalCode, tooMany(this.#limit));
    this.#taken += 1;
    try {
      return await work();
    } finally {
      this.#taken -= 1;
    }
  }
}

/** Returns the message for an agent that sends too many concurrent requests. */
function tooMany(limit: number): string {
  return `Toolgate takes ${limit} requests at the same time, each with an id of its own.`;
}

import type { Duplex } from 'node:stream';
import { ProtocolError, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { isObject } from '../../core/json/shapes';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { parseJson } from '../../core/json/parseJson';
import type { AgentBudget } from './agentLimits';
import type { ToolListTexts } from './agentTools';
import { isOwnRequest } from './clientNames';

export interface AgentTransportLimits {
  /** Of one message of the agent. */
  readonly maxMessageBytes: number;
  /** Requests that are not answered yet; the next one is refused. */
  readonly maxRequests: number;
  /** Requests within a minute; calls have bounds of their own. The next one is refused. */
  readonly maxRequestsPerMinute: number;
  /** What may wait to be read by the agent; more ends the connection. */
  readonly maxUnreadBytes: number;
  /** Lines that are no message; the next one ends the connection. */
  readonly maxGarbageLines: number;
}

export const agentTransportLimits: AgentTransportLimits = {
  maxMessageBytes: 4 * 1024 * 1024,
  maxRequests: 32,
  // Ten a second: who lists again with every change, of which a second has five, asks half as often.
  maxRequestsPerMinute: 600,
  maxUnreadBytes: 64 * 1024 * 1024,
  maxGarbageLines: 20,
};

const newline = 0x0a;
const noBytes = Buffer.alloc(0);
const minuteMs = 60_000;
/** Nothing more is taken from an agent that leaves so large a share of what may wait unread. */
const pauseShare = 16;
/** How long messages of one agent are taken before others have their turn. */
const longestTurnMs = 5;
/** How long a budget that is used up is left alone. */
const longestWaitMs = 1_000;
/** For the last message to leave. */
const leaveMs = 1_000;

/**
 * Messages of one agent, a line of JSON each, within bounds. What breaks one is told in a last
 * message, and the connection ends.
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
  /** What came and was not looked at yet. */
  #waiting: Buffer = noBytes;
  #timer: NodeJS.Timeout | undefined;
  #garbage = 0;
  /** Lines that leave together at the end of this turn: a write each costs more than the rest. */
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
      // What was written still leaves; whoever does not take it in time keeps no place here.
      this.#stream.end();
      const timer = setTimeout(() => this.#stream.destroy(), leaveMs).unref();
      this.#stream.once('close', () => clearTimeout(timer));
      this.#stream.resume();
      this.onclose?.();
    }
    return Promise.resolve();
  }

  /** As much as the budget has room for and others can wait for; the rest when its time has come. */
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

  /** The line that has ended. An empty one is no garbage, but costs as any other. */
  #takeLine(): void {
    const startedAt = performance.now();
    const bytes = this.#bytes;
    const line = Buffer.concat(this.#chunks).toString('utf8').trim();
    this.#chunks = [];
    this.#bytes = 0;
    if (line !== '') this.#read(line);
    this.#budget.spend(bytes, performance.now() - startedAt);
  }

  /** Unless it is behind, or has to wait. */
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
      if (this.#open.size >= this.#limits.maxRequests || this.#open.has(message.id)) {
        this.#refuse(message.id, tooMany(this.#limits.maxRequests));
        return;
      }
      this.#open.add(message.id);
    }
    this.#noteCancelled(message);
    this.onmessage?.(message);
  }

  /** One more request; whether it is more than there may be now. */
  #isFlood(): boolean {
    const now = performance.now();
    if (now - this.#minuteFrom >= minuteMs) {
      this.#minuteFrom = now;
      this.#inMinute = 0;
    }
    this.#inMinute += 1;
    return this.#inMinute > this.#limits.maxRequestsPerMinute;
  }

  /** Nothing answers a request that was cancelled; of another form it would cancel nothing. */
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
    const pieces = this.#lists.lineOf(message) ?? [`${stringifyExactly(message)}\n`];
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

/** A write each costs more than to join small texts; bytes are shared with all who are sent them. */
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

/** The message in a line, as far as its outside goes; the SDK looks at the rest. */
function messageOf(line: string): JSONRPCMessage | undefined {
  try {
    const value = parseJson(line);
    return isMessage(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (!isObject(value) || value.jsonrpc !== '2.0') return false;
  const { id, method } = value;
  const hasId = typeof id === 'string' || typeof id === 'number';
  return typeof method === 'string' ? id === undefined || hasId : hasId;
}

/** Of JSON-RPC, for whatever a server has no number of its own for. */
const refusalCode = -32_000;

/** What goes on at the same time for one agent. */
export class RequestPlaces {
  readonly #limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Does what a request wants. Its place is free once that has ended, and not before: a request that
   * was cancelled may go on for a while. @throws {ProtocolError} when all places are taken
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

/** What an agent hears that asks for more at once. */
function tooMany(limit: number): string {
  return `Toolgate takes ${limit} requests at the same time, each with an id of its own.`;
}

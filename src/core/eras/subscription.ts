import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { isMcpError, toMcpError } from '../errors';
import type { McpError } from '../errors';
import type { RequestId } from '../rpc/incoming';
import type { ConnectionLog } from '../log';
import type { RequestParams, Rpc } from '../rpc/rpc';
import { isObject } from '../parse/shapes';
import { subscriptionIdKey } from './statelessMeta';

/** Tries in a row that lead to nothing before we live without. */
const maxFailures = 20;
const maxDelayMs = 60_000;
/** A stream that lived this long was a good one: the next loss counts as the first. */
const goodAfterMs = 30_000;

export interface SubscriptionTimes {
  /** For the acknowledgement; the open stream has no limit. */
  readonly subscriptionAckMs: number;
  /** Before the first try to open it again; doubles from there to a minute. */
  readonly subscriptionRetryMs: number;
}

export interface SubscriptionOptions {
  readonly rpc: Rpc;
  readonly meta: RequestParams;
  readonly log: ConnectionLog;
  readonly times: SubscriptionTimes;
  /** Whether what comes on a stream of its own may lack the id of its subscription. */
  readonly isHttp: boolean;
  /** It is open; what changed before it was has not been told. */
  readonly onOpen: () => void;
  readonly onToolsChanged: () => void;
}

/**
 * The wish to be told when the tools change, for as long as the connection lasts: a listen request
 * that is sent again, later and later, when it ends. A server that refuses it is
 * not asked again.
 *
 * Spec: 2026-07-28 basic/patterns/subscriptions
 */
export class ToolsSubscription {
  readonly #options: SubscriptionOptions;
  /** Resolves when it is open for the first time, or when it will not be. */
  readonly settled: Promise<void>;
  #settle: () => void = () => undefined;
  #cancellation = new CancellationTokenSource();
  #id: RequestId | undefined;
  #acknowledgedAt: number | undefined;
  #failures = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  #hasWarned = false;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.settled = new Promise((resolve) => (this.#settle = resolve));
    this.#listen();
  }

  /** A notification that may be for this subscription. */
  take(method: string, params: unknown): void {
    if (this.#isOver) return;
    if (method === 'notifications/cancelled') this.#cancelledByServer(params);
    else if (!this.#isOurs(params)) this.#warnOnce(method);
    else if (method === 'notifications/subscriptions/acknowledged') this.#acknowledged(params);
    else if (method === 'notifications/tools/list_changed') this.#options.onToolsChanged();
  }

  dispose(): void {
    this.#end();
    // Ends the stream of an open one.
    this.#cancellation.cancel();
  }

  #listen(): void {
    const { rpc, meta, times } = this.#options;
    this.#acknowledgedAt = undefined;
    this.#cancellation = new CancellationTokenSource();
    const { token } = this.#cancellation;
    const params = { notifications: { toolsListChanged: true }, _meta: meta };
    const onId = (id: RequestId) => (this.#id = id);
    const options = { timeoutMs: Infinity, token, onId };
    rpc
      .request('subscriptions/listen', params, () => undefined, options)
      .then(
        () => this.#ended(undefined),
        (error: unknown) => this.#ended(toMcpError(error)),
      );
    this.#timer = setTimeout(() => this.#cancellation.cancel(), times.subscriptionAckMs).unref();
  }

  #isOurs(params: unknown): boolean {
    const { _meta: meta } = isObject(params) ? params : {};
    const id = isObject(meta) ? meta[subscriptionIdKey] : undefined;
    // With its type.
    return id === undefined ? this.#options.isHttp : id === this.#id;
  }

  /** Its first message: what of the wish is granted. */
  #acknowledged(params: unknown): void {
    if (this.#acknowledgedAt !== undefined) return;
    const granted = isObject(params) && isObject(params.notifications) ? params.notifications : {};
    clearTimeout(this.#timer);
    this.#acknowledgedAt = performance.now();
    if (granted.toolsListChanged === true) this.#options.onOpen();
    else {
      this.#options.log.info('the server does not tell when its tools change');
      this.dispose();
    }
    this.#settle();
  }

  /** On stdio a server ends a subscription like this; any other id is none of ours. */
  #cancelledByServer(params: unknown): void {
    if (this.#id === undefined || !isObject(params) || params.requestId !== this.#id) return;
    // By a message of our own: the server knows, and must not be told.
    this.#options.rpc.settle(this.#id, toMcpError(new Error('ended by the server')));
  }

  #ended(error: McpError | undefined): void {
    clearTimeout(this.#timer);
    this.#id = undefined;
    if (this.#isOver) return;
    const { log, times } = this.#options;
    const reason = error === undefined ? 'in order' : error.message;
    const wasOpen = this.#acknowledgedAt !== undefined;
    if (isMcpError(error, 'connectionClosed') || (!wasOpen && isRefusal(error))) {
      if (!wasOpen) log.info(`no subscription to changes of tools: ${reason}`);
      this.#end();
      return;
    }
    const livedMs = performance.now() - (this.#acknowledgedAt ?? Infinity);
    this.#failures = livedMs >= goodAfterMs ? 1 : this.#failures + 1;
    if (this.#failures > maxFailures) {
      log.warn('the subscription to changes of tools ended too often; not opened again');
      this.#end();
      return;
    }
    const delayMs = Math.min(times.subscriptionRetryMs * 2 ** (this.#failures - 1), maxDelayMs);
    log.info(`the subscription to changes of tools ended: ${reason}`);
    // Not all clients of a server that was restarted at the same moment.
    const spreadMs = delayMs * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => this.#listen(), spreadMs).unref();
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#settle();
  }

  #warnOnce(method: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.log.warn(`dropped ${method.slice(0, 100)} of an unknown subscription`);
  }
}

/** The server's own word before it acknowledged: it does not know such requests. */
function isRefusal(error: McpError | undefined): boolean {
  if (error === undefined) return true;
  const { httpStatus } = error.facts;
  if (httpStatus !== undefined && (httpStatus >= 500 || httpStatus === 429)) return false;
  return ['serverError', 'invalidResult', 'httpError', 'unexpectedContentType'].includes(
    error.code,
  );
}

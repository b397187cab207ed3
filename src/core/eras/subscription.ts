import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { isMcpError, isSignInFailure, toMcpError } from '../errors';
import type { McpError } from '../errors';
import type { RequestId } from '../rpc/incoming';
import type { ConnectionLog } from '../log';
import type { RequestParams, Rpc } from '../rpc/rpc';
import { isObject } from '../json/shapes';

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

/** `notifications` of the request: only the kinds that are wanted. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
  /** Of the extension for tasks. */
  readonly taskIds?: readonly string[];
}

/** What of a {@link SubscriptionFilter} the server granted. */
export interface Granted {
  readonly toolsListChanged: boolean;
  readonly resourcesListChanged: boolean;
  readonly resourceSubscriptions: readonly string[];
  readonly taskIds: readonly string[];
}

/** What every subscription of one connection works with. */
export interface SubscriptionWiring {
  readonly rpc: Rpc;
  readonly meta: RequestParams;
  readonly log: ConnectionLog;
  readonly times: SubscriptionTimes;
  /** As {@link Transport.untilSignedIn}. */
  readonly untilSignedIn?: () => Promise<void>;
}

export interface SubscriptionOptions extends SubscriptionWiring {
  /** What it is about, for the log. */
  readonly subject: string;
  readonly filter: SubscriptionFilter;
  /** It is open, for the first time or again; what changed before was not told. */
  readonly onOpen: (granted: Granted) => void;
  /** A notification of a kind that was asked for. */
  readonly onNews: (method: string, params: unknown) => void;
  /** It was open and is not any more; it may open again. */
  readonly onLost?: () => void;
}

/**
 * The wish to be told of changes, for as long as the connection lasts: a listen request that is
 * sent again, later and later, when it ends, and after a sign-in when it was refused
 * for want of one. A server that refuses it otherwise is not asked again.
 *
 * Spec: 2026-07-28 basic/patterns/subscriptions
 */
export class Subscription {
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

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.settled = new Promise((resolve) => (this.#settle = resolve));
    this.#listen();
  }

  /** Of the listen request, while it is there. */
  get id(): RequestId | undefined {
    return this.#id;
  }

  get isWaiting(): boolean {
    return !this.#isOver && this.#id !== undefined && this.#acknowledgedAt === undefined;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether it asked for notifications of this kind. */
  wants(method: string): boolean {
    const { filter } = this.#options;
    switch (method) {
      case 'notifications/tools/list_changed':
        return filter.toolsListChanged === true;
      case 'notifications/resources/list_changed':
        return filter.resourcesListChanged === true;
      case 'notifications/resources/updated':
        return filter.resourceSubscriptions !== undefined;
      case 'notifications/tasks':
        return filter.taskIds !== undefined;
      default:
        return false;
    }
  }

  take(method: string, params: unknown): void {
    this.#options.onNews(method, params);
  }

  dispose(): void {
    this.#end();
    // Ends the stream of an open one.
    this.#cancellation.cancel();
  }

  #listen(): void {
    const { rpc, meta, times, filter } = this.#options;
    this.#acknowledgedAt = undefined;
    this.#cancellation = new CancellationTokenSource();
    const { token } = this.#cancellation;
    const params = { notifications: filter, _meta: meta };
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

  /** Its first message: what of the wish is granted. */
  acknowledge(params: unknown): void {
    if (this.#acknowledgedAt !== undefined) return;
    const granted = parseGranted(params, this.#options.filter);
    clearTimeout(this.#timer);
    this.#acknowledgedAt = performance.now();
    if (isAnything(granted)) this.#options.onOpen(granted);
    else {
      const { log, subject } = this.#options;
      log.info(`the server does not tell of changes of ${subject}`);
      this.dispose();
    }
    this.#settle();
  }

  /** On stdio a server ends a subscription like this. */
  cancelledByServer(): void {
    if (this.#id === undefined) return;
    // By a message of our own: the server knows, and must not be told.
    this.#options.rpc.settle(this.#id, toMcpError(new Error('ended by the server')));
  }

  #ended(error: McpError | undefined): void {
    clearTimeout(this.#timer);
    this.#id = undefined;
    if (this.#isOver) return;
    const { log, times, subject, untilSignedIn } = this.#options;
    const reason = error === undefined ? 'in order' : error.message;
    const wasOpen = this.#acknowledgedAt !== undefined;
    if (wasOpen) this.#options.onLost?.();
    if (isMcpError(error, 'connectionClosed') || (!wasOpen && isRefusal(error))) {
      if (!wasOpen) log.info(`no subscription to changes of ${subject}: ${reason}`);
      this.#end();
      return;
    }
    if (!wasOpen && isSignInFailure(error) && untilSignedIn !== undefined) {
      log.info(`the subscription to changes of ${subject} waits for a sign-in: ${reason}`);
      untilSignedIn().then(
        () => this.#again(),
        () => this.#end(),
      );
      return;
    }
    const livedMs = performance.now() - (this.#acknowledgedAt ?? Infinity);
    this.#failures = livedMs >= goodAfterMs ? 1 : this.#failures + 1;
    if (this.#failures > maxFailures) {
      log.warn(`the subscription to changes of ${subject} ended too often; not opened again`);
      this.#end();
      return;
    }
    const delayMs = Math.min(times.subscriptionRetryMs * 2 ** (this.#failures - 1), maxDelayMs);
    log.info(`the subscription to changes of ${subject} ended: ${reason}`);
    // Not all clients of a server that was restarted at the same moment.
    const spreadMs = delayMs * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => this.#listen(), spreadMs).unref();
  }

  #again(): void {
    if (!this.#isOver) this.#listen();
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#settle();
  }
}

/** What was asked for and is in the acknowledgement. */
function parseGranted(params: unknown, filter: SubscriptionFilter): Granted {
  const granted = isObject(params) && isObject(params.notifications) ? params.notifications : {};
  return {
    toolsListChanged: filter.toolsListChanged === true && granted.toolsListChanged === true,
    resourcesListChanged:
      filter.resourcesListChanged === true && granted.resourcesListChanged === true,
    resourceSubscriptions: both(filter.resourceSubscriptions, granted.resourceSubscriptions),
    taskIds: both(filter.taskIds, granted.taskIds),
  };
}

function both(wanted: readonly string[] = [], granted: unknown): readonly string[] {
  return Array.isArray(granted) ? wanted.filter((each) => granted.includes(each)) : [];
}

function isAnything(granted: Granted): boolean {
  const { toolsListChanged, resourcesListChanged, resourceSubscriptions, taskIds } = granted;
  const isList = toolsListChanged || resourcesListChanged;
  return isList || resourceSubscriptions.length > 0 || taskIds.length > 0;
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

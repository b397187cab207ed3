import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { isMcpError, isSignInFailure, toMcpError } from '../errors';
import type { McpError } from '../errors';
import type { RequestId } from '../rpc/incoming';
import type { ConnectionLog } from '../log';
import type { RequestParams, Rpc } from '../rpc/rpc';
import { isObject } from '../json/shapes';

/** Limits consecutive failed attempts to subscribe. */
const maxFailures = 20;
const maxDelayMs = 60_000;
/** After a stream has lasted this long, its loss counts as the first failure again. */
const goodAfterMs = 30_000;

export interface SubscriptionTimes {
  /** Time limit for the acknowledgement; the open stream has none. */
  readonly subscriptionAckMs: number;
  /** Delay before the first attempt to open it again; it doubles up to a minute. */
  readonly subscriptionRetryMs: number;
}

/** `notifications` of the request, with the requested kinds only. */
export interface SubscriptionFilter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
  /** Belongs to the extension for tasks. */
  readonly taskIds?: readonly string[];
}

const kinds: ReadonlyMap<string, keyof SubscriptionFilter> = new Map([
  ['notifications/tools/list_changed', 'toolsListChanged'],
  ['notifications/prompts/list_changed', 'promptsListChanged'],
  ['notifications/resources/list_changed', 'resourcesListChanged'],
  ['notifications/resources/updated', 'resourceSubscriptions'],
  ['notifications/tasks', 'taskIds'],
]);

/** The part of a {@link SubscriptionFilter} that the server granted. */
export interface GrantedSubscription {
  readonly toolsListChanged: boolean;
  readonly promptsListChanged: boolean;
  readonly resourcesListChanged: boolean;
  readonly resourceSubscriptions: readonly string[];
  readonly taskIds: readonly string[];
}

/** The parts that all subscriptions of one connection share. */
export interface SubscriptionWiring {
  readonly rpc: Rpc;
  readonly meta: RequestParams;
  readonly log: ConnectionLog;
  readonly times: SubscriptionTimes;
  /** See {@link Transport.untilSignedIn}. */
  readonly untilSignedIn?: () => Promise<void>;
}

export interface SubscriptionOptions extends SubscriptionWiring {
  /** Describes the subscription in the log. */
  readonly subject: string;
  readonly filter: SubscriptionFilter;
  /** Called when it opens, the first time or again. Earlier changes were not reported. */
  readonly onOpen: (granted: GrantedSubscription) => void;
  /** Called for a notification of a requested kind. */
  readonly onNews: (method: string, params: unknown) => void;
  /** Called when it closes after it was open. It may open again. */
  readonly onLost?: () => void;
}

/**
 * Keeps a subscription open while the connection lasts: its listen request is repeated with growing
 * delays when it ends, and after a sign-in if it was refused for lack of one. After
 * any other refusal it is not repeated.
 *
 * Spec: 2026-07-28 basic/patterns/subscriptions
 */
export class Subscription {
  readonly #options: SubscriptionOptions;
  /** Resolves when it opens for the first time, or when it is known that it will not. */
  readonly settled: Promise<void>;
  #settle: () => void = () => undefined;
  #cancellation = new CancellationTokenSource();
  #id: RequestId | undefined;
  #acknowledgedAt: number | undefined;
  #failures = 0;
  /** Ends since one that lasted, also those in order. They determine the delay. */
  #ends = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.settled = new Promise((resolve) => (this.#settle = resolve));
    this.#listen();
  }

  /** The id of the listen request while it is open. */
  get id(): RequestId | undefined {
    return this.#id;
  }

  get isWaiting(): boolean {
    return !this.#isOver && this.#id !== undefined && this.#acknowledgedAt === undefined;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** True if it requested notifications of this kind. */
  wants(method: string): boolean {
    const kind = kinds.get(method);
    return kind !== undefined && this.#options.filter[kind] !== undefined;
  }

  take(method: string, params: unknown): void {
    this.#options.onNews(method, params);
  }

  dispose(): void {
    this.#end();
    // Ends the open stream.
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

  /** Handles the first message, which says what is granted. */
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

  /** On stdio, a server ends a subscription with a cancellation. */
  cancelledByServer(): void {
    if (this.#id === undefined) return;
    // Settled locally, because the server must not be notified of its own cancellation.
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
    if (livedMs >= goodAfterMs) this.#failures = this.#ends = 0;
    this.#ends += 1;
    // A server may end every stream in order after a short time, which is no failure.
    if (!wasOpen || error !== undefined) this.#failures += 1;
    if (this.#failures > maxFailures) {
      log.warn(`the subscription to changes of ${subject} ended too often; not opened again`);
      this.#end();
      return;
    }
    const delayMs = Math.min(times.subscriptionRetryMs * 2 ** (this.#ends - 1), maxDelayMs);
    log.info(`the subscription to changes of ${subject} ended: ${reason}`);
    // Spreads the clients of a restarted server.
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

/** Returns the requested kinds that are in the acknowledgement. */
function parseGranted(params: unknown, filter: SubscriptionFilter): GrantedSubscription {
  const granted = isObject(params) && isObject(params.notifications) ? params.notifications : {};
  return {
    toolsListChanged: filter.toolsListChanged === true && granted.toolsListChanged === true,
    promptsListChanged: filter.promptsListChanged === true && granted.promptsListChanged === true,
    resourcesListChanged:
      filter.resourcesListChanged === true && granted.resourcesListChanged === true,
    resourceSubscriptions: both(filter.resourceSubscriptions, granted.resourceSubscriptions),
    taskIds: both(filter.taskIds, granted.taskIds),
  };
}

function both(wanted: readonly string[] = [], granted: unknown): readonly string[] {
  return Array.isArray(granted) ? wanted.filter((each) => granted.includes(each)) : [];
}

function isAnything(granted: GrantedSubscription): boolean {
  const { resourceSubscriptions, taskIds, ...lists } = granted;
  return (
    Object.values(lists).includes(true) || resourceSubscriptions.length > 0 || taskIds.length > 0
  );
}

/**
 * True if the server itself refused before acknowledging, because it does not know such requests
 * (R-418).
 */
function isRefusal(error: McpError | undefined): boolean {
  if (error === undefined) return true;
  const { httpStatus } = error.facts;
  if (httpStatus !== undefined && (httpStatus >= 500 || httpStatus === 429)) return false;
  return ['serverError', 'invalidResult', 'httpError', 'unexpectedContentType'].includes(
    error.code,
  );
}

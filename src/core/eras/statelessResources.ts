import type { ListOptions, ReadOptions, RequestOptions } from '../client';
import type { EraResources, ServerEvents } from './era';
import { FreshCache, ttlOf, type SendRequest } from './cachedList';
import { checkComplete, parseReadResult, parseUpdatedUri } from '../parse/parseResults';
import { boundedJson } from '../json/boundedJson';
import { ResourceRequests } from './resourceRequests';
import type { RequestParams } from '../rpc/rpc';
import type { Subscription } from './subscription';
import type { Subscriptions } from './subscriptions';
import type { ReadResourceResult, ServerCapabilities } from '../types';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import type { ElicitationBroker } from '../input/elicitationBroker';
import type { TaskWire } from '../tasks/followTask';
import type { SendForTask } from '../tasks/statefulTasks';
import { followStatelessTask, type TaskNews } from '../tasks/statelessTasks';

const maxCachedReads = 32;
/** Larger results are not cached. */
const maxCachedChars = 1024 * 1024;

export interface StatelessResourceWiring {
  readonly send: SendRequest;
  /**
   * Sends a request that may be answered with questions first, and calls `onRound` for each round.
   */
  readonly inRounds: <T>(
    method: string,
    params: RequestParams,
    parse: (result: unknown) => T,
    options: RequestOptions | undefined,
    onRound?: () => void,
  ) => Promise<T>;
  readonly subscriptions: Subscriptions;
  readonly events: ServerEvents;
  readonly capabilities: ServerCapabilities;
}

/** Resources of the stateless era: one subscription names all watched resources. */
export class StatelessResources implements EraResources {
  readonly #wiring: StatelessResourceWiring;
  readonly #requests: ResourceRequests;
  readonly #reads = new FreshCache<ReadResourceResult>(maxCachedReads);
  #updates = 0;
  #wanted: ReadonlySet<string> = new Set();
  #watched: ReadonlySet<string> = new Set();
  /** Resources that were watched when a subscription was lost, until they are watched again. */
  readonly #lost = new Set<string>();
  /** The active subscription. */
  #current: Subscription | undefined;
  /** Replaces the active one when it is acknowledged. */
  #next: Subscription | undefined;

  constructor(wiring: StatelessResourceWiring) {
    const { send } = wiring;
    this.#wiring = wiring;
    this.#requests = new ResourceRequests({ send, ttlOf });
  }

  get watched(): ReadonlySet<string> {
    return this.#watched;
  }

  list(options: ListOptions | undefined) {
    return this.#requests.list(options);
  }

  listTemplates(options: ListOptions | undefined) {
    return this.#requests.listTemplates(options);
  }

  async read(uri: string, options: ReadOptions | undefined): Promise<ReadResourceResult> {
    const known = options?.isRefresh === true ? undefined : this.#reads.get(uri);
    if (known !== undefined) return known;
    const updates = this.#updates;
    let ttlMs = 0;
    let rounds = 0;
    const parse = (result: unknown) => {
      ttlMs = ttlOf(result);
      return parseReadResult(result, uri);
    };
    const onRound = () => (rounds += 1);
    const { inRounds } = this.#wiring;
    const read = await inRounds('resources/read', { uri }, parse, options, onRound);
    // A result that depended on input is not cached, nor one that changed meanwhile.
    const holds = rounds === 0 && updates === this.#updates && isSmall(read);
    this.#reads.set(uri, read, holds ? ttlMs : 0);
    return read;
  }

  /** Invalidates the list. */
  listChanged(): void {
    this.#requests.listChanged();
    this.#wiring.events.resourcesChanged.fire();
  }

  watch(uris: ReadonlySet<string>): void {
    if (!this.#wiring.capabilities.resourcesSubscribe || isSameSet(uris, this.#wanted)) return;
    this.#wanted = new Set(uris);
    for (const uri of this.#lost) if (!uris.has(uri)) this.#lost.delete(uri);
    this.#next?.dispose();
    this.#next = undefined;
    if (uris.size > 0) this.#next = this.#subscribe([...uris]);
    else {
      this.#current?.dispose();
      this.#current = undefined;
      this.#setWatched([]);
    }
  }

  dispose(): void {
    this.#requests.listChanged();
    this.#reads.clear();
    this.#watched = new Set();
  }

  #subscribe(uris: readonly string[]): Subscription {
    const { subscriptions, events } = this.#wiring;
    const subscription = subscriptions.open({
      subject: 'resources',
      filter: { resourceSubscriptions: uris },
      onOpen: ({ resourceSubscriptions }) => {
        if (this.#next === subscription) {
          this.#current?.dispose();
          this.#current = subscription;
          this.#next = undefined;
        }
        this.#setWatched(resourceSubscriptions);
        // Changes while it was closed were not reported.
        for (const uri of resourceSubscriptions) if (this.#lost.delete(uri)) this.#updated(uri);
      },
      onNews: (_, params) => {
        const uri = parseUpdatedUri(params);
        if (uri !== undefined) this.#updated(uri);
      },
      onLost: () => {
        if (this.#current !== subscription) return;
        for (const uri of this.#watched) this.#lost.add(uri);
        this.#setWatched([]);
      },
    });
    void subscription.settled.then(() => {
      // It was refused, so the previous one stays, although it covers fewer resources.
      if (this.#next === subscription) this.#next = undefined;
      events.watchedChanged.fire();
    });
    return subscription;
  }

  #updated(uri: string): void {
    this.#updates += 1;
    // Invalidates all reads, because the URI may be part of another resource or contain it (R-419,
    //
    this.#reads.clear();
    this.#wiring.events.resourceUpdated.fire(uri);
  }

  #setWatched(uris: readonly string[]): void {
    this.#watched = new Set(uris);
    this.#wiring.events.watchedChanged.fire();
  }
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((item) => other.has(item));
}

function isSmall({ contents, ...others }: ReadResourceResult): boolean {
  const sizes = contents.map(({ text, blob }) => (text ?? blob ?? '').length);
  const size = sizes.reduce((sum, each) => sum + each, 0);
  return size + boundedJson(others, maxCachedChars).length <= maxCachedChars;
}

export interface StatelessTaskOptions {
  readonly send: SendRequest;
  readonly input: ElicitationBroker | undefined;
  /** Declares the extension. */
  readonly meta: RequestParams;
  readonly subscriptions: Subscriptions;
  readonly capabilities: ServerCapabilities;
}

/** The messages about tasks on one connection of the stateless era. */
export class StatelessTaskRequests {
  readonly #options: StatelessTaskOptions;

  constructor(options: StatelessTaskOptions) {
    this.#options = options;
  }

  /** Returns how a call of `tool` follows its task. */
  wire(tool: string): TaskWire {
    const asked = { broker: this.#options.input, tool };
    return {
      send: (token) => this.send(token),
      follow: (run, send) =>
        followStatelessTask(run, send, asked, (taskId, news) => this.#watch(taskId, news)),
    };
  }

  send(token: CancellationToken): SendForTask {
    return (method, params, parse) =>
      this.#options.send(method, params, (result) => parse(checkComplete(result, 'task')), {
        token,
      });
  }

  #watch(taskId: string, news: TaskNews): Subscription | undefined {
    const { capabilities, subscriptions, meta } = this.#options;
    if (!capabilities.taskExtension) return undefined;
    return subscriptions.open({
      subject: 'a task',
      meta,
      filter: { taskIds: [taskId] },
      onOpen: () => undefined,
      onLost: () => news.lost(),
      onNews: (_, params) => news.notify(params),
    });
  }
}

import type { ListOptions, ReadOptions } from '../client';
import type { EraContext, EraResources, Session } from './era';
import { toMcpError } from '../errors';
import { parseReadResult } from '../parse/parseResults';
import { ResourceRequests } from './resourceRequests';
import type { ResourceWiring } from './resourceRequests';

/** Resources of the stateful era, with one subscription request per resource. */
export class StatefulResources implements EraResources {
  readonly requests: ResourceRequests;
  readonly #send: ResourceWiring['send'];
  readonly #context: EraContext;
  readonly #canSubscribe: boolean;
  readonly #watched = new Set<string>();
  #wanted: ReadonlySet<string> = new Set();
  /** Sequential, because requests over HTTP could overtake each other. */
  #queue: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(context: EraContext, session: Session, send: ResourceWiring['send']) {
    const { capabilities } = session;
    this.#context = context;
    this.#send = send;
    this.#canSubscribe = capabilities.resourcesSubscribe;
    this.requests = new ResourceRequests({
      send,
      // These servers give no lifetime; a result is valid until a change is reported.
      ttlOf: () => Infinity,
    });
  }

  get watched(): ReadonlySet<string> {
    return this.#watched;
  }

  list(options: ListOptions | undefined) {
    return this.requests.list(options);
  }

  listTemplates(options: ListOptions | undefined) {
    return this.requests.listTemplates(options);
  }

  read(uri: string, options: ReadOptions | undefined) {
    return this.#send('resources/read', { uri }, (result) => parseReadResult(result, uri), options);
  }

  watch(uris: ReadonlySet<string>): void {
    if (!this.#canSubscribe) return;
    const before = this.#wanted;
    this.#wanted = new Set(uris);
    for (const uri of before) if (!uris.has(uri)) this.#enqueue('resources/unsubscribe', uri);
    for (const uri of uris) if (!before.has(uri)) this.#enqueue('resources/subscribe', uri);
  }

  dispose(): void {
    this.#isOver = true;
    this.#watched.clear();
  }

  #enqueue(method: 'resources/subscribe' | 'resources/unsubscribe', uri: string): void {
    this.#queue = this.#queue.then(() => this.#notify(method, uri));
  }

  async #notify(
    method: 'resources/subscribe' | 'resources/unsubscribe',
    uri: string,
  ): Promise<void> {
    if (this.#isOver) return;
    const { log, events } = this.#context;
    try {
      await this.#send(method, { uri }, () => undefined, undefined);
      if (method === 'resources/subscribe') this.#watched.add(uri);
      else this.#watched.delete(uri);
    } catch (error) {
      this.#watched.delete(uri);
      log.info(`${method}: ${toMcpError(error).message}`);
    }
    events.watchedChanged();
  }
}

import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import type { ListOptions, McpClient, RequestOptions, ResourceClient } from '../client';
import type { ResourceList, ResourceTemplateList } from '../types';

/** Sends a request that may be repeated in the current session or in the next one. */
type Send = <T>(
  send: (client: McpClient) => Promise<T>,
  options: RequestOptions | undefined,
) => Promise<T>;

/**
 * The resources of a server whose sessions may get lost: watched resources are subscribed again in
 * each new session.
 */
export class RenewedResources implements ResourceClient {
  readonly #send: Send;
  #client: ResourceClient;
  #wanted: ReadonlySet<string> = new Set();

  readonly #onDidChangeWatched = new Emitter<void>();
  readonly onDidChangeWatched = this.#onDidChangeWatched.event;
  readonly #onDidChange = new Emitter<void>();
  readonly onDidChange = this.#onDidChange.event;
  readonly #onDidUpdate = new Emitter<string>();
  readonly onDidUpdate = this.#onDidUpdate.event;

  constructor(client: ResourceClient, send: Send) {
    this.#client = client;
    this.#send = send;
  }

  get watched(): ReadonlySet<string> {
    return this.#client.watched;
  }

  list(options?: ListOptions): Promise<ResourceList> {
    return this.#send(({ resources }) => resources.list(options), options);
  }

  listTemplates(options?: ListOptions): Promise<ResourceTemplateList> {
    return this.#send(({ resources }) => resources.listTemplates(options), options);
  }

  watch(uris: ReadonlySet<string>): void {
    this.#wanted = new Set(uris);
    this.#client.watch(uris);
  }

  /** Listens to the current session from now on. */
  follow(client: ResourceClient): readonly Disposable[] {
    this.#client = client;
    return [
      client.onDidChangeWatched(() => this.#onDidChangeWatched.fire()),
      client.onDidChange(() => this.#onDidChange.fire()),
      client.onDidUpdate((uri) => this.#onDidUpdate.fire(uri)),
    ];
  }

  /**
   * A new session knows nothing of the previous one, and changes between them were not reported.
   */
  renewed(): void {
    if (this.#wanted.size > 0) this.#client.watch(this.#wanted);
    this.#onDidChange.fire();
    for (const uri of this.#wanted) this.#onDidUpdate.fire(uri);
  }
}

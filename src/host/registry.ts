import type { CancellationToken, Disposable, Event } from 'vscode-jsonrpc/node';
import type { McpClient } from '../core/client';
import type { ConfigProblem, ServerConfig } from './serverConfig';
import type { RegistryChange, Server } from './snapshot';

/**
 * All configured servers and their connections: the one place that knows what runs. Snapshots are
 * immutable; `onDidChange` announces a change already made.
 */
export interface ServerRegistry extends Disposable {
  /** In configuration order. */
  readonly servers: readonly Server[];
  /** Problems that belong to no server (a file that is not JSON, say). */
  readonly problems: readonly ConfigProblem[];
  find(id: string): Server | undefined;
  readonly onDidChange: Event<RegistryChange>;

  /**
   * Takes a new configuration. A running server whose entry did not change keeps running; one
   * whose entry changed or went away is stopped.
   */
  setConfiguration(configs: readonly ServerConfig[], problems: readonly ConfigProblem[]): void;

  /**
   * Starts the server and lists its tools; joins a start under way. Cancelling stops it.
   * @throws {McpError} unknownServer | untrustedWorkspace | any code of starting
   */
  start(id: string, token?: CancellationToken): Promise<Server>;
  /** Resolves when its process is gone. Idempotent. */
  stop(id: string): Promise<void>;
  restart(id: string, token?: CancellationToken): Promise<Server>;
  /** Lists the tools again; joins a listing under way. @throws {McpError} notRunning | … */
  refreshTools(id: string): Promise<void>;
  /** The live client. @throws {McpError} unknownServer | notRunning */
  client(id: string): McpClient;
  /** Stops everything, bounded by the stop ladder's own times. */
  stopAll(): Promise<void>;
}

import path from 'node:path';
import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import { isObject } from '../../core/json/shapes';
import { isRecordedText } from '../../core/recording/recordedLine';
import type { ServerConfig } from '../configuration/serverConfig';
import type { Memento } from '../storage/memento';

/** A server of a recording. */
export interface RecordedServer {
  /** Full path of the recording. */
  readonly file: string;
  /** The server's id in the recording. */
  readonly server: string;
}

export interface RecordedServersOptions {
  /** Keeps values for one workspace. */
  readonly memento: Memento;
  /** The command line program that replays the recording as a process. */
  readonly program: string;
}

const key = 'recordedServers';
const maxServers = 50;

/** Returns the name of a replayed server, which differs from that of the original server. */
export function recordedId(server: string): string {
  return `${server} (recorded)`;
}

/** The servers that the user replays from recordings, newest first. */
export class RecordedServers implements Disposable {
  readonly #options: RecordedServersOptions;
  #servers: readonly RecordedServer[];

  readonly #onDidChange = new Emitter<void>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: RecordedServersOptions) {
    this.#options = options;
    this.#servers = parseServers(options.memento.get(key));
  }

  /** The replayed servers as configurations. */
  get configs(): readonly ServerConfig[] {
    return this.#servers.map((one) => this.#config(one));
  }

  /**
   * Adds a replayed server and returns its id. It replaces an earlier recording of the same server.
   */
  add(added: RecordedServer): string {
    const others = this.#servers.filter(({ server }) => server !== added.server);
    this.#set([added, ...others].slice(0, maxServers));
    return recordedId(added.server);
  }

  /** Does nothing if there is no server of this id. */
  remove(id: string): void {
    this.#set(this.#servers.filter(({ server }) => recordedId(server) !== id));
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #set(servers: readonly RecordedServer[]): void {
    this.#servers = servers;
    void this.#options.memento.update(key, servers);
    this.#onDidChange.fire();
  }

  #config({ file, server }: RecordedServer): ServerConfig {
    return {
      id: recordedId(server),
      label: recordedId(server),
      source: { kind: 'recording', path: file },
      transport: {
        kind: 'stdio',
        command: process.execPath,
        args: [this.#options.program, 'replay', '--', file, server],
        env: { ELECTRON_RUN_AS_NODE: '1' },
        recording: { file, server },
      },
    };
  }
}

function parseServers(value: unknown): readonly RecordedServer[] {
  if (!Array.isArray(value)) return [];
  const servers = value.slice(0, maxServers).flatMap((item: unknown): RecordedServer[] => {
    if (!isObject(item)) return [];
    const { file, server } = item;
    return isRecordedText(file) && isRecordedText(server) && path.isAbsolute(file)
      ? [{ file, server }]
      : [];
  });
  return servers.filter(
    ({ server }, index) => servers.findIndex((other) => other.server === server) === index,
  );
}

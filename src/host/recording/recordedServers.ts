import path from 'node:path';
import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import { isObject } from '../../core/json/shapes';
import { isRecordedText } from '../../core/recording/recordedText';
import type { ServerConfig } from '../configuration/serverConfig';

/** A server of a recording. */
export interface RecordedServer {
  /** Full path of the recording. */
  readonly file: string;
  /** The id of the server in it. */
  readonly server: string;
}

/** Where they are kept, for one workspace. */
interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

export interface RecordedServersOptions {
  readonly memento: Memento;
  /** The command line, which does the same as a process. */
  readonly program: string;
}

const key = 'recordedServers';
const maxServers = 50;

/** The name under which a server answers from a recording: never that of the server itself. */
export function recordedId(server: string): string {
  return `${server} (recorded)`;
}

/** The servers that the person has let answer from recordings, the newest first. */
export class RecordedServers implements Disposable {
  readonly #options: RecordedServersOptions;
  #servers: readonly RecordedServer[];

  readonly #onDidChange = new Emitter<void>();
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: RecordedServersOptions) {
    this.#options = options;
    this.#servers = parseServers(options.memento.get(key));
  }

  /** As configured servers. */
  get configs(): readonly ServerConfig[] {
    return this.#servers.map((one) => this.#config(one));
  }

  /** Of two recordings of one server the later one counts. Its id among servers. */
  add(added: RecordedServer): string {
    const others = this.#servers.filter(({ server }) => server !== added.server);
    this.#set([added, ...others].slice(0, maxServers));
    return recordedId(added.server);
  }

  /** Nothing where there is none of this id. */
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

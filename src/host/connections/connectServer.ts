import type { RequestAuthorization } from '../../core/auth/ports';
import type { ClientInfo } from '../../core/eras/era';
import { connectReplay } from '../../core/recording/connectReplay';
import { connectHttp } from '../../core/http/connectHttp';
import { connectStdio } from '../../core/stdio/connectStdio';
import type { KnownEra } from '../../core/eras/eraDetection';
import type { InputHandler } from '../../core/input/inputHandler';
import type { ConnectionLog } from '../../core/log';
import type { Programs } from '../../core/stdio/programs';
import type { LiveProcesses } from '../../core/stdio/stdioProcess';
import type { Connect } from './connection';
import type { HttpServerTransport, ServerConfig } from '../configuration/serverConfig';
import { configHash } from '../configuration/configurationHash';

export interface ConnectServerOptions {
  readonly clientInfo: ClientInfo;
  /** Where every process is entered while it lives. */
  readonly processes: LiveProcesses;
  /** Finds the programs of servers. */
  readonly programs: Programs;
  readonly logOf: (serverId: string) => ConnectionLog;
  /** Answers what this server asks the person or the host. */
  readonly inputOf: (config: ServerConfig) => InputHandler;
  /** What signs in at a server; default: nothing, and a server that wants it is not reached. */
  readonly authorizationOf?: (
    config: ServerConfig,
    transport: HttpServerTransport,
  ) => RequestAuthorization | undefined;
  /** Runs what a recorded server answers; the path of the command line. */
  readonly replayProgram?: string;
  readonly knownEras: Pick<KnownEras, 'of' | 'learn'>;
  /** Asked at every start, so that a changed setting counts from the next one on. */
  readonly limits: () => {
    readonly startTimeoutMs: number;
    readonly callTimeoutMs: number;
    readonly maxMessageBytes: number;
    readonly maxMessageValues: number;
    /** How many times as fast as it was a recorded server answers. Default: 1. */
    readonly replaySpeed?: number;
  };
}

/** How the product reaches a configured server: by the transport that its configuration names. */
export function connectServer(options: ConnectServerOptions): Connect {
  return (config, hooks, token) => {
    const { transport } = hooks;
    const { clientInfo, processes, programs, knownEras } = options;
    const log = options.logOf(config.id);
    const rememberedEra = knownEras.of(config);
    const { startTimeoutMs, callTimeoutMs, maxMessageBytes, maxMessageValues } = options.limits();
    const how = {
      clientInfo,
      log,
      input: options.inputOf(config),
      onGarbage: hooks.onGarbage,
      onNotice: hooks.onNotice,
      onStage: hooks.onStage,
      limits: {
        startTimeoutMs,
        maxMessageBytes,
        maxMessageValues,
        requestTimeoutMs: callTimeoutMs,
      },
      // Of what is below, authors want to hear, who have turned their log up.
      logLevel: log.isTracing() ? 'debug' : 'info',
      ...(rememberedEra === undefined ? {} : { rememberedEra }),
      onDidLearnEra: (era: KnownEra) => knownEras.learn(config, era),
    } as const;
    if (transport.kind === 'stdio' && transport.recording !== undefined) {
      const { file: recording, server } = transport.recording;
      const { replayProgram: program = '' } = options;
      const speed = options.limits().replaySpeed ?? 1;
      return connectReplay({ ...how, program, recording, server, speed }, token);
    }
    if (transport.kind === 'stdio')
      return connectStdio({ ...transport, ...how, processes, programs }, token);
    const { kind, ...rest } = transport;
    const manner = kind === 'sse' ? { transport: kind } : {};
    const authorization = options.authorizationOf?.(config, transport);
    const signIn = authorization === undefined ? {} : { authorization };
    return connectHttp({ ...rest, ...how, ...manner, ...signIn }, token);
  };
}

/** What outlives the window; a `Memento` of the editor is one. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const memoryKey = 'knownEras';
/** More servers than anybody has; the oldest are found out again. */
const maxKnown = 200;
const eras: readonly unknown[] = ['stateful', 'stateless', 'sse'] satisfies KnownEra[];

/**
 * What each server spoke the last time, so that the next start does not have to find it out
 * . Bound to how the server is configured: another program is another server.
 */
export class KnownEras {
  readonly #memory: Memory;
  readonly #eras: Map<string, KnownEra>;

  constructor(memory: Memory) {
    this.#memory = memory;
    this.#eras = new Map(parseEras(memory.get(memoryKey)));
  }

  of(config: ServerConfig): KnownEra | undefined {
    return this.#eras.get(configHash(config));
  }

  learn(config: ServerConfig, era: KnownEra): void {
    const hash = configHash(config);
    if (this.#eras.get(hash) === era) return;
    this.#eras.delete(hash);
    this.#eras.set(hash, era);
    for (const oldest of this.#eras.keys()) {
      if (this.#eras.size <= maxKnown) break;
      this.#eras.delete(oldest);
    }
    this.#memory.update(memoryKey, [...this.#eras]).then(undefined, () => {
      // It is found out again the next time; nobody has to hear of that.
    });
  }
}

/** Pairs of hash and era; whatever else was stored is forgotten. */
function parseEras(stored: unknown): [string, KnownEra][] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(
    (pair): pair is [string, KnownEra] =>
      Array.isArray(pair) && typeof pair[0] === 'string' && eras.includes(pair[1]),
  );
}

import type { JsonObject } from '../../core/json/jsonValue';
import type { RequestAuthorization } from '../../core/auth/ports';
import type { ClientInfo } from '../../core/eras/era';
import type { ConnectOptions } from '../../core/connect';
import { isMcpError } from '../../core/errors';
import type { McpClient } from '../../core/client';
import type { EraOptions, KnownEra } from '../../core/eras/eraDetection';
import type { InputHandler } from '../../core/input/inputHandler';
import type { ConnectionLog, LogLevel } from '../../core/log';
import { toPinnedEra } from '../../core/types';
import type { Programs } from '../../core/stdio/programs';
import type { LiveProcesses } from '../../core/stdio/stdioProcess';
import type { Connect } from './connection';
import type { ClientProfile } from '../configuration/clientProfiles';
import type { HttpServerTransport, ServerConfig } from '../configuration/serverConfig';
import type { Memento } from '../storage/memento';
import { configHash } from '../configuration/configurationHash';

export interface ConnectServerOptions {
  readonly clientInfo: ClientInfo;
  /** Returns the client that the server is shown instead. Defaults to none. */
  readonly profileOf?: (config: ServerConfig) => ClientProfile | undefined;
  /** Registers every process while it runs. */
  readonly processes: LiveProcesses;
  /** Finds the programs of servers. */
  readonly programs: Programs;
  readonly logOf: (serverId: string) => ConnectionLog;
  /** Returns the handler for requests of this server to the user or the host. */
  readonly inputOf: (config: ServerConfig) => InputHandler;
  /**
   * Returns the authorization for a server. Defaults to none; a server that requires it then fails.
   */
  readonly authorizationOf?: (
    config: ServerConfig,
    transport: HttpServerTransport,
  ) => RequestAuthorization | undefined;
  /** Path of the command line program that replays recordings. */
  readonly replayProgram?: string;
  /** The lowest level of log messages to request. Defaults to `info`. */
  readonly logLevel?: LogLevel;
  /** Extensions that servers are told to be supported. Defaults to none. */
  readonly extensions?: JsonObject;
  readonly knownEras: Pick<KnownEras, 'of' | 'learn' | 'forget'>;
  /** Read at every start, so that a changed setting applies to the next one. */
  readonly limits: () => {
    readonly startTimeoutMs: number;
    readonly callTimeoutMs: number;
    readonly maxMessageBytes: number;
    readonly maxMessageValues: number;
    /** Replay speed of a recorded server. Defaults to 1. */
    readonly replaySpeed?: number;
  };
}

/** Returns the function that connects to a configured server by its transport. */
export function connectServer(options: ConnectServerOptions): Connect {
  return async (config, hooks, token) => {
    try {
      return await connect(options, config, hooks, token);
    } catch (error) {
      // Its known era may be why, so the next start detects it.
      if (isMcpError(error, 'handshakeTimeout') || isMcpError(error, 'exitedEarly')) {
        options.knownEras.forget(config);
      }
      throw error;
    }
  };
}

async function connect(
  options: ConnectServerOptions,
  ...[config, hooks, token]: Parameters<Connect>
): Promise<McpClient> {
  const { transport } = hooks;
  const { processes, programs } = options;
  const log = options.logOf(config.id);
  const { callTimeoutMs: requestTimeoutMs, replaySpeed: speed = 1, ...limits } = options.limits();
  const how = {
    ...identityFor(config, options),
    log,
    input: options.inputOf(config),
    onGarbage: hooks.onGarbage,
    onNotice: hooks.onNotice,
    onStage: hooks.onStage,
    limits: { ...limits, requestTimeoutMs },
    // Debug messages are requested only while the log level is Trace.
    logLevel: log.isTracing() ? 'debug' : (options.logLevel ?? 'info'),
    ...(options.extensions === undefined ? {} : { extensions: options.extensions }),
  } as const;
  if (transport.kind === 'stdio' && transport.recording !== undefined) {
    const { file: recording, server } = transport.recording;
    const { replayProgram: program = '' } = options;
    const { connectReplay } = await import('../../core/recording/connectReplay');
    return connectReplay({ ...how, program, recording, server, speed }, token);
  }
  if (transport.kind === 'stdio') {
    const { connectStdio } = await import('../../core/stdio/connectStdio');
    return connectStdio({ ...transport, ...how, processes, programs }, token);
  }
  const { kind, ...rest } = transport;
  const manner = kind === 'sse' ? { transport: kind } : {};
  const authorization = options.authorizationOf?.(config, transport);
  const signIn = authorization === undefined ? {} : { authorization };
  const { connectHttp } = await import('../../core/http/connectHttp');
  return connectHttp({ ...rest, ...how, ...manner, ...signIn }, token);
}

/** Returns what the server is told about the client, and the era to begin with. */
function identityFor(
  config: ServerConfig,
  { clientInfo, knownEras, profileOf }: ConnectServerOptions,
): Pick<ConnectOptions, 'clientInfo' | 'claimed' | keyof EraOptions> {
  const profile = profileOf?.(config);
  if (profile === undefined) {
    const rememberedEra = knownEras.of(config);
    return {
      clientInfo,
      ...(rememberedEra === undefined ? {} : { rememberedEra }),
      onDidLearnEra: (era) => knownEras.learn(config, era),
    };
  }
  // The era is not remembered, because the server may speak another one with Toolgate itself.
  const { name = clientInfo.name, revision, claimed } = profile;
  const era = toPinnedEra(revision);
  return {
    clientInfo: profile.name === undefined ? clientInfo : { ...clientInfo, name, title: name },
    ...(era === undefined ? {} : { era }),
    ...(claimed === undefined ? {} : { claimed }),
  };
}

const memoryKey = 'knownEras';
/** Above this number the oldest are detected again. */
const maxKnown = 200;
const eras: readonly unknown[] = ['stateful', 'stateless', 'sse'] satisfies KnownEra[];

/**
 * The era that each server spoke last, so that the next start need not detect it.
 * Stored by configuration hash, because another program is another server.
 */
export class KnownEras {
  readonly #memory: Memento;
  readonly #eras: Map<string, KnownEra>;

  constructor(memory: Memento) {
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
    this.#store();
  }

  forget(config: ServerConfig): void {
    if (this.#eras.delete(configHash(config))) this.#store();
  }

  #store(): void {
    this.#memory.update(memoryKey, [...this.#eras]).then(undefined, () => {
      // If it cannot be stored, the next start detects it again.
    });
  }
}

/** Parses pairs of hash and era, and ignores everything else. */
function parseEras(stored: unknown): [string, KnownEra][] {
  if (!Array.isArray(stored)) return [];
  return stored.filter(
    (pair): pair is [string, KnownEra] =>
      Array.isArray(pair) && typeof pair[0] === 'string' && eras.includes(pair[1]),
  );
}

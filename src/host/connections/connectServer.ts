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
import type { KnownEras } from './knownEras';
import type { HttpServerTransport, ServerConfig } from '../configuration/serverConfig';

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

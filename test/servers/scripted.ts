import path from 'node:path';

/** A request as the scripted server got it. */
export interface ReceivedMessage {
  readonly jsonrpc: string;
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** What a script can do; `scripted.mjs` is the other half. */
export interface ScriptedServer {
  /** Answers `initialize` with this instead of what the client offered. */
  revision: string | undefined;
  capabilities: object;
  instructions: string | undefined;
  tools: unknown[];
  readonly received: readonly ReceivedMessage[];
  /** Whether it exits when its stdin ends. */
  leavesAtEnd: boolean;
  /** Ids of the subscriptions that were granted, in the order of the requests. */
  readonly listening: readonly (number | string | undefined)[];
  /** From now on of the stateless era. */
  speakStateless(): void;
  acknowledge(listen: ReceivedMessage): void;
  notify(subscriptionId: unknown, method: string, params?: object): void;
  /** What the client answers comes as `answer`. */
  on(method: string, handler: (message: ReceivedMessage) => void): void;
  raw(text: string | Uint8Array): void;
  send(message: object): void;
  reply(request: ReceivedMessage, result: unknown): void;
  text(request: ReceivedMessage, text: string): void;
  fail(request: ReceivedMessage, code: number, message: string, data?: unknown): void;
}

/** Runs in the server's process: it can use nothing from around it. */
export type Script = (server: ScriptedServer) => void | Promise<void>;

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | null>>;
}

/** How to start a scripted server; the text of a script can contain values of the test. */
export function scripted(script: Script | string): ServerCommand {
  const file = path.join(__dirname, 'scripted.mjs');
  return { command: process.execPath, args: [file, script.toString()], env: {} };
}

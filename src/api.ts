import type { CancellationToken, Event, Uri } from 'vscode';

/**
 * What `vscode.extensions.getExtension('toolgate.toolgate').activate()` resolves to. Calls go
 * through the same gate as those of a person: the same question, the same checks.
 */
export interface ToolgateApi {
  readonly version: 1;
  /** Empty until the configuration has been read, shortly after activation. */
  readonly servers: readonly ServerSnapshot[];
  /** Something in `servers` is different from before. */
  readonly onDidChange: Event<void>;
  /** Starts a server, or joins its start. Rejects with an `Error` whose `code` says why. */
  start(serverId: string): Promise<ServerSnapshot>;
  /** Resolves when the server's process is gone. */
  stop(serverId: string): Promise<void>;
  /**
   * A number that JavaScript cannot hold, for the arguments of a call; `json` is how JSON writes
   * it: `9007199254740993`. @throws {TypeError} where it is none
   */
  exactNumber(json: string): ExactNumber;
  /** Asks the person, then calls. Never rejects: `kind` tells how it went. */
  callTool(call: ApiCall, token?: CancellationToken): Promise<CallOutcome>;
}

export interface ApiCall {
  readonly server: string;
  readonly tool: string;
  /** JSON data. Whole numbers may be a `bigint`, others an {@link ExactNumber}: sent digit by digit. */
  readonly arguments?: object;
}

/**
 * A number that JavaScript cannot hold: `String(number)` has every digit, `Number(number)` is the
 * nearest that it can hold. As an argument it is sent as it came.
 */
export interface ExactNumber {
  readonly text: string;
  valueOf(): number;
  toString(): string;
}

export interface ServerSnapshot {
  readonly id: string;
  readonly label: string;
  /** Where it was configured: a file path, or the name of a setting. */
  readonly source: string;
  readonly state: 'stopped' | 'starting' | 'running' | 'failed';
  readonly error?: string;
  readonly revision?: string;
  readonly pid?: number;
  readonly tools: readonly ToolSnapshot[];
  readonly problems: readonly string[];
}

export interface ToolSnapshot {
  readonly name: string;
  /** What the tree shows; server text, untrusted. */
  readonly title: string;
  readonly description?: string;
  readonly risk: {
    readonly level: 'readOnly' | 'additive' | 'destructive';
    readonly openWorld: boolean;
    readonly idempotent: boolean;
    readonly basis: 'declared' | 'assumed' | 'overridden';
  };
  readonly inputSchema: object;
  readonly outputSchema?: object | boolean;
}

export interface CallOutcome {
  readonly kind: 'result' | 'toolError' | 'denied' | 'cancelled' | 'failed';
  /** The result as a read-only document, for `vscode.open`; that of a small one is made when this is read. */
  readonly document?: Uri;
  /**
   * The content blocks as the server sent them, after their shape was checked. Base64 (`data`,
   * `blob`) of more than 256 KiB comes as a `Uint8Array` of its bytes.
   */
  readonly content?: readonly object[];
  /** JSON data, with an {@link ExactNumber} for each number that JavaScript cannot hold. */
  readonly structuredContent?: unknown;
  readonly problems?: readonly string[];
  /** Why it failed, or, with the code `denied`, which rule refused it. */
  readonly error?: { readonly code: string; readonly message: string };
  readonly durationMs: number;
}

import type { CancellationToken, Event, Uri } from 'vscode';

/**
 * The API that `vscode.extensions.getExtension('toolgate.toolgate').activate()` resolves to. Its
 * calls pass the same gate as those of the user: the same questions, the same checks.
 */
export interface ToolgateApi {
  readonly version: 1;
  /** Empty until the configuration has been read, shortly after activation. */
  readonly servers: readonly ServerSnapshot[];
  /** Fires when `servers` changed. */
  readonly onDidChange: Event<void>;
  /** Starts a server, or joins a start in progress. Rejects with an `Error` that has a `code`. */
  start(serverId: string): Promise<ServerSnapshot>;
  /** Resolves when the server's process has ended. */
  stop(serverId: string): Promise<void>;
  /**
   * Makes a number that JavaScript cannot represent, for the arguments of a call. `json` is its
   * JSON text, such as `9007199254740993`. @throws {TypeError} if the text is no number
   */
  exactNumber(json: string): ExactNumber;
  /** Asks the user, then calls. Never rejects: `kind` contains the outcome. */
  callTool(call: ApiCall, token?: CancellationToken): Promise<CallOutcome>;
}

export interface ApiCall {
  readonly server: string;
  readonly tool: string;
  /**
   * JSON data. Integers may be `bigint`, other numbers {@link ExactNumber}; both are sent digit by
   * digit.
   */
  readonly arguments?: object;
}

/**
 * A number that JavaScript cannot represent. `String(number)` has all digits; `Number(number)` is
 * the nearest representable number. As an argument it is sent unchanged.
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
  /** The title shown in the tree; server text, untrusted. */
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
  /**
   * The result as a read-only document for `vscode.open`. For a small result it is created when
   * this is read.
   */
  readonly document?: Uri;
  /**
   * The content blocks as the server sent them, after a check of their shape. Base64 (`data`,
   * `blob`) above 256 KiB is a `Uint8Array` of the decoded bytes.
   */
  readonly content?: readonly object[];
  /** JSON data, with an {@link ExactNumber} for each number that JavaScript cannot represent. */
  readonly structuredContent?: unknown;
  readonly problems?: readonly string[];
  /** Why the call failed, or with the code `denied` which rule refused it. */
  readonly error?: { readonly code: string; readonly message: string };
  readonly durationMs: number;
}

import type { McpError } from '../core/errors';
import type { Progress, SchemaViolation, ToolResult } from '../core/types';
import type { ServerConfig } from './configuration/serverConfig';
import type { ToolEntry } from './connections/snapshot';

/** Where the wish to call came from; it stands in the dialog and later in the journal. */
export type CallOrigin = 'palette' | 'tree' | 'api';

/** One wish to run a tool. */
export interface CallRequest {
  readonly server: string;
  readonly tool: string;
  /** A JSON object; absent stays absent on the wire. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly origin: CallOrigin;
  readonly onProgress?: (progress: Progress) => void;
  /** Called once the person agreed, just before anything is sent. */
  readonly onSending?: () => void;
}

/** Everything the person is asked about; the arguments are exactly what will be sent. */
export interface CallQuestion {
  readonly config: ServerConfig;
  readonly entry: ToolEntry;
  readonly arguments: Readonly<Record<string, unknown>> | undefined;
  /** The same arguments as compact JSON, made once. */
  readonly argumentsJson: string;
  readonly origin: CallOrigin;
  /**
   * Why `inputSchema` cannot be used, so that the arguments are unchecked; quotes the server's
   * schema: untrusted.
   */
  readonly schemaProblem?: string;
}

/** `no` is also what closing the dialog means. */
export type CallDecision = 'run' | 'no';

export type CallOutcome =
  | {
      readonly kind: 'result' | 'toolError';
      readonly result: ToolResult;
      /** Where `structuredContent` violates `outputSchema`. */
      readonly violations: readonly SchemaViolation[];
      /** The tool has an `outputSchema` but no `structuredContent` came. */
      readonly missingStructuredContent: boolean;
      /** `outputSchema` itself cannot be used: its error. */
      readonly schemaError?: string;
      readonly entry: ToolEntry;
      readonly durationMs: number;
    }
  | { readonly kind: 'denied'; readonly durationMs: number }
  | { readonly kind: 'cancelled'; readonly durationMs: number }
  | {
      readonly kind: 'failed';
      readonly error: McpError;
      /** Filled for `invalidArguments`. */
      readonly violations: readonly SchemaViolation[];
      readonly durationMs: number;
    };

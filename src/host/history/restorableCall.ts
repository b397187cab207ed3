import type { SchemaViolation, ToolResult } from '../../core/types';

/** What a call brought, with all that its documents say about it: enough to make them anew. */
export interface RestorableCall {
  readonly callId: string;
  /** Folder of the documents, `/<server>/calls/…`; a tab that was open on them finds them there. */
  readonly path: string;
  readonly serverId: string;
  /** Names are the server's: untrusted. */
  readonly serverLabel: string;
  readonly toolName: string;
  readonly toolTitle: string;
  /** Whether the tool may have reached beyond its server, so that others may have written this. */
  readonly isExternal: boolean;
  /** When the call began, epoch ms. */
  readonly createdAt: number;
  readonly durationMs: number;
  readonly result: ToolResult;
  readonly violations: readonly SchemaViolation[];
  readonly missingStructuredContent: boolean;
  readonly schemaError?: string;
}

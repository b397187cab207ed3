import type { SchemaViolation, ToolResult } from '../../core/types';

/** The answer of a call with everything that its documents show, to create them again. */
export interface RestorableCall {
  readonly callId: string;
  /** Folder of the documents, `/<server>/calls/…`, where open tabs find them. */
  readonly path: string;
  readonly serverId: string;
  /** Names come from the server: untrusted. */
  readonly serverLabel: string;
  readonly toolName: string;
  readonly toolTitle: string;
  /** Set if it read a prompt, which `toolName` names. */
  readonly isPrompt?: true;
  /** True if the tool may reach beyond its server, so that others may have written the answer. */
  readonly isExternal: boolean;
  /** When the call began, in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly durationMs: number;
  readonly result: ToolResult;
  readonly violations: readonly SchemaViolation[];
  readonly missingStructuredContent: boolean;
  readonly schemaError?: string;
}

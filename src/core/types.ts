import type { JsonValue, JsonObject } from './json/jsonValue';
/**
 * MCP types for the rest of the product, whose values `core/parse` has checked. Names are the
 * specification's own; wire data is `unknown` until parsed.
 *
 * Spec: schema/2025-11-25/schema.ts; older revisions have a subset of the fields.
 */

import type { RawJson } from './json/rawJson';

/** Newest first. Connections begin with the initialize handshake. */
export const statefulRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export type StatefulRevision = (typeof statefulRevisions)[number];

/** Newest first. Every request carries the metadata that the server needs. */
export const statelessRevisions = ['2026-07-28'] as const;
export type StatelessRevision = (typeof statelessRevisions)[number];

export type Revision = StatefulRevision | StatelessRevision;
export const revisions: readonly Revision[] = [...statelessRevisions, ...statefulRevisions];

/** Only revisions that at least two others have followed are worth mentioning. */
export function isOldRevision(revision: Revision): boolean {
  return revisions.indexOf(revision) >= 2;
}

/** The two ways in which client and server begin a connection. */
export type EraKind = 'stateful' | 'stateless';

/** The era or revision that a server is known to support. */
export type PinnedEra = EraKind | StatefulRevision;

export function isStatefulRevision(value: unknown): value is StatefulRevision {
  return statefulRevisions.some((known) => known === value);
}

/** The values by which a configured server can set its era. */
export const pinnableEras = ['auto', 'stateful', 'stateless', ...revisions] as const;

/** Returns `undefined` if the value is not one of {@link pinnableEras}. */
export function toPinnedEra(value: unknown): PinnedEra | 'auto' | undefined {
  const era = pinnableEras.find((known) => known === value);
  return era === statelessRevisions[0] ? 'stateless' : era;
}

export function eraOf(revision: Revision): EraKind {
  return statelessRevisions.some((known) => known === revision) ? 'stateless' : 'stateful';
}

export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly icons?: readonly Icon[];
}

/** An icon of a server, tool or resource, unchecked. */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  /** `48x48` or `any`. If absent, it fits any size. */
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

/** Only the capabilities that are used; logs have the raw object. */
export interface ServerCapabilities {
  readonly tools: boolean;
  /** True if the server promises notifications; a stateful one may send them anyway. */
  readonly toolsListChanged: boolean;
  readonly resources: boolean;
  /** Like `toolsListChanged`. */
  readonly resourcesListChanged: boolean;
  /** True if clients can subscribe to changes of single resources. */
  readonly resourcesSubscribe: boolean;
  readonly logging: boolean;
  readonly completions: boolean;
  readonly prompts: boolean;
  /** Like `toolsListChanged`. */
  readonly promptsListChanged: boolean;
  /** True if `tools/call` may be sent as a task (2025-11-25). */
  readonly taskCalls: boolean;
  readonly taskCancellations: boolean;
  readonly taskLists: boolean;
  /**
   * True if the server may turn calls into tasks and notify subscribers (extension of 2026-07-28).
   */
  readonly taskExtension: boolean;
  /** True if the server lists skills, whose files are resources (SEP-2640). */
  readonly skills: boolean;
  /** True if the server lists folders of skills (`directoryRead`). */
  readonly skillFolders: boolean;
}

/**
 * Capabilities that the user claims or hides instead of what this client can do, to see what the
 * server then offers. A hidden one is not served, and a claimed one that is off stays off.
 */
export interface ClaimedCapabilities {
  readonly elicitation?: boolean;
  readonly roots?: boolean;
  readonly tasks?: boolean;
}

/** Booleans under the specification's names; anything else is left out. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** Why a tool definition is odd or unusable, and where. The sentences are made in ui/. */
export type ToolProblemCode =
  | 'notAnObject'
  | 'nameMissing'
  | 'nameUnusual'
  | 'nameDuplicate'
  | 'inputSchemaMissing'
  | 'inputSchemaNotObject'
  | 'outputSchemaNotObject'
  /** More than 500 levels, which would overflow the stack. `detail` names the schema. */
  | 'schemaTooDeep'
  | 'annotationIgnored'
  /** An `x-mcp-header` violates the rules, so the call cannot be sent over HTTP. */
  | 'headerAnnotation'
  /** A text has characters that are invisible or change how others are displayed. */
  | 'hiddenCharacters'
  | 'fieldIgnored';

export interface ToolProblem {
  readonly code: ToolProblemCode;
  /** The field or key with the problem. Untrusted: from the server. */
  readonly detail?: string;
}

/**
 * An entry of `tools/list`. A bad entry is kept with `callable: false`, so that it does not hide
 * the good ones and the user sees why it cannot be called.
 */
export interface Tool {
  /**
   * Exactly as received, case-sensitive, and sent back unchanged. `''` only if not
   * callable.
   */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** As received, never rewritten. `{}` only if not callable. */
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject | boolean;
  readonly annotations: ToolAnnotations;
  readonly icons?: readonly Icon[];
  /** Absent if the tool does not run as a task, or the server does not support task calls. */
  readonly taskSupport?: 'optional' | 'required';
  /** The tool's app, or who may call it. Absent for a tool without an app that a model may call. */
  readonly app?: ToolApp;
  readonly callable: boolean;
  readonly problems: readonly ToolProblem[];
}

/** A tool’s entry in `_meta.ui` says this of its app (SEP-1865). */
export interface ToolApp {
  /** URI of the page (`ui://…`), if the tool has one. */
  readonly resourceUri?: string;
  /** True if only the app may call the tool, so that agents do not get it. */
  readonly isForAppOnly?: true;
}

export interface ToolList {
  readonly tools: readonly Tool[];
  /** Why the list may be incomplete. */
  readonly problems: readonly ListProblem[];
}

/** Why an entry of a list of skills is no skill. */
export type SkillFault = 'uri' | 'frontmatter' | 'name' | 'files' | 'outside' | 'repeated';

export type ListProblem =
  /** A page was repeated, by its cursor or by its entries. */
  | { readonly code: 'repeatedCursor' }
  /** Entries identical to those of an earlier page, which are listed once. */
  | { readonly code: 'repeatedEntries'; readonly count: number }
  /** The list was ended after this many empty pages in a row. */
  | { readonly code: 'emptyPages'; readonly limit: number }
  | { readonly code: 'tooManyPages'; readonly limit: number }
  | { readonly code: 'tooManyTools'; readonly limit: number }
  | { readonly code: 'tooManyResources'; readonly limit: number }
  | { readonly code: 'tooManyTasks'; readonly limit: number }
  /** Entries without a URI, which cannot be used. */
  | { readonly code: 'unusableEntries'; readonly count: number }
  | { readonly code: 'pageFailed'; readonly detail: string }
  /** The server reports a change after each listing, so it is asked less often. */
  | { readonly code: 'alwaysChanging' }
  /** An entry that is no skill, by its URI if it has one. */
  | { readonly code: 'unusableSkill'; readonly uri: string; readonly fault: SkillFault };

/**
 * Base64 as received, or bytes if the reader decoded a very large value on arrival.
 * `core/content/content.ts` converts both to bytes.
 */
export type BinaryData = string | Uint8Array;

/** A string, or UTF-8 if the reader extracted a very large text on arrival (`textOf`). */
export type TextData = string | Uint8Array;

/** Content annotations without invalid ones. */
export interface ContentAnnotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  readonly priority?: number;
  readonly lastModified?: string;
}

/** Information about a resource, or about all resources of a template. */
export interface ResourceFacts {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: ContentAnnotations;
  readonly icons?: readonly Icon[];
}

/** An entry of `resources/list`. */
export interface Resource extends ResourceFacts {
  /** Exactly as received, and sent back unchanged. */
  readonly uri: string;
  /** In bytes, before any encoding. */
  readonly size?: number;
  /** `_meta.ui`, which says what the page of an app requests (SEP-1865). */
  readonly ui?: JsonObject;
}

/** An entry of `resources/templates/list`. */
export interface ResourceTemplate extends ResourceFacts {
  /** In the form of RFC 6570, unchecked. */
  readonly uriTemplate: string;
}

export interface ResourceList {
  readonly resources: readonly Resource[];
  /** Why the list may be incomplete. */
  readonly problems: readonly ListProblem[];
}

export interface ResourceTemplateList {
  readonly templates: readonly ResourceTemplate[];
  readonly problems: readonly ListProblem[];
}

/** A server's proposals for a variable: at most 100 values. */
export interface Completion {
  readonly values: readonly string[];
  /** True if the server has more values. */
  readonly hasMore: boolean;
}

export interface ResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  /** Either `text` or `blob`, or neither for an empty resource. */
  readonly text?: TextData;
  readonly blob?: BinaryData;
  /** `_meta.ui` of its entry in `resources/list`, if it was asked for and `_meta` has none. */
  readonly listedUi?: JsonObject;
  /** Set for `resources/read` only. For an embedded resource, the `rest` of its block has it. */
  readonly _meta?: JsonObject;
}

/** The result of `resources/read`. */
export interface ReadResourceResult {
  readonly contents: readonly ResourceContents[];
  readonly meta?: JsonObject;
  /** Unknown members, as received. Absent if there are none. */
  readonly rest?: JsonObject;
}

/** Names the author of a message of a prompt. */
export type Role = 'user' | 'assistant';

export type ContentBlock = {
  /** For a message of a prompt. */
  readonly role?: Role;
  readonly annotations?: ContentAnnotations;
  /** Unknown members and `_meta`, as received. Absent if there are none. */
  readonly rest?: JsonObject;
} & (
  | { readonly type: 'text'; readonly text: TextData }
  | { readonly type: 'image'; readonly data: BinaryData; readonly mimeType: string }
  | { readonly type: 'audio'; readonly data: BinaryData; readonly mimeType: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly mimeType?: string;
      readonly size?: number;
    }
  | { readonly type: 'resource'; readonly resource: ResourceContents }
  /** An unknown type or a malformed block, shown as JSON. */
  | { readonly type: 'unknown'; readonly raw: unknown; readonly reason: string }
);

export interface ToolResult {
  readonly content: readonly ContentBlock[];
  /**
   * Kept as text if it has very many values. Absent differs from `null`: test with
   * `structuredContent !== undefined`.
   */
  readonly structuredContent?: JsonValue | RawJson;
  /** Only the boolean `true` counts. */
  readonly isError: boolean;
  readonly meta?: JsonObject;
  /** Unknown members, as received. Absent if there are none. */
  readonly rest?: JsonObject;
  /** True if it came inside `toolResult`, as before the first revision (2024-10-07). */
  readonly isOldForm?: true;
  /**
   * True if the structured content is not an object, which the server's revision does not allow.
   */
  readonly hasBareStructure?: true;
}

/** `notifications/progress`, already assigned to its call. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** One violation of a schema by a value. */
export interface SchemaViolation {
  /** JSON pointer into the value; `''` is the whole value. */
  readonly pointer: string;
  /** Ajv's sentence about schema and pointer. Untrusted: may quote the server's schema. */
  readonly message: string;
  readonly keyword: string;
}

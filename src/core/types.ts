import type { JsonValue, JsonObject } from './json/jsonValue';
/**
 * What the rest of the product knows of MCP: values that `core/parse` has already checked.
 * Names are the specification's own; the wire itself is `unknown` until parsed.
 *
 * Spec: schema/2025-11-25/schema.ts, fields of older revisions are subsets.
 */

import type { RawJson } from './json/rawJson';

/** Newest first. These begin with the initialize handshake. */
export const statefulRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export type StatefulRevision = (typeof statefulRevisions)[number];

/** Newest first. In these every request carries what the server has to know. */
export const statelessRevisions = ['2026-07-28'] as const;
export type StatelessRevision = (typeof statelessRevisions)[number];

export type Revision = StatefulRevision | StatelessRevision;
export const revisions: readonly Revision[] = [...statelessRevisions, ...statefulRevisions];

/** People know what they have; only what has been followed by two others is worth a word. */
export function isOldRevision(revision: Revision): boolean {
  return revisions.indexOf(revision) >= 2;
}

/** The two ways in which a client and a server get to know each other. */
export type EraKind = 'stateful' | 'stateless';

/** What a server is known to speak. */
export type PinnedEra = EraKind | StatefulRevision;

export function isStatefulRevision(value: unknown): value is StatefulRevision {
  return statefulRevisions.some((known) => known === value);
}

/** How an entry may say what its server speaks. */
export const pinnableEras = ['auto', 'stateful', 'stateless', ...revisions] as const;

/** `undefined`: it is none of {@link pinnableEras}. */
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

/** A picture that a server names for itself, a tool or a resource; nothing of it is checked. */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  /** `48x48` or `any`; absent: fits any size. */
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}

/** Only what is looked at; the raw object stays reachable for logs. */
export interface ServerCapabilities {
  readonly tools: boolean;
  /** Whether the server promises to tell of changes; a stateful one may tell anyway. */
  readonly toolsListChanged: boolean;
  readonly resources: boolean;
  /** Like `toolsListChanged`. */
  readonly resourcesListChanged: boolean;
  /** Whether it tells of changes of single resources to who asks for them. */
  readonly resourcesSubscribe: boolean;
  readonly logging: boolean;
  readonly completions: boolean;
  readonly prompts: boolean;
  /** Whether `tools/call` may be sent as a task (2025-11-25). */
  readonly taskCalls: boolean;
  readonly taskCancellations: boolean;
  readonly taskLists: boolean;
  /** Whether it may make tasks of calls, and tell of them to who listens (extension of 2026-07-28). */
  readonly taskExtension: boolean;
}

/** Real booleans under the specification's names; anything else is absent. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** Why a tool definition is odd or unusable: a code and the place, sentences are made in ui/. */
export type ToolProblemCode =
  | 'notAnObject'
  | 'nameMissing'
  | 'nameUnusual'
  | 'nameDuplicate'
  | 'inputSchemaMissing'
  | 'inputSchemaNotObject'
  | 'outputSchemaNotObject'
  /** More than 500 levels: whatever goes through it would run out of stack. `detail` is which. */
  | 'schemaTooDeep'
  | 'annotationIgnored'
  /** An `x-mcp-header` breaks the rules, so that the call cannot be sent over HTTP. */
  | 'headerAnnotation'
  /** A text in it holds characters that nobody sees, or that change how others are drawn. */
  | 'hiddenCharacters'
  | 'fieldIgnored';

export interface ToolProblem {
  readonly code: ToolProblemCode;
  /** The field or key it is about; from the server, untrusted. */
  readonly detail?: string;
}

/**
 * One entry of `tools/list`. A bad entry is kept with `callable: false`, so that it never hides
 * the good ones and the person sees why it cannot be called.
 */
export interface Tool {
  /** Exactly as received, case-sensitive, sent back unchanged. `''` only if not callable. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** As received, never rewritten. `{}` only if not callable. */
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject | boolean;
  readonly annotations: ToolAnnotations;
  readonly icons?: readonly Icon[];
  /** Absent: the tool does not run as a task. Counts only where the server takes calls as tasks. */
  readonly taskSupport?: 'optional' | 'required';
  readonly callable: boolean;
  readonly problems: readonly ToolProblem[];
}

export interface ToolList {
  readonly tools: readonly Tool[];
  /** Why the list may be incomplete. */
  readonly problems: readonly ListProblem[];
}

export type ListProblem =
  /** A page came again, by its cursor or by all that is on it. */
  | { readonly code: 'repeatedCursor' }
  /** Entries that came on an earlier page just as they are; each is listed once. */
  | { readonly code: 'repeatedEntries'; readonly count: number }
  /** So many pages in a row had no entries, and the list was ended. */
  | { readonly code: 'emptyPages'; readonly limit: number }
  | { readonly code: 'tooManyPages'; readonly limit: number }
  | { readonly code: 'tooManyTools'; readonly limit: number }
  | { readonly code: 'tooManyResources'; readonly limit: number }
  | { readonly code: 'tooManyTasks'; readonly limit: number }
  /** Entries without an address: nothing can be done with them. */
  | { readonly code: 'unusableEntries'; readonly count: number }
  | { readonly code: 'pageFailed'; readonly detail: string }
  /** The server announces a change after each listing, so it is asked less often. */
  | { readonly code: 'alwaysChanging' };

/**
 * Base64 text as it came, or bytes where the reader decoded a very large one on its way in.
 * `core/content/content.ts` turns either into bytes.
 */
export type BinaryData = string | Uint8Array;

/** Text, or its UTF-8 where the reader took a very large one out on its way in (`textOf`). */
export type TextData = string | Uint8Array;

/** Content annotations; the invalid ones are left out. */
export interface ContentAnnotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  readonly priority?: number;
  readonly lastModified?: string;
}

/** What a list of resources says of one, or of all that a template leads to. */
export interface ResourceFacts {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: ContentAnnotations;
  readonly icons?: readonly Icon[];
}

/** One entry of `resources/list`. */
export interface Resource extends ResourceFacts {
  /** Exactly as received, sent back unchanged. */
  readonly uri: string;
  /** In bytes, before any encoding. */
  readonly size?: number;
}

/** One entry of `resources/templates/list`. */
export interface ResourceTemplate extends ResourceFacts {
  /** RFC 6570, unchecked. */
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

/** What a server proposes for a variable: at most 100 values. */
export interface Completion {
  readonly values: readonly string[];
  /** Whether there are more than these. */
  readonly hasMore: boolean;
}

export interface ResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  /** One of the two, or neither for an empty resource. */
  readonly text?: TextData;
  readonly blob?: BinaryData;
}

export type ContentBlock = {
  readonly annotations?: ContentAnnotations;
  /** Members that say nothing to us, `_meta` among them, as received; absent if there are none. */
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
  /** A type we do not know, or a known one of the wrong shape: shown as JSON. */
  | { readonly type: 'unknown'; readonly raw: unknown; readonly reason: string }
);

export interface ToolResult {
  readonly content: readonly ContentBlock[];
  /** As text where it has very many values. Absent is not `null`: test with `structuredContent !== undefined`. */
  readonly structuredContent?: JsonValue | RawJson;
  /** Only the boolean `true` counts. */
  readonly isError: boolean;
  readonly meta?: JsonObject;
  /** Members that say nothing to us, as received; absent if there are none. */
  readonly rest?: JsonObject;
  /** It came inside of `toolResult`, as before the first revision (2024-10-07). */
  readonly isOldForm?: true;
  /** The structured content is no object, which the revision of the server does not allow. */
  readonly hasBareStructure?: true;
}

/** `notifications/progress`, already matched to its call. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** One place where a value does not fit its schema. */
export interface SchemaViolation {
  /** JSON pointer into the value; `''` is the whole. */
  readonly pointer: string;
  /** Ajv's sentence, made of schema and pointer; may quote the server's schema: untrusted. */
  readonly message: string;
  readonly keyword: string;
}

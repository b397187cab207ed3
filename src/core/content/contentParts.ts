import type { ContentAnnotations, Role, ToolResult } from '../types';
import type { DocumentContent, Viewer } from './documentNames';
import { bufferOf } from '../json/jsonLimits';
import { jsonTextOf } from '../json/layOutJson';
import type { JsonObject } from '../json/jsonValue';

/** Enough to show a short text beside other parts. */
export const maxExcerptChars = 4_000;

/** Notes for the user about a part. The sentences are made in ui/. */
export type PartNoteCode =
  /** `data` or `blob` is not valid base64; its text was kept. */
  | 'invalidBase64'
  /** It is another form of base64 than the specification's, but decodes to a known type. */
  | 'looseBase64'
  /** Half of a surrogate pair was replaced by U+FFFD, because no file can contain it. */
  | 'halfCharacter'
  | 'tooLarge'
  /** The bytes contradict the declared type; `detail` is the actual type if it is known. */
  | 'mimeMismatch'
  /** No type was declared; `detail` is the type of the bytes. */
  | 'untyped'
  /** The block is of an unknown type, or malformed; `detail` says why. */
  | 'unknownType'
  | 'emptyContent'
  /** An embedded resource without `text` and `blob`, which can be read by its URI. */
  | 'emptyResource'
  /** The value is nested too deeply to be formatted. */
  | 'tooDeep'
  /** A text that repeats this structured content was omitted. */
  | 'sameAsText'
  /** A text of the answer is JSON that differs from this structured content. */
  | 'differsFromText'
  /** Terminal escape sequences were removed; another part has the original. */
  | 'escapesRemoved'
  /** The original text of another part, whose number is `detail`. */
  | 'asSent'
  /** The page of an app, which is never rendered; the other one requests nothing. */
  | 'appPage'
  | 'appWithoutRequests'
  /** `detail` is something that the page of an app requests from its host. */
  | 'appRequest';

export interface PartNote {
  readonly code: PartNoteCode;
  /** Untrusted: may be from the server. */
  readonly detail?: string;
}

/** True for notes that the user should see first; the others only explain. */
export function isWarning({ code }: PartNote): boolean {
  return !explanations.includes(code);
}

const explanations: readonly PartNoteCode[] = [
  'sameAsText',
  'escapesRemoved',
  'asSent',
  'appPage',
  'appWithoutRequests',
];

/** True for the page of an app. */
export function isAppPage({ notes }: Pick<Part, 'notes'>): boolean {
  return notes.some(({ code }) => code === 'appPage' || code === 'appWithoutRequests');
}

/** `meta` is what no other part has: `_meta` and unknown members. */
export type FileKind = 'text' | 'image' | 'audio' | 'resource' | 'structured' | 'meta' | 'unknown';

interface PartBase {
  /** Position among all parts, from 1, in the server's order. */
  readonly number: number;
  readonly annotations?: ContentAnnotations;
  /** For a message of a prompt. */
  readonly role?: Role;
  readonly notes: readonly PartNote[];
}

/** A part that is a file. */
export interface FilePart extends PartBase {
  readonly kind: FileKind;
  /**
   * Name on screen and when saved: a safe path segment, unique in its result, with the extension of
   * its type. Editors never get this name.
   */
  readonly name: string;
  /** The name of its document, with an extension from `documentNames.ts`. Unique in its result. */
  readonly documentName: string;
  /** The VS Code preview that can show the bytes. Absent for text and everything else. */
  readonly viewer?: Viewer;
  /** Media type as declared by the server. Untrusted. */
  readonly mimeType?: string;
  /** In bytes. */
  readonly size: number;
  /** The first 4,000 characters of a text. Absent for everything else. */
  readonly excerpt?: string;
  /** URI of an embedded or read resource, exactly as received. */
  readonly uri?: string;
  /** True if this part contains the whole answer; at most one does. */
  readonly isMain?: true;
  /** Returns the bytes. Those of text are encoded on each call, so that they are not held twice. */
  readonly read: () => Uint8Array | Promise<Uint8Array>;
}

/** True if an editor can show it; an overview describes the other parts. */
export function isViewable({ excerpt, viewer }: FilePart): boolean {
  return excerpt !== undefined || viewer !== undefined;
}

/** A link to a resource, which is read only when the user asks. */
export interface LinkPart extends PartBase {
  readonly kind: 'link';
  /** Exactly as received. */
  readonly uri: string;
  readonly linkName: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

export type Part = FilePart | LinkPart;

/** A part before it gets its number and names. */
export interface FileDraft extends Omit<FilePart, 'number' | 'name' | 'documentName'> {
  /** The file name without extension, if one is known. Untrusted. */
  readonly stem?: string;
  readonly extension: string;
  readonly content: DocumentContent;
}

/**
 * Returns a part as the JSON that a server would send: a content block of a tool, or a resource. A
 * part that is JSON already is returned as it is.
 *
 * Spec: 2025-11-25 schema, TextContent, ImageContent, AudioContent, EmbeddedResource
 */
export function blockJson(part: FilePart, bytes: Uint8Array): string | undefined {
  const isText = part.excerpt !== undefined;
  const buffer = bufferOf(bytes);
  const { kind, mimeType, uri, annotations } = part;
  const more = annotations === undefined ? {} : { annotations };
  if (kind === 'image' || kind === 'audio') {
    return jsonTextOf({ type: kind, data: buffer.toString('base64'), mimeType, ...more });
  }
  const text = buffer.toString('utf8');
  if (kind === 'resource') {
    const content = isText ? { text } : { blob: buffer.toString('base64') };
    return jsonTextOf({ type: kind, resource: { uri, mimeType, ...content }, ...more });
  }
  return kind === 'text' ? jsonTextOf({ type: kind, text, ...more }) : text;
}

/** Servers of 2026-07-28 name themselves in the metadata of every result. */
const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

/**
 * Returns the `_meta` of a result without the name of its server, which is the same in every answer
 * and says nothing of this one. Absent if nothing else is left.
 */
export function ownMeta({ meta }: Pick<ToolResult, 'meta'>): JsonObject | undefined {
  if (meta?.[serverInfoKey] === undefined) return meta;
  const { [serverInfoKey]: _, ...others } = meta;
  return Object.keys(others).length === 0 ? undefined : others;
}

import type { ContentAnnotations } from '../types';
import type { DocumentContent, Viewer } from './documentNames';

/** Enough to show a short text beside other parts. */
export const maxExcerptChars = 4_000;

/** What a person must know about a part; sentences are made in ui/. */
export type PartNoteCode =
  /** `data` or `blob` is no valid base64: the text is kept as it came. */
  | 'invalidBase64'
  /** It is base64 in another form than that of the specification; its bytes show what was meant. */
  | 'looseBase64'
  /** A character came in half, which no file can hold: U+FFFD stands in its place. */
  | 'halfCharacter'
  | 'tooLarge'
  /** The bytes are not of the declared type; `detail` is what they are, if that is known. */
  | 'mimeMismatch'
  /** No type was declared; `detail` is what the bytes are. */
  | 'untyped'
  /** A block that we do not know, or a known one of the wrong shape; `detail` says why. */
  | 'unknownType'
  | 'emptyContent'
  /** An embedded resource with neither `text` nor `blob`; it may be read by its URI. */
  | 'emptyResource'
  /** Nested so deeply that it cannot be written as text. */
  | 'tooDeep'
  /** Structured content, beside which a text said just the same and was left out. */
  | 'sameAsText'
  /** Structured content, beside a text that is JSON, too, and says something else. */
  | 'differsFromText'
  /** Terminal escape sequences were taken out; another part has the text as it came. */
  | 'escapesRemoved'
  /** The text of another part as it came; `detail` is the number of that part. */
  | 'asSent';

export interface PartNote {
  readonly code: PartNoteCode;
  /** May be from the server: untrusted. */
  readonly detail?: string;
}

/** Whether a person should know it before they read on; the rest only explains. */
export function isWarning({ code }: PartNote): boolean {
  return code !== 'sameAsText' && code !== 'escapesRemoved' && code !== 'asSent';
}

/** `meta` is everything that has no place elsewhere: `_meta`, and members that we do not know. */
export type FileKind = 'text' | 'image' | 'audio' | 'resource' | 'structured' | 'meta' | 'unknown';

interface PartBase {
  /** Place among all parts, from 1, in the server's order. */
  readonly number: number;
  readonly annotations?: ContentAnnotations;
  readonly notes: readonly PartNote[];
}

/** A part that is a file. */
export interface FilePart extends PartBase {
  readonly kind: FileKind;
  /**
   * What it is called on screen and when it is saved: safe as one segment of a path, unique within
   * its result, with the extension that says what it is. No editor gets to see this name.
   */
  readonly name: string;
  /** The name of its document, of the closed list of `documentNames.ts`; unique in the same way. */
  readonly documentName: string;
  /** The preview of VS Code that shows it, by its bytes; absent for text and everything else. */
  readonly viewer?: Viewer;
  /** As the server declared it: untrusted. */
  readonly mimeType?: string;
  /** In bytes. */
  readonly size: number;
  /** The first 4,000 characters, if it is text; absent for everything else. */
  readonly excerpt?: string;
  /** URI of an embedded or read resource, exactly as received. */
  readonly uri?: string;
  /** Whether this part says all that a person wants to see first; at most one does. */
  readonly isMain?: true;
  /** The bytes; for text made anew on each call, so that they are not held twice. */
  readonly read: () => Uint8Array | Promise<Uint8Array>;
}

/** Whether an editor shows it; the overview says of the rest what it is. */
export function isShown({ excerpt, viewer }: FilePart): boolean {
  return excerpt !== undefined || viewer !== undefined;
}

/** A resource that the server only names; nothing is read before the person asks. */
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

/** A part before it has a number and a name. */
export interface FileDraft extends Omit<FilePart, 'number' | 'name' | 'documentName'> {
  /** What the file is called without its extension, if something says so: untrusted. */
  readonly stem?: string;
  readonly extension: string;
  readonly content: DocumentContent;
}

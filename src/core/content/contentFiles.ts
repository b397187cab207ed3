import { decodeBase64, decodeLooseBase64, type DecodedBase64 } from '../json/base64';
import { maxExcerptChars } from './contentParts';
import type { FileDraft, FileKind, PartNote } from './contentParts';
import { viewerOf } from './documentNames';
import { isObject } from '../json/shapes';
import { formatJson } from '../json/jsonText';
import {
  canonicalMediaType,
  extensionOfType,
  extensionOfUri,
  isBinaryExtension,
  isTextType,
  pathOfUri,
  hasSignature,
  isSameMedia,
  sniffMediaType,
} from './mediaTypes';
import { beginningOf, textOf } from './textData';
import {
  guessedExtension,
  isJsonDocument,
  maxParsedChars,
  extensionByContent,
  maxLookedAtChars,
} from './textKind';
import type { BinaryData, ResourceContents, TextData } from '../types';

/**
 * Makes a file of text without a media type: JSON, Markdown, code or plain, judged by its content.
 */
export function guessedTextFile(kind: FileKind, data: TextData): FileDraft {
  if (isLarge(data)) return largeTextFile(kind, data);
  const text = textOf(data);
  return textFile(kind, text, guessedExtension(text));
}

/** Makes a file of text. JSON on one line is formatted; any other text stays unchanged. */
export function textFile(
  kind: FileKind,
  data: TextData,
  extension: string,
  notes: readonly PartNote[] = [],
): FileDraft {
  if (isLarge(data)) return { ...largeTextFile(kind, data, extension), notes };
  const text = textOf(data);
  const shown = extension === 'json' && isJsonDocument(text) ? formatJson(text) : text;
  return {
    kind,
    extension,
    content: { kind: 'text', extension },
    notes: notesOfText(shown, notes),
    size: Buffer.byteLength(shown),
    excerpt: shown.slice(0, maxExcerptChars),
    read: () => Buffer.from(shown),
  };
}

function notesOfText(text: string, notes: readonly PartNote[]): readonly PartNote[] {
  if (text === '') return notes.length === 0 ? [{ code: 'emptyContent' }] : notes;
  return text.isWellFormed() ? notes : [...notes, { code: 'halfCharacter' }];
}

function isLarge(text: TextData): text is Uint8Array {
  return typeof text !== 'string' && text.length > maxParsedChars;
}

/** Converts an embedded or read resource. `text` is used if there is a `blob` too. */
export function resourceFile(resource: ResourceContents, maxDecodedBytes: number): FileDraft {
  const { uri, mimeType, text, blob } = resource;
  const facts = { uri, stem: stemOf(uri), ...(mimeType === undefined ? {} : { mimeType }) };
  if (text === undefined && blob !== undefined) {
    return { ...binaryFile('resource', blob, mimeType, maxDecodedBytes, uri), ...facts };
  }
  if (text === undefined) {
    return { ...textFile('resource', '', 'txt', [{ code: 'emptyResource' }]), ...facts };
  }
  const type = canonicalMediaType(mimeType);
  const declared = type !== undefined && isTextType(type) ? extensionOfType(type) : undefined;
  // Servers also declare `text/plain` when they do not know the type; the file name tells more.
  const extension = declared === 'txt' ? textExtensionOfUri(uri) : declared;
  const known = extension ?? textExtensionOfUri(uri);
  const file =
    known === undefined ? guessedTextFile('resource', text) : textFile('resource', text, known);
  return { ...file, ...facts };
}

function textExtensionOfUri(uri: string): string | undefined {
  const extension = extensionOfUri(uri);
  return extension === undefined || isBinaryExtension(extension) ? undefined : extension;
}

/** Returns the file name at the end of a URI, without its extension. */
function stemOf(uri: string): string {
  const last =
    pathOfUri(uri)
      .split(/[/\\]/)
      .findLast((segment) => segment !== '') ?? '';
  return percentDecoded(last).replace(/\.[A-Za-z0-9]{1,10}$/, '');
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Malformed percent-encoding is kept, because the name is only displayed.
    return text;
  }
}

/**
 * Converts an image, audio block or blob. Its bytes decide the file type, with a note if they contradict
 * the declared type. Invalid base64 that does not decode to a known type either becomes a
 * text file.
 */
export function binaryFile(
  kind: 'image' | 'audio' | 'resource',
  data: BinaryData,
  mimeType: string | undefined,
  maxDecodedBytes: number,
  uri = '',
): FileDraft {
  const declared = mimeType === undefined ? {} : { mimeType };
  const decoded = decodedData(data, maxDecodedBytes);
  if (decoded.kind !== 'bytes') {
    const isInvalid = decoded.kind === 'invalid';
    const raw = isInvalid && typeof data === 'string' ? data : '';
    const note = { code: isInvalid ? 'invalidBase64' : 'tooLarge' } as const;
    return { ...textFile(kind, raw, 'txt', [note]), ...declared };
  }
  const { bytes } = decoded;
  const { type, sniffedType, notes: ofType } = typeOfBytes(kind, mimeType, bytes);
  const notes = decoded.isLoose === true ? [{ code: 'looseBase64' } as const, ...ofType] : ofType;
  const extension = (type && extensionOfType(type)) ?? extensionOfUri(uri) ?? 'bin';
  const isText = type === undefined ? looksLikeText(extension, bytes) : isTextType(type);
  const file = { kind, size: bytes.length, read: () => bytes, ...declared, extension, notes };
  if (isText) {
    const excerpt = beginningOf(bytes, maxExcerptChars);
    return { ...file, content: { kind: 'text', extension }, excerpt };
  }
  const viewer = viewerOf(sniffedType);
  const content = { kind: 'bytes', sniffedType } as const;
  return { ...file, content, ...(viewer === undefined ? {} : { viewer }) };
}

type DecodedData = DecodedBase64 & { readonly isLoose?: true };

/** Accepts malformed base64 if its bytes are an image or another known type. */
function decodedData(data: BinaryData, maxBytes: number): DecodedData {
  if (typeof data !== 'string') return { kind: 'bytes', bytes: data };
  const decoded = decodeBase64(data, maxBytes);
  if (decoded.kind !== 'invalid') return decoded;
  const loose = decodeLooseBase64(data, maxBytes);
  const isKnown = loose.kind === 'bytes' && sniffMediaType(loose.bytes) !== undefined;
  return isKnown ? { ...loose, isLoose: true } : decoded;
}

/**
 * Converts an image or audio block without a type by its bytes. Returns `undefined` for anything else.
 */
export function untypedFile(raw: unknown, maxDecodedBytes: number): FileDraft | undefined {
  if (!isObject(raw)) return undefined;
  const { type, data } = raw;
  if (type !== 'image' && type !== 'audio') return undefined;
  if (typeof data !== 'string' && !(data instanceof Uint8Array)) return undefined;
  const decoded = decodedData(data, maxDecodedBytes);
  if (decoded.kind !== 'bytes' || sniffMediaType(decoded.bytes) === undefined) return undefined;
  return binaryFile(type, data, undefined, maxDecodedBytes);
}

function looksLikeText(extension: string, bytes: Uint8Array): boolean {
  return !isBinaryExtension(extension) && !bytes.subarray(0, maxExcerptChars).includes(0);
}

interface CheckedType {
  readonly type: string | undefined;
  /** The type that the bytes show, whatever was declared. */
  readonly sniffedType: string | undefined;
  readonly notes: readonly PartNote[];
}

function typeOfBytes(
  kind: 'image' | 'audio' | 'resource',
  mimeType: string | undefined,
  bytes: Uint8Array,
): CheckedType {
  const declared = canonicalMediaType(mimeType);
  const isSpecific = declared !== undefined && declared !== 'application/octet-stream';
  const isUsable = isSpecific && (kind === 'resource' || declared.startsWith(`${kind}/`));
  const type = isUsable ? declared : undefined;
  const actual = sniffMediaType(bytes);
  if (bytes.length === 0) return { type, sniffedType: actual, notes: [{ code: 'emptyContent' }] };
  if (actual === undefined) {
    // Types without a signature cannot be contradicted by the bytes.
    const isWrong = type === undefined ? kind !== 'resource' : hasSignature(type);
    return { type, sniffedType: actual, notes: isWrong ? [{ code: 'mimeMismatch' }] : [] };
  }
  const isMatch =
    type !== undefined && (isSameMedia(type, actual) || (isTextType(type) && isTextType(actual)));
  if (isMatch) return { type, sniffedType: actual, notes: [] };
  const isHelp = kind === 'resource' && !isSpecific;
  const code = mimeType === undefined ? 'untyped' : 'mimeMismatch';
  const notes: readonly PartNote[] = isHelp ? [] : [{ code, detail: actual }];
  return { type: actual, sniffedType: actual, notes };
}

/**
 * Makes a file of a text of any size, byte for byte, by reading only its beginning and last byte.
 * Without an extension, text that begins and ends like JSON counts as JSON.
 */
function largeTextFile(kind: FileKind, bytes: Uint8Array, extension?: string): FileDraft {
  const known = extension ?? extensionOf(bytes);
  return {
    kind,
    extension: known,
    content: { kind: 'text', extension: known },
    notes: [],
    size: bytes.length,
    excerpt: beginningOf(bytes, maxExcerptChars),
    read: () => bytes,
  };
}

function extensionOf(bytes: Uint8Array): string {
  const head = beginningOf(bytes, maxLookedAtChars);
  const end = beginningOf(bytes.subarray(-64), 64).trimEnd().at(-1);
  const isObjectText = /^\s*\{\s*"/.test(head) && end === '}';
  const isArrayText = /^\s*\[\s*(["[{\d-]|true|false|null)/.test(head) && end === ']';
  if (isObjectText || isArrayText) return 'json';
  return extensionByContent(head);
}

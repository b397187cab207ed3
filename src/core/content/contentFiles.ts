import { decodeBase64 } from '../json/base64';
import type { FileDraft, FileKind, PartNote } from './contentParts';
import { formatJson } from '../json/jsonText';
import {
  canonicalMediaType,
  extensionOfType,
  extensionOfUri,
  hasSignature,
  isBinaryExtension,
  isSameMedia,
  isTextType,
  sniffMediaType,
} from './mediaTypes';
import { parseJsonDocument, textKindOf } from './textKind';
import type { BinaryData, ResourceContents } from '../types';

/** Enough to show a short text beside other parts. */
export const maxExcerptChars = 4_000;

/** Text that came without a media type: JSON, Markdown or plain, by what it looks like. */
export function guessedTextFile(kind: FileKind, text: string): FileDraft {
  const extension = { json: 'json', markdown: 'md', plain: 'txt' }[textKindOf(text)];
  return textFile(kind, text, extension);
}

/** Text as a file. One line of JSON is laid out over several; nothing else about it changes. */
export function textFile(
  kind: FileKind,
  text: string,
  extension: string,
  notes: readonly PartNote[] = [],
): FileDraft {
  const isDocument = extension === 'json' && parseJsonDocument(text) !== undefined;
  const shown = isDocument ? formatJson(text) : text;
  return {
    kind,
    extension,
    notes: text === '' && notes.length === 0 ? [{ code: 'emptyContent' }] : notes,
    size: Buffer.byteLength(shown),
    excerpt: shown.slice(0, maxExcerptChars),
    read: () => Buffer.from(shown),
  };
}

/** The contents of an embedded or read resource; `text` counts where both are there. */
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
  // `text/plain` is what servers say when they do not know; the name of the file says more.
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

/** The file name at the end of a URI, without its extension. */
function stemOf(uri: string): string {
  const path = uri.slice(0, maxUriChars).split(/[?#]/, 1)[0] ?? '';
  const last = path.split(/[/\\]/).findLast((segment) => segment !== '') ?? '';
  return percentDecoded(last).replace(/\.[A-Za-z0-9]{1,10}$/, '');
}

const maxUriChars = 4_000;

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: the name is only for reading.
    return text;
  }
}

/**
 * An image, sound or blob. The bytes decide what the file is where they show it, and a note says
 * where that is not what the server declared. Invalid base64 becomes a text file.
 */
export function binaryFile(
  kind: 'image' | 'audio' | 'resource',
  data: BinaryData,
  mimeType: string | undefined,
  maxDecodedBytes: number,
  uri = '',
): FileDraft {
  const declared = mimeType === undefined ? {} : { mimeType };
  const decoded =
    typeof data === 'string'
      ? decodeBase64(data, maxDecodedBytes)
      : ({ kind: 'bytes', bytes: data } as const);
  if (decoded.kind !== 'bytes') {
    const isInvalid = decoded.kind === 'invalid';
    const raw = isInvalid && typeof data === 'string' ? data : '';
    const note = { code: isInvalid ? 'invalidBase64' : 'tooLarge' } as const;
    return { ...textFile(kind, raw, 'txt', [note]), ...declared };
  }
  const { bytes } = decoded;
  const { type, notes } = typeOfBytes(kind, canonicalMediaType(mimeType), bytes);
  const extension = (type && extensionOfType(type)) ?? extensionOfUri(uri) ?? 'bin';
  const isText = type === undefined ? looksLikeText(extension, bytes) : isTextType(type);
  const file = { kind, size: bytes.length, read: () => bytes, ...declared, extension, notes };
  return isText ? { ...file, excerpt: beginningOf(bytes) } : file;
}

function looksLikeText(extension: string, bytes: Uint8Array): boolean {
  return !isBinaryExtension(extension) && !bytes.subarray(0, maxExcerptChars).includes(0);
}

/** Cut within a character, the last one shows as a replacement sign; an excerpt is no document. */
function beginningOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, maxExcerptChars)).toString('utf8');
}

interface CheckedType {
  readonly type: string | undefined;
  readonly notes: readonly PartNote[];
}

function typeOfBytes(
  kind: 'image' | 'audio' | 'resource',
  declared: string | undefined,
  bytes: Uint8Array,
): CheckedType {
  const isSpecific = declared !== undefined && declared !== 'application/octet-stream';
  const isUsable = isSpecific && (kind === 'resource' || declared.startsWith(`${kind}/`));
  const type = isUsable ? declared : undefined;
  if (bytes.length === 0) return { type, notes: [{ code: 'emptyContent' }] };
  const actual = sniffMediaType(bytes);
  if (actual === undefined) {
    // Of some types nobody can tell the bytes, so nothing speaks against those.
    const isWrong = type === undefined ? kind !== 'resource' : hasSignature(type);
    return { type, notes: isWrong ? [{ code: 'mimeMismatch' }] : [] };
  }
  const isMatch =
    type !== undefined && (isSameMedia(type, actual) || (isTextType(type) && isTextType(actual)));
  if (isMatch) return { type, notes: [] };
  const isHelp = kind === 'resource' && !isSpecific;
  return { type: actual, notes: isHelp ? [] : [{ code: 'mimeMismatch', detail: actual }] };
}

import { decodeBase64, decodeLooseBase64, type DecodedBase64 } from '../json/base64';
import { maxExcerptChars, type FileDraft, type FileKind, type PartNote } from './contentParts';
import { viewerOf } from './documentNames';
import { isObject, isContainer, isJsonObject, isJsonArray } from '../json/shapes';
import { formatJson } from '../json/layOutJson';
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
import {
  beginningOf,
  textOf,
  guessedExtension,
  isJsonDocument,
  maxParsedChars,
  extensionByContent,
  maxLookedAtChars,
} from './textKind';
import type { BinaryData, ResourceContents, TextData } from '../types';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { WorkTurns } from '../bounds/workTurns';
import { GrowingBytes } from '../json/growingBytes';
import { jsonPieces } from '../json/jsonPieces';
import { RawJson } from '../json/rawJson';
import { percentDecoded } from '../percentDecoded';

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

/** A list of rows in an answer, limited to what fits on a page. */
export interface TableRows {
  /** The other, single-valued members of the object that contains the list. May be empty. */
  readonly facts: JsonObject;
  /** Member names of the rows, in order of their first appearance; at most 20. */
  readonly columns: readonly string[];
  /** Includes columns that are not in `columns`. */
  readonly columnCount: number;
  /** The first rows; at most 1,000. */
  readonly rows: readonly JsonObject[];
  readonly rowCount: number;
}

const maxRows = 1_000;
const maxColumns = 20;
/** Limits a row, and the members beside a list. */
const maxMembers = 200;
const maxFacts = 20;
/** Limits the cells that are visited, so that the cost does not grow with the answer. */
const maxCells = 20_000;

/**
 * Recognizes a value that is one flat table: an array of objects with single-valued members, or an
 * object with one such array and single values beside it. Only the rows that are shown are visited.
 * Returns `undefined` for everything else.
 */
export function tableRows(value: JsonValue): TableRows | undefined {
  const found = findList(value);
  if (found === undefined) return undefined;
  const { list, facts } = found;
  const rows: JsonObject[] = [];
  const names = new Set<string>();
  let cells = 0;
  for (const row of list.slice(0, maxRows)) {
    if (!isRow(row)) return undefined;
    const members = Object.keys(row);
    cells += members.length;
    if (cells > maxCells && rows.length > 0) break;
    for (const name of members) names.add(name);
    rows.push(row);
  }
  // A single cell is more readable as JSON.
  if (names.size === 0 || (names.size === 1 && list.length === 1)) return undefined;
  const columns = [...names].slice(0, maxColumns);
  return { facts, columns, columnCount: names.size, rows, rowCount: list.length };
}

/** Returns the array, and the members beside it if it is a member. */
export function findList(
  value: JsonValue,
): { readonly list: readonly JsonValue[]; readonly facts: JsonObject } | undefined {
  if (isJsonArray(value)) return { list: value, facts: {} };
  if (!isJsonObject(value) || !hasAtMost(value, maxFacts + 1)) return undefined;
  const members = Object.entries(value);
  const lists = members.flatMap(([, member]) => (isJsonArray(member) ? [member] : []));
  const [list] = lists;
  if (list === undefined || lists.length > 1) return undefined;
  if (members.some(([, member]) => member !== list && !isScalar(member))) return undefined;
  return { list, facts: value };
}

/** True for an object with a limited number of single values. */
function isRow(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value) || !hasAtMost(value, maxMembers)) return false;
  return Object.values(value).every(isScalar);
}

function hasAtMost(value: JsonObject, limit: number): boolean {
  let count = 0;
  for (const _ in value) {
    count += 1;
    if (count > limit) return false;
  }
  return true;
}

/** True for values that are neither arrays nor objects. */
export function isScalar(value: JsonValue | undefined): boolean {
  return value !== undefined && !isContainer(value);
}

/** More than the largest configurable message. */
const maxBytes = 512 * 1024 * 1024;
/** UTF-8 takes at most this many bytes per UTF-16 code unit. */
const maxBytesPerUnit = 3;

/**
 * Converts a value of more than 1 Mi characters to JSON in UTF-8, with its numbers as they were
 * written. The JSON is compact, unless the value is kept as its original text. Returns `undefined`
 * for smaller values, and if there is not enough memory. Yields to other work meanwhile, whatever
 * the size and depth.
 */
export async function largeJsonOf(value: unknown): Promise<Uint8Array | undefined> {
  if (value instanceof RawJson && value.segments.length === 1) {
    const [only] = value.segments;
    if (only instanceof Uint8Array) return only;
  }
  const beginning: string[] = [];
  let length = 0;
  let bytes: GrowingBytes | undefined;
  const turns = new WorkTurns();
  for (const piece of jsonPieces(value)) {
    length += piece.length;
    if (length <= maxParsedChars) beginning.push(piece);
    else {
      bytes ??= growingBytes(beginning);
      if (bytes === undefined || !write(bytes, piece)) return undefined;
    }
    if (turns.isOver) await turns.giveWay();
  }
  return bytes?.finish();
}

function growingBytes(beginning: readonly string[]): GrowingBytes | undefined {
  try {
    const bytes = new GrowingBytes(maxBytes);
    return beginning.every((piece) => write(bytes, piece)) ? bytes : undefined;
  } catch {
    // There is no contiguous memory of that size.
    return undefined;
  }
}

function write(bytes: GrowingBytes, text: string): boolean {
  const room = bytes.withRoom(text.length * maxBytesPerUnit);
  if (room !== undefined) bytes.length += room.write(text, bytes.length, 'utf8');
  return room !== undefined;
}

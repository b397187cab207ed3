import { withoutTerminalEscapes } from '../bounds/terminalEscapes';
import { binaryFile, guessedTextFile, resourceFile, textFile, untypedFile } from './contentFiles';
import {
  isAppPage,
  ownMeta,
  type FileDraft,
  type FileKind,
  type FilePart,
  type LinkPart,
  type Part,
  type PartNote,
} from './contentParts';
import { documentName, toPathSegment } from './documentNames';
import { assertNever } from '../errors';
import { jsonPieces } from '../json/jsonPieces';
import { jsonTextOf } from '../json/layOutJson';
import { RawJson } from '../json/rawJson';
import { isObject, restOf, isJsonObject, isContainer, type Mutable } from '../json/shapes';
import { agreementOf, isSerialised } from './structuredAgreement';
import { textOf, maxParsedChars } from './textKind';
import type { ContentBlock, ReadResourceResult, ResourceContents, ResourceList } from '../types';
import type { TextData, ToolResult } from '../types';
import { WrittenNumber } from '../json/writtenNumber';
import type { JsonObject, JsonValue } from '../json/jsonValue';

/**
 * A message cannot hold more: V8 limits the length of a string, and base64 is longer than its
 * bytes.
 */
const defaultMaxDecodedBytes = 512 * 1024 * 1024;

export interface PartsContext {
  /** Names the main file, for example after the tool. Untrusted. */
  readonly title: string;
  /** Limits each image, audio block or blob. Defaults to 512 MiB. */
  readonly maxDecodedBytes?: number;
  /** The output of `largeJsonOf` for `structuredContent`. Absent if that is small. */
  readonly structuredJson?: Uint8Array;
}

/**
 * Converts a result into files and links: content in the server's order, then `structuredContent`,
 * then members without a part of their own, then the original of texts that are shown changed.
 * Omits a text block that only repeats `structuredContent`. Never throws: content that
 * cannot be used becomes a text file with a note.
 */
export function toParts(result: ToolResult, context: PartsContext): readonly Part[] {
  const { structuredContent } = result;
  const blocks = withoutRepeated(result.content, structuredContent);
  const drafts = blocks.map((block) => draftOf(block, context));
  const main = mainPlace(blocks, structuredContent);
  if (structuredContent !== undefined) {
    const isSame = blocks.length < result.content.length;
    const notes = structuredNotes(result, isSame);
    drafts.push(structuredFile(result, context.structuredJson, notes));
  }
  const shown = blocks.filter((_, index) => drafts[index]?.kind !== 'unknown');
  const meta = metaOf(result, new Set(shown));
  if (meta !== undefined) drafts.push(jsonFile('meta', jsonTextOf(meta), []));
  return numbered([...drafts, ...textsAsSent(blocks)], main, context);
}

/** Does the same for `resources/read`, which may return several contents or none. */
export function toResourceParts(read: ReadResourceResult, context: PartsContext): readonly Part[] {
  const maxBytes = context.maxDecodedBytes ?? defaultMaxDecodedBytes;
  const drafts = read.contents.map((resource) => {
    const draft = resourceFile(resource, maxBytes);
    return { ...draft, notes: [...draft.notes, ...appNotes(resource)] };
  });
  // The overview says what the page of an app requests, so it opens first.
  const [first, ...others] = drafts;
  const isMain = first !== undefined && others.length === 0 && !isAppPage(first);
  const meta = metaOf({ ...read, content: [] }, new Set());
  const whole = meta === undefined ? drafts : [...drafts, jsonFile('meta', jsonTextOf(meta), [])];
  return numbered(whole, isMain ? 0 : undefined, context);
}

type Draft = Omit<LinkPart, 'number'> | FileDraft;

/** Adds numbers to keep names unique. The main file is named after the tool or resource. */
function numbered(
  drafts: readonly Draft[],
  main: number | undefined,
  { title }: PartsContext,
): readonly Part[] {
  return drafts.map((draft, index): Part => {
    const number = index + 1;
    if (draft.kind === 'link') return { ...draft, number };
    const { stem, extension, content, kind } = draft;
    const own = toPathSegment(stem ?? '', kind);
    const plain = toPathSegment(stem ?? title, own);
    const isMain = index === main;
    // The tool may have the name that the second part would get.
    const isPlain = isMain && (drafts.length === 1 || !/^\d+[-.]/.test(plain));
    const called = isPlain ? plain : `${number}-${own}`;
    const name = `${called}.${extension}`;
    const named = { number, name, documentName: documentName(called, kind, content) };
    return toFilePart(draft, named, isMain);
  });
}

/**
 * Assigns member by member: objects made by spreading each get a shape of their own, which takes
 * more memory than a small part.
 */
function toFilePart(
  { kind, notes, size, read, excerpt, viewer, mimeType, uri, annotations, role }: FileDraft,
  named: Pick<FilePart, 'number' | 'name' | 'documentName'>,
  isMain: boolean,
): FilePart {
  const { number, name, documentName: called } = named;
  const part: Mutable<FilePart> = {
    kind,
    number,
    name,
    documentName: called,
    notes,
    size,
    read,
  };
  if (excerpt !== undefined) part.excerpt = excerpt;
  if (viewer !== undefined) part.viewer = viewer;
  if (mimeType !== undefined) part.mimeType = mimeType;
  if (uri !== undefined) part.uri = uri;
  if (annotations !== undefined) part.annotations = annotations;
  if (role !== undefined) part.role = role;
  if (isMain) part.isMain = true;
  return part;
}

/** A longer text beside an image is more than a caption. */
const maxWordsChars = 2_000;

/** Returns the index of the draft that contains the whole answer, if there is one. */
function mainPlace(
  blocks: readonly ContentBlock[],
  structured: ToolResult['structuredContent'],
): number | undefined {
  if (structured === undefined) return blocks.length === 1 ? 0 : onlyImage(blocks);
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  if (blocks.length === 0) return 0;
  if (texts.length < blocks.length) return undefined;
  const agreement = agreementOf(texts, structured);
  if (agreement === 'same') return 0;
  return agreement === 'items' ? blocks.length : undefined;
}

/** Recognizes an answer of one image with a short text. */
function onlyImage(blocks: readonly ContentBlock[]): number | undefined {
  const images = blocks.flatMap(({ type }, index) => (type === 'image' ? [index] : []));
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const isAll = images.length === 1 && texts.length === blocks.length - 1;
  const chars = texts.reduce((sum, { length }) => sum + length, 0);
  return isAll && chars <= maxWordsChars ? images[0] : undefined;
}

function structuredNotes({ content, structuredContent }: ToolResult, isSame: boolean): PartNote[] {
  if (isSame) return [{ code: 'sameAsText' }];
  if (structuredContent === undefined) return [];
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const isDifferent = agreementOf(texts, structuredContent) === 'different';
  return isDifferent ? [{ code: 'differsFromText' }] : [];
}

/** Returns what no other part of the answer has: `_meta` and unknown members. */
function metaOf(
  result: Omit<ToolResult, 'isError'>,
  shown: ReadonlySet<ContentBlock>,
): object | undefined {
  const { content, rest } = result;
  const meta = ownMeta(result);
  const ofBlocks = content.flatMap((block, index) => {
    const own = shown.has(block) ? restOfShown(block) : block.rest;
    return own === undefined ? [] : [[`content[${index}]`, own] as const];
  });
  if (meta === undefined && rest === undefined && ofBlocks.length === 0) return undefined;
  return {
    ...(meta === undefined ? {} : { _meta: meta }),
    ...rest,
    ...Object.fromEntries(ofBlocks),
  };
}

/** Returns everything except the data of an image that came without a type. */
function restOfShown(block: ContentBlock): object | undefined {
  if (block.type !== 'unknown' || !isObject(block.raw)) return block.rest;
  const { raw } = block;
  return restOf(raw, (name) => name === 'type' || name === 'data' || raw[name] === null);
}

/** Adds the original of texts with terminal escape sequences, which are shown without them. */
function textsAsSent(blocks: readonly ContentBlock[]): readonly FileDraft[] {
  return blocks.flatMap((block, index) => {
    if (block.type !== 'text' || withoutEscapes(block.text) === undefined) return [];
    const note = { code: 'asSent', detail: String(index + 1) } as const;
    return [{ ...textFile('text', block.text, 'txt', [note]), stem: 'as-sent' }];
  });
}

/**
 * Returns `undefined` if there is nothing to remove, and for texts above 1 MiB, which are shown as
 * they are.
 */
function withoutEscapes(data: TextData): string | undefined {
  if (data.length > maxParsedChars) return undefined;
  const text = textOf(data);
  const hasEscapes = text.includes('\u001B') || text.includes('\u009B');
  return hasEscapes ? withoutTerminalEscapes(text) : undefined;
}

function draftOf(block: ContentBlock, context: PartsContext): Draft {
  const draft = draftOfContent(block, context.maxDecodedBytes ?? defaultMaxDecodedBytes);
  const { annotations, role } = block;
  if (annotations === undefined && role === undefined) return draft;
  return { ...draft, ...(annotations && { annotations }), ...(role && { role }) };
}

function draftOfContent(block: ContentBlock, maxDecodedBytes: number): Draft {
  switch (block.type) {
    case 'text': {
      const plain = withoutEscapes(block.text);
      if (plain === undefined) return guessedTextFile('text', block.text);
      const file = guessedTextFile('text', plain);
      return { ...file, notes: [...file.notes, { code: 'escapesRemoved' }] };
    }
    case 'image':
    case 'audio':
      return binaryFile(block.type, block.data, block.mimeType, maxDecodedBytes);
    case 'resource_link': {
      const { type: _, annotations: __, rest: ___, role: ____, name, ...link } = block;
      return { ...link, kind: 'link', linkName: name, notes: [] };
    }
    case 'resource':
      return resourceFile(block.resource, maxDecodedBytes);
    case 'unknown':
      return (
        untypedFile(block.raw, maxDecodedBytes) ??
        jsonFile('unknown', jsonTextOf(block.raw), [{ code: 'unknownType', detail: block.reason }])
      );
    default:
      return assertNever(block);
  }
}

function structuredFile(
  result: ToolResult,
  large: Uint8Array | undefined,
  notes: readonly PartNote[],
): FileDraft {
  if (large !== undefined) return textFile('structured', large, 'json', notes);
  const { structuredContent } = result;
  if (structuredContent instanceof RawJson) {
    const bytes = Buffer.from([...jsonPieces(structuredContent)].join(''));
    return textFile('structured', bytes, 'json', notes);
  }
  return jsonFile('structured', jsonTextOf(result.structuredContent), notes);
}

/** @param text Absent if the value is nested too deeply. */
function jsonFile(kind: FileKind, text: string | undefined, notes: readonly PartNote[]): FileDraft {
  return text === undefined
    ? textFile(kind, '', 'txt', [...notes, { code: 'tooDeep' }])
    : textFile(kind, text, 'json', notes);
}

/** Comparing many texts with a large value takes long, and servers repeat the value once. */
const maxComparedTexts = 16;

function withoutRepeated(
  content: ToolResult['content'],
  structured: ToolResult['structuredContent'],
): readonly ContentBlock[] {
  let compared = 0;
  return content.filter((block) => {
    if (block.type === 'text') compared += 1;
    return compared > maxComparedTexts || !isRepeated(block, structured);
  });
}

/** Servers repeat `structuredContent` as a text block for clients that do not support it. */
function isRepeated(block: ContentBlock, structured: ToolResult['structuredContent']): boolean {
  if (block.type !== 'text' || block.annotations !== undefined || structured === undefined) {
    return false;
  }
  return isSerialised(block.text, structured);
}

const maxBlocks = 16;
const maxChars = 16 * 1024;
const maxValues = 1_000;

/**
 * True for an answer of only texts and a value, with at most 16 Ki characters and 1,000 members. It
 * can be kept as it is, because making its parts takes no time.
 */
export function isSmallResult({ content, structuredContent, meta, rest }: ToolResult): boolean {
  if (content.length > maxBlocks) return false;
  const room = { chars: maxChars, values: maxValues };
  for (const block of content) {
    if (block.type !== 'text' || typeof block.text !== 'string') return false;
    if (!hasRoom(block, room)) return false;
  }
  return [structuredContent, meta, rest].every((value) => hasRoom(value, room));
}

/** Subtracts the size of the value from `room`. Returns false once it is exceeded. */
function hasRoom(value: unknown, room: { chars: number; values: number }): boolean {
  room.values -= 1;
  if (typeof value === 'string') room.chars -= value.length;
  if (room.values < 0 || room.chars < 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (value instanceof WrittenNumber) return hasRoom(String(value), room);
  if (!isContainer(value)) return false;
  for (const name in value) {
    room.chars -= name.length;
    if (!hasRoom(Reflect.get(value, name), room)) return false;
  }
  return true;
}

const pageType = /^text\/html\s*;\s*profile="?mcp-app"?/i;
/** Limits the lines about one page. */
const maxRequests = 20;
/** Limits one line; the count before it includes the rest. */
const maxListed = 30;
const maxValueChars = 200;

/**
 * Says whether a resource is the page of an app, and everything that it asks for by `_meta.ui`:
 * domains of its content security policy, permissions and a domain of its own (SEP-1865). Members
 * that are not known yet are listed, too.
 */
export function appNotes(resource: ResourceContents): readonly PartNote[] {
  if (!isPage(resource)) return [];
  const ui = appRequests(resource) ?? {};
  const { permissions, domain } = ui;
  const requests = [
    ...Object.entries(memberOf(ui, 'csp')),
    ...(permissions === undefined ? [] : [['permissions', permissions] as const]),
    ...(domain === undefined ? [] : [['domain', domain] as const]),
  ];
  const notes = requests.slice(0, maxRequests).flatMap(([name, value]) => noteOf(name, value));
  return [{ code: notes.length === 0 ? 'appWithoutRequests' : 'appPage' }, ...notes];
}

/** Returns what the page of an app requests: of its answer, or else of its entry in the list. */
export function appRequests({ _meta, listedUi }: ResourceContents): JsonObject | undefined {
  return _meta?.['ui'] === undefined ? listedUi : memberOf(_meta, 'ui');
}

/** Adds what only entries of `resources/list` say about pages of apps, if it can be listed. */
export async function withListedUi(
  contents: readonly ResourceContents[],
  list: () => Promise<ResourceList>,
): Promise<readonly ResourceContents[]> {
  if (!contents.some(isUnknown)) return contents;
  const resources = await list().then(
    (listed) => listed.resources,
    () => [],
  );
  return contents.map((each) => {
    const ui = isUnknown(each) ? resources.find(({ uri }) => uri === each.uri)?.ui : undefined;
    return ui === undefined ? each : { ...each, listedUi: ui };
  });
}

function isUnknown(page: ResourceContents): boolean {
  return isPage(page) && appRequests(page) === undefined;
}

function isPage({ uri, mimeType = '' }: ResourceContents): boolean {
  return uri.startsWith('ui://') || pageType.test(mimeType);
}

function memberOf(object: JsonObject | undefined, name: string): JsonObject {
  const member = object?.[name];
  return member !== undefined && isJsonObject(member) ? member : {};
}

function noteOf(name: string, value: JsonValue): readonly PartNote[] {
  const values = Array.isArray(value) ? value : isJsonObject(value) ? Object.keys(value) : [value];
  if (values.length === 0) return [];
  const texts = values.slice(0, maxListed).map((each) => {
    // Anything else is no domain, and may be of any size and depth.
    return typeof each === 'object' ? '{…}' : String(each).slice(0, maxValueChars);
  });
  const more = values.length > maxListed ? ', …' : '';
  const detail = `${name.slice(0, maxValueChars)} (${values.length}): ${texts.join(', ')}${more}`;
  return [{ code: 'appRequest', detail }];
}

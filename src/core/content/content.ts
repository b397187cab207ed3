import { isDeepStrictEqual } from 'node:util';
import { binaryFile, guessedTextFile, resourceFile, textFile } from './contentFiles';
import type { FileDraft, FileKind, LinkPart, Part, PartNote } from './contentParts';
import { assertNever } from '../errors';
import { jsonTextOf } from '../json/jsonText';
import { toPathSegment } from './pathSegment';
import { parseJsonDocument } from './textKind';
import type { ContentBlock, JsonValue, ResourceContents, ToolResult } from '../types';

/** No message can hold more: a string of V8 ends there, and base64 is longer than its bytes. */
const defaultMaxDecodedBytes = 512 * 1024 * 1024;

export interface PartsContext {
  /** Names the file where there is only one: the tool, say. Untrusted. */
  readonly title: string;
  /** For each image, sound or blob; default 512 MiB. */
  readonly maxDecodedBytes?: number;
}

/**
 * Everything that came back, as files and links in the server's order, `structuredContent` last.
 * A text block that is just the serialised `structuredContent` is left out. Nothing throws:
 * what cannot be used becomes a text file with a note.
 */
export function toParts(result: ToolResult, context: PartsContext): readonly Part[] {
  const { structuredContent } = result;
  const blocks = result.content.filter((block) => !isSerialised(block, structuredContent));
  const drafts = blocks.map((block) => draftOf(block, context));
  if (structuredContent !== undefined) drafts.push(jsonFile('structured', structuredContent, []));
  return numbered(drafts, context);
}

/** The same for `resources/read`, which may answer with several contents or none. */
export function toResourceParts(
  contents: readonly ResourceContents[],
  context: PartsContext,
): readonly Part[] {
  const maxBytes = context.maxDecodedBytes ?? defaultMaxDecodedBytes;
  return numbered(
    contents.map((resource) => resourceFile(resource, maxBytes)),
    context,
  );
}

type Draft = Omit<LinkPart, 'number'> | FileDraft;

/** Numbers keep names unique; a single file is called after the tool or resource. */
function numbered(drafts: readonly Draft[], { title }: PartsContext): readonly Part[] {
  return drafts.map((draft, index): Part => {
    const number = index + 1;
    if (draft.kind === 'link') return { ...draft, number };
    const { stem, extension, ...file } = draft;
    const own = toPathSegment(stem ?? '', file.kind);
    const isAlone = drafts.length === 1;
    const name = isAlone ? toPathSegment(stem ?? title, own) : `${number}-${own}`;
    return { ...file, number, name: `${name}.${extension}` };
  });
}

function draftOf(block: ContentBlock, context: PartsContext): Draft {
  const draft = draftOfContent(block, context.maxDecodedBytes ?? defaultMaxDecodedBytes);
  return block.annotations === undefined ? draft : { ...draft, annotations: block.annotations };
}

function draftOfContent(block: ContentBlock, maxDecodedBytes: number): Draft {
  switch (block.type) {
    case 'text':
      return guessedTextFile('text', block.text);
    case 'image':
    case 'audio':
      return binaryFile(block.type, block.data, block.mimeType, maxDecodedBytes);
    case 'resource_link': {
      const { type: _, annotations: __, name, ...link } = block;
      return { ...link, kind: 'link', linkName: name, notes: [] };
    }
    case 'resource':
      return resourceFile(block.resource, maxDecodedBytes);
    case 'unknown':
      return jsonFile('unknown', block.raw, [{ code: 'unknownType', detail: block.reason }]);
    default:
      return assertNever(block);
  }
}

function jsonFile(kind: FileKind, value: unknown, notes: readonly PartNote[]): FileDraft {
  const text = jsonTextOf(value);
  return text === undefined
    ? textFile(kind, '', 'txt', [...notes, { code: 'tooDeep' }])
    : textFile(kind, text, 'json', notes);
}

/** Servers send `structuredContent` as a text block too, for clients that do not know it. */
function isSerialised(block: ContentBlock, structured: JsonValue | undefined): boolean {
  if (block.type !== 'text' || block.annotations !== undefined || structured === undefined) {
    return false;
  }
  const value = parseJsonDocument(block.text);
  try {
    return value !== undefined && isDeepStrictEqual(value, structured);
  } catch {
    // Nested beyond the stack: both are shown.
    return false;
  }
}

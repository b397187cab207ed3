import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { binaryFile, resourceFile } from '../core/content/contentFiles';
import type { FileDraft } from '../core/content/contentParts';
import { toPathSegment } from '../core/content/documentNames';
import { textOf } from '../core/content/textKind';
import { isObject } from '../core/json/shapes';
import type { ContentBlock, ToolResult } from '../core/types';
import type { CliOutput } from './cliOutput';
import { inLine } from './errorMessage';
import { refuseLinks } from './refuseLinks';
import { systemErrorCode } from '../core/bounds/systemError';

interface SavedFiles {
  /** The paths of files that were written, by the place of their block in the content. */
  readonly paths: ReadonlyMap<number, string>;
  /** True if a file could not be written; the result then contains its bytes. */
  readonly hasFailed: boolean;
}

export const nothingSaved: SavedFiles = { paths: new Map(), hasFailed: false };

const maxDecodedBytes = 512 * 1024 * 1024;
/** The search for a free name ends there. */
const maxSameNames = 10_000;

/**
 * Writes images, audio and resources of a result into new files of a folder, byte for byte, and
 * reports each. Content that repeats a secret is not written. Never rejects. `save`: the folder as
 * typed by the user.
 */
export async function saveFiles(
  result: ToolResult,
  { folder, save }: { readonly folder: string; readonly save: string },
  output: CliOutput,
): Promise<SavedFiles> {
  const paths = new Map<number, string>();
  try {
    refuseLinks(folder, save);
    await mkdir(path.resolve(folder, save), { recursive: true });
    for (const [index, block] of result.content.entries()) {
      const draft = draftOf(block);
      if (draft === undefined) continue;
      const bytes = await bytesOf(block, draft);
      const name = toPathSegment(draft.stem ?? '', draft.kind);
      if (holdsSecret(bytes, output)) {
        output.notify(`${name}.${draft.extension} repeats a secret and is not saved.`);
        continue;
      }
      const written = await writeNew(bytes, path.resolve(folder, save), name, draft.extension);
      const shown = path.join(save, written);
      paths.set(index, shown);
      output.notify(`Saved ${inLine(shown)} (${bytes.length} bytes).`);
    }
    return { paths, hasFailed: false };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    output.notify(`Nothing more can be saved in ${inLine(save)}: ${inLine(said)}`);
    return { paths, hasFailed: true };
  }
}

/** Returns the wire result with paths in place of the bytes of written files. */
export function withSavedPaths(wire: object, paths: SavedFiles['paths']): object {
  if (paths.size === 0) return wire;
  if ('toolResult' in wire && isObject(wire.toolResult)) {
    return { toolResult: withSavedPaths(wire.toolResult, paths) };
  }
  const content: readonly unknown[] =
    'content' in wire && Array.isArray(wire.content) ? wire.content : [];
  return {
    ...wire,
    content: content.map((block, index) => {
      const savedAs = paths.get(index);
      return savedAs === undefined || !isObject(block) ? block : withPath(block, savedAs);
    }),
  };
}

function withPath(block: Readonly<Record<string, unknown>>, savedAs: string): object {
  const { data: _, resource, ...rest } = block;
  if (!isObject(resource)) return { ...rest, savedAs };
  const { blob: __, text: ___, ...facts } = resource;
  return { ...rest, resource: { ...facts, savedAs } };
}

function draftOf(block: ContentBlock): FileDraft | undefined {
  if (block.type === 'image' || block.type === 'audio') {
    return binaryFile(block.type, block.data, block.mimeType, maxDecodedBytes);
  }
  if (block.type !== 'resource') return undefined;
  const { text, blob } = block.resource;
  if (text === undefined && blob === undefined) return undefined;
  return resourceFile(block.resource, maxDecodedBytes);
}

/** The draft formats JSON, but a saved text must be unchanged. */
async function bytesOf(block: ContentBlock, draft: FileDraft): Promise<Uint8Array> {
  const text = block.type === 'resource' ? block.resource.text : undefined;
  return text === undefined ? draft.read() : Buffer.from(textOf(text));
}

/** Also searches the base64 text of the bytes. */
function holdsSecret(bytes: Uint8Array, { hasSecrets, redact }: CliOutput): boolean {
  if (!hasSecrets) return false;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (['utf8', 'base64'] as const).some((form) => {
    const text = buffer.toString(form);
    return redact(text) !== text;
  });
}

/**
 * Creates a new file without overwriting anything or following a link. Returns the unused name.
 * @throws {Error} of the file system
 */
async function writeNew(
  bytes: Uint8Array,
  folder: string,
  stem: string,
  extension: string,
): Promise<string> {
  for (let count = 1; count < maxSameNames; count += 1) {
    const name = `${stem}${count === 1 ? '' : `-${count}`}.${extension}`;
    if (await isWritten(path.join(folder, name), bytes)) return name;
  }
  throw new Error(`too many files are called ${stem}`);
}

/** Resolves with false if the file exists already. */
async function isWritten(file: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const handle = await open(file, 'wx');
    try {
      await handle.writeFile(bytes);
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { openRegularFile } from '../../core/bounds/regularFile';
import { wireResult, type WireForms } from '../../core/content/wireResult';
import { jsonPieces, Utf8Text } from '../../core/json/jsonPieces';
import { isObject } from '../../core/json/shapes';
import { parseToolResult } from '../../core/parse/parseResults';
import { NdjsonReader } from '../../core/stdio/ndjsonReader';
import type { ToolResult } from '../../core/types';

/** Ending of the names of answer files: one line, as a server would send it. */
export const answerEnding = '.ndjson';

const wireForms: WireForms = {
  text: (text) => (typeof text === 'string' ? text : new Utf8Text(text)),
  data: (data) => data,
};

/**
 * Writes an answer to a file in slices, so that large ones block nothing. The file is renamed once
 * it is complete. Resolves with its size, or `undefined` above `maxBytes`, when no file is left.
 * Creates the folder. @throws what the file system throws
 */
export async function writeAnswer(
  file: string,
  result: ToolResult,
  maxBytes: number,
): Promise<number | undefined> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  try {
    const bytes = await writePieces(temporary, result, maxBytes);
    if (bytes === undefined) await rm(temporary, { force: true });
    else await rename(temporary, file);
    return bytes;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function writePieces(
  file: string,
  result: ToolResult,
  maxBytes: number,
): Promise<number | undefined> {
  const handle = await open(file, 'wx', 0o600);
  try {
    let bytes = 0;
    const { hasBareStructure } = result;
    for (const piece of jsonPieces({ result: wireResult(result, wireForms), hasBareStructure })) {
      const chunk = Buffer.from(piece);
      bytes += chunk.length;
      if (bytes > maxBytes) return undefined;
      await handle.writeFile(chunk);
    }
    // Synced before the rename, because a power failure could otherwise leave an empty file.
    await handle.sync();
    return bytes;
  } finally {
    await handle.close();
  }
}

/**
 * Reads an answer, and takes large texts and base64 out while parsing, as for a server. The content
 * is untrusted. @throws {Error} if it cannot be read, or is no answer
 */
export async function readAnswer(file: string, maxBytes: number): Promise<ToolResult> {
  const { handle } = await openRegularFile(file);
  return new Promise((resolve, reject) => {
    const stream = handle.createReadStream();
    const reader = new NdjsonReader(stream, {
      maxMessageBytes: maxBytes,
      // Uses the limit that was in force when it was saved.
      maxMessageValues: Infinity,
      onGarbage: () => reject(new Error(`not an answer: '${file}'`)),
    });
    reader.onError(reject);
    reader.onClose(() => {
      reader.dispose();
      reject(new Error(`no answer in '${file}'`));
    });
    reader.listen((message: unknown) => {
      try {
        const { result, hasBareStructure } = isObject(message) ? message : {};
        const mark = { hasBareStructure: true } as const;
        resolve({ ...parseToolResult(result), ...(hasBareStructure === true ? mark : {}) });
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
}

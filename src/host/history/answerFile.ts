import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { openRegularFile } from '../../core/bounds/regularFile';
import { wireResult, type WireForms } from '../../core/content/wireResult';
import { jsonPieces, Utf8Text } from '../../core/json/jsonPieces';
import { isObject } from '../../core/json/shapes';
import { parseToolResult } from '../../core/parse/parseResults';
import { NdjsonReader } from '../../core/stdio/ndjsonReader';
import type { ToolResult } from '../../core/types';
import { writeAtomically } from '../storage/atomicWrite';

/** Ending of the names of answer files: one line, as a server would send it. */
export const answerEnding = '.ndjson';

const wireForms: WireForms = {
  text: (text) => (typeof text === 'string' ? text : new Utf8Text(text)),
  data: (data) => data,
};

class TooLargeAnswer extends Error {}

/**
 * Writes an answer to a file in slices, so that large ones block nothing. Resolves with its size,
 * or `undefined` above `maxBytes`, when the file is not written. Creates the folder.
 * @throws what the file system throws
 */
export async function writeAnswer(
  file: string,
  result: ToolResult,
  maxBytes: number,
): Promise<number | undefined> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const { hasBareStructure } = result;
  const answer = { result: wireResult(result, wireForms), hasBareStructure };
  let bytes = 0;
  try {
    await writeAtomically(file, async (handle) => {
      for (const piece of jsonPieces(answer)) {
        const chunk = Buffer.from(piece);
        bytes += chunk.length;
        if (bytes > maxBytes) throw new TooLargeAnswer();
        await handle.writeFile(chunk);
      }
    });
    return bytes;
  } catch (error) {
    if (error instanceof TooLargeAnswer) return undefined;
    throw error;
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

import { readdir, rm, stat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { ToolResult } from '../../core/types';
import { recordEnding, recordFileName } from '../storage/recordFile';
import { openRegularFile } from '../../core/bounds/regularFile';
import { wireResult, type WireForms } from '../../core/content/wireResult';
import { jsonPieces, Utf8Text } from '../../core/json/jsonPieces';
import { isObject } from '../../core/json/shapes';
import { parseToolResult } from '../../core/parse/parseResults';
import { NdjsonReader } from '../../core/stdio/ndjsonReader';
import { writeAtomically } from '../storage/atomicWrite';
import { ifNotFound } from '../../core/bounds/systemError';

/** Larger than any message; a larger file was not written here. */
const maxReadBytes = 768 * 1024 * 1024;
/** Longer than writing an answer takes before its call is recorded. */
const orphanAfterMs = 60 * 60 * 1_000;

/** Answers of calls, one file each, by the id of the call. */
export class Answers {
  readonly #folder: string;

  /** @param folder created at the first write */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Resolves with the size; `undefined` above `maxBytes`. @throws what the system throws */
  write(callId: string, result: ToolResult, maxBytes: number): Promise<number | undefined> {
    return writeAnswer(this.#fileOf(callId), result, maxBytes);
  }

  /** @throws {Error} if there is none, or it cannot be read */
  read(callId: string): Promise<ToolResult> {
    return readAnswer(this.#fileOf(callId), maxReadBytes);
  }

  /** Resolves when it is gone, or if there was none. @throws what the file system throws */
  async remove(callId: string): Promise<void> {
    await rm(this.#fileOf(callId), { force: true });
  }

  /** Returns true if there is one. Never rejects. */
  async has(callId: string): Promise<boolean> {
    return (await stat(this.#fileOf(callId)).catch(() => undefined)) !== undefined;
  }

  /**
   * Removes all current answers, except those of unfinished calls. Calls `removeRecords` in
   * between, which removes the records and returns their names, and a second time for records that
   * were written meanwhile. @throws what the file system throws, and what it throws
   */
  async removeAll(
    removeRecords: (names?: ReadonlySet<string>) => Promise<readonly string[]>,
  ): Promise<void> {
    const listed = (await this.#names()).filter((name) => name.endsWith(answerEnding));
    const records = new Set(await removeRecords());
    // Another window can finish a call between the two.
    const doomed = new Set([...listed, ...[...records].map(toAnswerName)]);
    for (const name of doomed) await rm(path.join(this.#folder, name), { force: true });
    const late = listed.map(toRecordName).filter((name) => !records.has(name));
    if (late.length > 0) await removeRecords(new Set(late));
  }

  /**
   * Removes answers of windows that ended before they recorded the call, once no window can still
   * be writing it.
   * @throws what the file system throws
   */
  async removeOrphans(callIds: readonly string[]): Promise<void> {
    const known = new Set(callIds.map(nameOf));
    for (const name of (await this.#names()).filter((each) => !known.has(each))) {
      const file = path.join(this.#folder, name);
      const facts = await stat(file).catch(() => undefined);
      if (facts === undefined || Date.now() - facts.mtimeMs <= orphanAfterMs) continue;
      await rm(file, { force: true });
    }
  }

  async #names(): Promise<readonly string[]> {
    return readdir(this.#folder).catch(ifNotFound<string[]>([]));
  }

  #fileOf(callId: string): string {
    return path.join(this.#folder, nameOf(callId));
  }
}

function nameOf(callId: string): string {
  return toAnswerName(recordFileName(callId));
}

function toAnswerName(record: string): string {
  return record.replace(/\.json$/, answerEnding);
}

function toRecordName(answer: string): string {
  return answer.slice(0, -answerEnding.length) + recordEnding;
}

/** Ending of the names of answer files: one line, as a server would send it. */
const answerEnding = '.ndjson';

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

import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  isTemporary,
  readRecordFile,
  recordEnding,
  recordFileName,
  removeLeftover,
  writeRecordFile,
} from '../storage/recordFile';
import { parseRecordBytes, recordText } from '../storage/recordText';
import { type LastToolsRecord, maxRecordBytes, parseLastTools } from './lastToolsRecord';
import { latestFirst } from '../storage/latestFirst';

export interface LastToolsLimits {
  readonly maxServers: number;
  readonly maxBytes: number;
}

const usualLimits: LastToolsLimits = { maxServers: 200, maxBytes: 32 * 1024 * 1024 };

/** A file for each server, which several windows share: the last one to list a server is right. */
export class LastToolsFolder {
  readonly #folder: string;
  readonly #limits: LastToolsLimits;

  /** Made at the first write. */
  constructor(folder: string, limits = usualLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** `undefined` where nothing that can be used is kept. Never rejects. */
  async read(key: string): Promise<LastToolsRecord | undefined> {
    const name = recordFileName(key);
    try {
      const content = await readRecordFile(path.join(this.#folder, name), maxRecordBytes);
      const parsed = parseRecordBytes(content, name, parseLastTools);
      return parsed.kind === 'record' && parsed.key === key ? parsed.record : undefined;
    } catch {
      // Nothing was kept, or it is not ours to read: the server tells it again when it runs.
      return undefined;
    }
  }

  /** Then the oldest go that are too many. @throws what the file system throws */
  async write(key: string, record: LastToolsRecord): Promise<void> {
    await writeRecordFile(path.join(this.#folder, recordFileName(key)), recordText(key, record));
    await this.#trim();
  }

  /** @throws what the file system throws */
  async remove(key: string): Promise<void> {
    await rm(path.join(this.#folder, recordFileName(key)), { force: true });
  }

  async #trim(): Promise<void> {
    const names = await readdir(this.#folder);
    const files: { readonly file: string; readonly at: number; readonly bytes: number }[] = [];
    for (const name of names) {
      const file = path.join(this.#folder, name);
      if (isTemporary(name)) await removeLeftover(file);
      if (!name.endsWith(recordEnding)) continue;
      // Another window may have removed it.
      const facts = await stat(file).catch(() => undefined);
      if (facts !== undefined) files.push({ file, at: facts.mtimeMs, bytes: facts.size });
    }
    let bytes = 0;
    for (const [index, each] of latestFirst(files, ({ at }) => at).entries()) {
      bytes += each.bytes;
      const isOver = index >= this.#limits.maxServers || bytes > this.#limits.maxBytes;
      if (isOver) await rm(each.file, { force: true });
    }
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { McpClient } from '../../src/core/client';
import { isSpooled } from '../../src/host/results/resultSpool';
import { clientOverHttp, clientOverStdio } from './adapter';
import { openGate } from './gateSubject';
import { keepingIn, type KeptResult } from './keptResults';
import type { OpeningSubject } from './subject';

// The product beyond its core, for the rows in which an answer is opened.

/**
 * Calls by the product's way, from the wire to what the file system of results hands out: the gate,
 * the journal, the history, files of the parts, the disk. All of it is in `folder`.
 */
export async function keeperOf(connect: () => Promise<McpClient>, folder: string) {
  const gate = await openGate([], { connect, base: folder });
  const keeping = keepingIn(folder, 256 * 1024 * 1024);
  const keep = async (tool: string): Promise<KeptResult> => {
    const outcome = await gate.call(tool, { text: '' });
    if (outcome.kind !== 'result') throw new Error(outcome.kind);
    // As `Results` does.
    await new Promise((resolve) => setImmediate(resolve));
    return keeping.keep(tool, outcome.result);
  };
  return { keep, close: gate.close };
}

/** Opens what is opened first, and then all of it, as Open Full and Save As… read it. */
async function toSubject(connect: () => Promise<McpClient>): Promise<OpeningSubject> {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-bench-'));
  const { keep, close } = await keeperOf(connect, folder);
  return {
    open: async (tool) => {
      const { parts, names, read } = await keep(tool);
      await read(names.at(-1) ?? '');
      for (const part of parts) if (isSpooled(part)) await part.spooled.settled;
      await read(names[0] ?? '');
    },
    close: async () => {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}

export const connectStdio = (command: string, args: readonly string[]): Promise<OpeningSubject> =>
  toSubject(() => clientOverStdio(command, args));

export const connectHttp = (url: string): Promise<OpeningSubject> =>
  toSubject(() => clientOverHttp(url));

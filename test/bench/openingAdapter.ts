import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { McpClient } from '../../src/core/client';
import { clientOverHttp, clientOverStdio } from './clients';
import { openerOf } from './opened';
import type { OpeningSubject } from './subject';

// The product beyond its core, for the rows in which an answer is opened.

function toSubject(client: McpClient): OpeningSubject {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-bench-'));
  return {
    opener: () => openerOf(client, folder),
    close: async () => {
      await client.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export async function connectStdio(
  command: string,
  args: readonly string[],
): Promise<OpeningSubject> {
  return toSubject(await clientOverStdio(command, args));
}

export async function connectHttp(url: string): Promise<OpeningSubject> {
  return toSubject(await clientOverHttp(url));
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Each time a folder of this name that is not made yet, in one of its own; gone after the suite. */
export function useFolders(name: string): () => string {
  const made: string[] = [];
  after(() => {
    for (const folder of made) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = mkdtempSync(path.join(tmpdir(), `${name}-`));
    made.push(folder);
    return path.join(folder, name);
  };
}

import { toParts } from '../../src/core/content/content';
import { largeJsonOf } from '../../src/core/content/largeJson';
import type { Part } from '../../src/core/content/contentParts';
import type { ToolResult } from '../../src/core/types';
import { filesOf, ResultSpool } from '../../src/host/results/resultSpool';
import { ResultStore } from '../../src/host/results/resultStore';
import { SpoolFolder } from '../../src/host/results/spoolFolder';

/** What a result became: its parts, and the names of its files. */
export interface KeptResult {
  readonly path: string;
  readonly parts: readonly Part[];
  readonly names: readonly string[];
}

/** Keeps what calls bring as `Results` does, as far as it needs no window. `folder` is for what is large. */
export function keepingIn(folder: string, budgetBytes: number) {
  const spool = new ResultSpool({
    folder: new SpoolFolder(folder),
    aboveBytes: () => 8 * 1024 * 1024,
    onError: (error) => {
      throw error;
    },
  });
  const store = new ResultStore({ budgetBytes, isOpen: () => false });
  const keep = async (tool: string, result: ToolResult): Promise<KeptResult> => {
    const structuredJson = await largeJsonOf(result.structuredContent);
    const parts = spool.spool(
      toParts(result, {
        title: tool,
        ...(structuredJson === undefined ? {} : { structuredJson }),
      }),
    );
    const files = parts.flatMap(filesOf);
    const { path } = store.addCall(tool, { serverId: 'bench', createdAt: Date.now(), files });
    return { path, parts, names: files.map(({ name }) => name) };
  };
  return { store, keep };
}

import { toParts } from '../../src/core/content/content';
import { largeJsonOf } from '../../src/core/content/contentFiles';
import type { Part } from '../../src/core/content/contentParts';
import type { ToolResult } from '../../src/core/types';
import { filesOfPart, ResultSpool, WindowFolder } from '../../src/host/results/resultSpool';
import { ResultStore } from '../../src/host/results/resultStore';

/** What a call brought, as the file system of results hands it out. */
export interface KeptResult {
  readonly parts: readonly Part[];
  /** Names of all files: each part, and beside a large text its beginning. */
  readonly names: readonly string[];
  readonly read: (name: string) => Promise<Uint8Array>;
}

/** Keeps what calls bring as `Results` does, as far as it needs no window. `folder` is for what is large. */
export function keepingIn(folder: string, budgetBytes: number) {
  const spool = new ResultSpool({
    folder: new WindowFolder(folder),
    aboveBytes: () => 8 * 1024 * 1024,
    onError: (error) => {
      throw error;
    },
  });
  const store = new ResultStore({ budgetBytes, isOpen: () => false });
  const keep = async (tool: string, result: ToolResult): Promise<KeptResult> => {
    const structuredJson = await largeJsonOf(result.structuredContent);
    const large = structuredJson === undefined ? {} : { structuredJson };
    const parts = spool.spool(toParts(result, { title: tool, ...large }));
    const files = parts.flatMap(filesOfPart);
    const { path } = store.addCall(tool, { serverId: 'bench', createdAt: Date.now(), files });
    const read = async (name: string): Promise<Uint8Array> => {
      const node = store.find(`${path}/${name}`);
      if (node?.kind !== 'file') throw new Error('no file');
      return node.file.read();
    };
    return { parts, names: files.map(({ name }) => name), read };
  };
  return { keep };
}

import { parseTool } from '../../core/parse/parseTool';
import { isObject } from '../../core/json/shapes';
import type { Tool } from '../../core/types';
import { keptText, parseKept } from '../consent/pins/pinDefinition';
import { Turns } from '../consent/pins/pinTurns';

/** What a server listed when it ran last. */
export interface LastToolsRecord {
  /** Of how it was configured then: another program is another server. */
  readonly hash: string;
  /** Epoch ms. */
  readonly listedAt: number;
  /** One definition each, as JSON; see `keptText`. */
  readonly tools: readonly string[];
}

/** Of one server; the rest of a longer list is not kept. */
const maxTools = 2_000;
const maxChars = 1_000_000;
/** Escapes can make each character six. */
export const maxRecordBytes = 8 * 1024 * 1024;

/** The beginning of a list, as much of it as is kept; made in slices. */
export async function toRecord(
  hash: string,
  tools: readonly Tool[],
  now: number,
): Promise<LastToolsRecord> {
  const turns = new Turns();
  const kept: string[] = [];
  let chars = 0;
  for (const tool of tools.slice(0, maxTools)) {
    if (turns.isOver) await turns.next();
    const text = keptText(tool);
    chars += text.length;
    if (chars > maxChars) break;
    kept.push(text);
  }
  return { hash, listedAt: now, tools: kept };
}

/** `undefined`: that is no record. */
export function parseLastTools(value: unknown): LastToolsRecord | undefined {
  if (!isObject(value)) return undefined;
  const { hash, listedAt, tools } = value;
  if (typeof hash !== 'string' || !Number.isFinite(listedAt) || !Array.isArray(tools)) {
    return undefined;
  }
  const texts: unknown[] = tools;
  return {
    hash,
    listedAt: Number(listedAt),
    tools: texts.slice(0, maxTools).filter((text) => typeof text === 'string'),
  };
}

/** The definitions, parsed like those of a server; what is none is left out. */
export async function toolsOf({ tools }: LastToolsRecord): Promise<readonly Tool[]> {
  const turns = new Turns();
  const parsed: Tool[] = [];
  for (const text of tools) {
    if (turns.isOver) await turns.next();
    const kept = parseKept(text);
    if (kept === undefined) continue;
    // A schema that was too large to be kept is read again before anything is called.
    const isCut = kept.cut.inputSchema !== undefined;
    parsed.push(isCut ? parseTool({ ...kept.tool, inputSchema: { type: 'object' } }) : kept.tool);
  }
  return parsed;
}

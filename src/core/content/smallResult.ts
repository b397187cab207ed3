import { isContainer } from '../json/leaves';
import { WrittenNumber } from '../json/writtenNumber';
import type { ToolResult } from '../types';

const maxBlocks = 16;
const maxChars = 16 * 1024;
const maxValues = 1_000;

/**
 * True for an answer of only texts and a value, with at most 16 Ki characters and 1,000 members. It
 * can be kept as it is, because making its parts takes no time.
 */
export function isSmallResult({ content, structuredContent, meta, rest }: ToolResult): boolean {
  if (content.length > maxBlocks) return false;
  const room = { chars: maxChars, values: maxValues };
  for (const block of content) {
    if (block.type !== 'text' || typeof block.text !== 'string') return false;
    if (!hasRoom(block, room)) return false;
  }
  return [structuredContent, meta, rest].every((value) => hasRoom(value, room));
}

/** Subtracts the size of the value from `room`. Returns false once it is exceeded. */
function hasRoom(value: unknown, room: { chars: number; values: number }): boolean {
  room.values -= 1;
  if (typeof value === 'string') room.chars -= value.length;
  if (room.values < 0 || room.chars < 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (value instanceof WrittenNumber) return hasRoom(String(value), room);
  if (!isContainer(value)) return false;
  for (const name in value) {
    room.chars -= name.length;
    if (!hasRoom(Reflect.get(value, name), room)) return false;
  }
  return true;
}

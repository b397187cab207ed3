import { isContainer } from '../json/leaves';
import { WrittenNumber } from '../json/writtenNumber';
import type { ToolResult } from '../types';

const maxBlocks = 16;
const maxChars = 16 * 1024;
const maxValues = 1_000;

/**
 * Whether an answer is nothing but texts and a value, of at most 16 Ki characters and 1,000 members
 * together: it can be kept as it is, and its parts be made in no time.
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

/** Takes what the value needs out of `room`; false as soon as that is not there. */
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

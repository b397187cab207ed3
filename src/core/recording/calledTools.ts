import type { UnknownObject } from '../json/shapes';

const maxTools = 1_000;
const description = 'Was called in the recording, which does not hold its definition.';

/**
 * Makes an answer to `tools/list` from the called tools, for recordings without one. Only the names
 * of these tools are known. Returns `undefined` if no tool was called.
 */
export function calledTools(calls: readonly UnknownObject[]): object | undefined {
  const names = new Set(
    calls.flatMap(({ name }) => (typeof name === 'string' && name !== '' ? [name] : [])),
  );
  if (names.size === 0) return undefined;
  const tools = [...names]
    .slice(0, maxTools)
    .map((name) => ({ name, description, inputSchema: { type: 'object' } }));
  return { tools };
}

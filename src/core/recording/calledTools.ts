import type { UnknownObject } from '../json/shapes';

const maxTools = 1_000;
const description = 'Was called in the recording, which does not hold its definition.';

/**
 * The answer to `tools/list` where a recording has none, because who recorded calls a tool without
 * looking: the tools that were called, of which no more is known than that. `undefined` where none was.
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

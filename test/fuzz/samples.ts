import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject, JsonValue } from '../../src/core/json/jsonValue';
import { projectFolder } from '../vscode/paths';

const fixtures = path.join(projectFolder, 'test/fixtures');

function textsIn(folder: string): string[] {
  const names = readdirSync(path.join(fixtures, folder));
  return names.map((name) => readFileSync(path.join(fixtures, folder, name), 'utf8'));
}

/** Small enough that a thousand of them are read in a second. */
const maxSampleChars = 6_000;

/** Messages, results and definitions, from the specification's own examples: by the type of each. */
export const protocolExamples: ReadonlyMap<string, readonly JsonValue[]> = (() => {
  const { examples }: { examples: Record<string, JsonValue> } = JSON.parse(
    readFileSync(path.join(fixtures, 'mcp-schema/examples-2026-07-28.json'), 'utf8'),
  );
  const byType = new Map<string, JsonValue[]>();
  for (const [name, example] of Object.entries(examples)) {
    const type = name.split('/', 1)[0] ?? '';
    byType.set(type, [...(byType.get(type) ?? []), example]);
  }
  return byType;
})();

/** The examples of these types; at least one. */
export function examplesOf(...types: readonly string[]): readonly JsonValue[] {
  const found = types.flatMap((type) => protocolExamples.get(type) ?? []);
  if (found.length === 0) throw new Error(`no example of ${types.join(', ')}`);
  return found;
}

/** Every example that is a message as it goes over the wire. */
export const messages: readonly JsonValue[] = [...protocolExamples.values()]
  .flat()
  .filter((example) => JSON.stringify(example).includes('"jsonrpc"'));

/** The input schemas of tools of well-known servers. */
export const schemas: readonly JsonObject[] = textsIn('schemas').flatMap((text) => {
  const tools: { readonly schema: JsonObject }[] = JSON.parse(text);
  return tools
    .map(({ schema }) => schema)
    .filter((schema) => JSON.stringify(schema).length < maxSampleChars);
});

/** Configurations of servers in both formats, and those of other clients. */
export const configurations: readonly string[] = [
  ...textsIn('configurations'),
  ...textsIn('clients'),
].filter((text) => text.length < maxSampleChars);

import { isJsonObject } from '../core/json/shapes';
import type { JsonObject, JsonValue } from '../core/json/jsonValue';
import type { Tool } from '../core/types';
import { inLine } from './errorMessage';

const maxDepth = 50;
const maxProblems = 20;
/** https://github.com/google-gemini/gemini-cli/issues/2966 */
const geminiName = /^[A-Za-z_][\w.-]{0,63}$/;

/**
 * Says which clients are known to refuse the definition of a tool that MCP allows, and why. Each check
 * has a report of the refusal as its source.
 */
export function portabilityProblems({ name, inputSchema, outputSchema }: Tool): readonly string[] {
  const found: string[] = [];
  if (!geminiName.test(name)) {
    found.push(
      'Gemini refuses the name: it takes 1 to 64 letters, digits, "_", "-" and ".", and no digit first.',
    );
  }
  // https://github.com/anthropics/claude-code/issues/5319
  const combined = ['oneOf', 'anyOf', 'allOf'].filter((key) => Object.hasOwn(inputSchema, key));
  if (combined.length > 0) {
    found.push(
      `The Anthropic API (Claude Code) refuses ${combined.join(', ')} at the top of inputSchema.`,
    );
  }
  // https://github.com/sigoden/aichat/pull/1049, https://github.com/agentscope-ai/ReMe/issues/84
  for (const place of arraysWithoutItems(inputSchema)) {
    found.push(`OpenAI and VS Code refuse an array without "items": inputSchema${inLine(place)}.`);
  }
  // https://github.com/opentokenz/mcpx/issues/28
  if (
    outputSchema !== undefined &&
    (outputSchema === false || outputSchema === true || outputSchema['type'] !== 'object')
  ) {
    found.push(
      'The official TypeScript SDK refuses the whole list: outputSchema has no "type": "object".',
    );
  }
  return found.slice(0, maxProblems);
}

/** Returns pointers to schemas. Keywords whose values are no schemas are not entered. */
function arraysWithoutItems(schema: JsonObject): readonly string[] {
  const found: string[] = [];
  const visit = (value: JsonValue, place: string, depth: number): void => {
    if (!isJsonObject(value) || depth > maxDepth || found.length === maxProblems) return;
    const { type, items, prefixItems } = value;
    const isArray = type === 'array' || (Array.isArray(type) && type.includes('array'));
    if (isArray && items === undefined && prefixItems === undefined) found.push(place);
    for (const key of ['properties', '$defs', 'definitions']) {
      const { [key]: schemas } = value;
      if (!isJsonObject(schemas)) continue;
      for (const [each, below] of Object.entries(schemas)) {
        visit(below, `${place}/${key}/${each}`, depth + 1);
      }
    }
    for (const key of ['items', 'additionalProperties', 'not']) {
      visit(value[key] ?? true, `${place}/${key}`, depth + 1);
    }
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      const { [key]: schemas } = value;
      if (!Array.isArray(schemas)) continue;
      schemas.forEach((each, index) => visit(each, `${place}/${key}/${index}`, depth + 1));
    }
  };
  visit(schema, '', 0);
  return found;
}

import { boundedJson, isObject, stringOrAbsent, asJsonObject } from './shapes';
import type { UnknownObject } from './shapes';
import type { JsonObject, Tool, ToolAnnotations, ToolProblem, ToolProblemCode } from './types';

const maxDetailChars = 200;
const usualName = /^[A-Za-z0-9_.-]{1,128}$/;
const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Annotation keys, in lower case and without `_`, `-` and `hint`, that people take for hints. */
const lookAlikes: ReadonlySet<string> = new Set([
  'readonly',
  'destructive',
  'idempotent',
  'openworld',
  'requiresconfirmation',
  'requireconfirmation',
  'confirmation',
  'requiresapproval',
  'dangerous',
  'safe',
]);

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * One entry of `tools/list`, whatever it is: what cannot be called says why. Never throws.
 *
 * Spec: 2025-11-25 server/tools#tool
 */
export function parseTool(value: unknown): Tool {
  if (!isObject(value)) return brokenTool(value);
  const problems: ToolProblem[] = [];
  const note = (code: ToolProblemCode, detail: string): void => {
    problems.push({ code, detail: detail.slice(0, maxDetailChars) });
  };

  const name = parseName(value.name, note);
  const inputSchema = parseInputSchema(value.inputSchema, note);
  const tool: Writable<Tool> = {
    name: name ?? '',
    inputSchema: inputSchema ?? {},
    annotations: parseAnnotations(value.annotations, note),
    callable: name !== undefined && inputSchema !== undefined,
    problems,
  };
  const title = parseText(value, 'title', note);
  if (title !== undefined) tool.title = title;
  const description = parseText(value, 'description', note);
  if (description !== undefined) tool.description = description;
  const outputSchema = parseOutputSchema(value.outputSchema, note);
  if (outputSchema !== undefined) tool.outputSchema = outputSchema;
  return tool;
}

/** The same tool as a later twin of one with its name: shown, never called. */
export function asDuplicate(tool: Tool): Tool {
  const problem: ToolProblem = {
    code: 'nameDuplicate',
    detail: tool.name.slice(0, maxDetailChars),
  };
  return { ...tool, callable: false, problems: [...tool.problems, problem] };
}

type Note = (code: ToolProblemCode, detail: string) => void;

function brokenTool(value: unknown): Tool {
  return {
    name: '',
    inputSchema: {},
    annotations: {},
    callable: false,
    problems: [{ code: 'notAnObject', detail: boundedJson(value, maxDetailChars) }],
  };
}

function parseName(name: unknown, note: Note): string | undefined {
  if (typeof name !== 'string' || name === '') {
    note('nameMissing', boundedJson(name, maxDetailChars));
    return undefined;
  }
  if (!usualName.test(name)) note('nameUnusual', name);
  return name;
}

/** A missing root `type` is read as `object`; any other type than that is this tool's error. */
function parseInputSchema(schema: unknown, note: Note): JsonObject | undefined {
  if (schema === undefined || schema === null) {
    note('inputSchemaMissing', 'inputSchema');
    return undefined;
  }
  const type = isObject(schema) ? schema.type : undefined;
  const isForObjects =
    type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isObject(schema) || !isForObjects) {
    note('inputSchemaNotObject', boundedJson(isObject(schema) ? type : schema, maxDetailChars));
    return undefined;
  }
  return asJsonObject(schema);
}

function parseOutputSchema(schema: unknown, note: Note): JsonObject | boolean | undefined {
  if (schema === undefined || schema === null) return undefined;
  if (typeof schema === 'boolean') return schema;
  if (isObject(schema)) return asJsonObject(schema);
  note('outputSchemaNotObject', boundedJson(schema, maxDetailChars));
  return undefined;
}

function parseText(owner: UnknownObject, field: string, note: Note): string | undefined {
  const text = owner[field];
  if (typeof text !== 'string' && text !== undefined && text !== null) note('fieldIgnored', field);
  return stringOrAbsent(text);
}

function parseAnnotations(value: unknown, note: Note): ToolAnnotations {
  const annotations: Writable<ToolAnnotations> = {};
  if (value === undefined || value === null) return annotations;
  if (!isObject(value)) {
    note('fieldIgnored', 'annotations');
    return annotations;
  }
  for (const hint of hints) {
    const claim = value[hint];
    if (typeof claim === 'boolean') annotations[hint] = claim;
    else if (claim !== undefined && claim !== null) note('annotationIgnored', hint);
  }
  const title = stringOrAbsent(value.title);
  if (title !== undefined) annotations.title = title;
  for (const key of Object.keys(value)) {
    if (isLookAlike(key)) note('annotationIgnored', key);
  }
  return annotations;
}

function isLookAlike(key: string): boolean {
  if (key.length > 40 || hints.some((hint) => hint === key)) return false;
  return lookAlikes.has(key.toLowerCase().replace(/[_-]/g, '').replace(/hint$/, ''));
}

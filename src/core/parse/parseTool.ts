import { isDeeperThan, parseIcons } from './parsers';
import { boundedJson } from '../json/boundedJson';
import { isJsonObject, isObject, stringOrAbsent } from '../json/shapes';
import type { UnknownObject, Mutable } from '../json/shapes';
import type {
  Tool,
  ToolAnnotations,
  ToolApp,
  ToolProblem,
  ToolProblemCode,
  ListProblem,
  ToolList,
} from '../types';
import { setImmediate } from 'node:timers/promises';
import { listPages, type GrowingList, type ReadPage } from './listPages';

const maxDetailChars = 200;
/** Hand-written schemas have fewer than thirty; the validator refuses more than 200. */
const maxSchemaLevels = 500;
const usualName = /^[A-Za-z0-9_.-]{1,128}$/;

/** Annotation keys that look like hints, in lower case and without `_`, `-` and `hint`. */
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

// Shared by all tools without problems, because a list may have ten thousand tools.
const noProblems: readonly ToolProblem[] = Object.freeze([]);
const noAnnotations: ToolAnnotations = Object.freeze({});

type GrowingTool = Mutable<Tool>;

/**
 * Parses one entry of `tools/list`. An entry that cannot be called says why. Never throws.
 * @param levels An upper limit for its depth, if it is known.
 *
 * Spec: 2025-11-25 server/tools#tool
 */
export function parseTool(value: unknown, levels = Infinity): Tool {
  return (isObject(value) ? parseGoodTool(value, levels) : undefined) ?? parseOddTool(value);
}

/**
 * Parses a tool without any problem, which nearly all are. Creates a single object and reuses the
 * received schemas and annotations: while a long list is parsed, the memory for new objects is full
 * of its JSON, and each further object triggers the garbage collection earlier.
 */
function parseGoodTool(value: UnknownObject, levels: number): Tool | undefined {
  const { name, title, description, inputSchema, outputSchema } = value;
  if (typeof name !== 'string' || !usualName.test(name)) return undefined;
  if (!isJsonObject(inputSchema) || inputSchema.type !== 'object') return undefined;
  if (typeof title !== 'string' && title !== undefined) return undefined;
  if (typeof description !== 'string' && description !== undefined) return undefined;
  if (outputSchema !== undefined && !isJsonObject(outputSchema)) return undefined;
  // Looking at each schema would cost a fifth of the time for a long list.
  if (levels > maxSchemaLevels) {
    if (isDeeperThan(maxSchemaLevels, inputSchema)) return undefined;
    if (isDeeperThan(maxSchemaLevels, outputSchema)) return undefined;
  }
  const annotations = value.annotations ?? noAnnotations;
  if (!isGoodAnnotations(annotations)) return undefined;

  const icons = value.icons === undefined ? undefined : parseIcons(value.icons);
  const callable = true;
  const problems = noProblems;
  const taskSupport = taskSupportOf(value.execution);
  const app = value['_meta'] === undefined ? undefined : toolAppOf(value['_meta']);
  const hasMore =
    outputSchema !== undefined || icons !== undefined || (taskSupport ?? app) !== undefined;
  if (title !== undefined && description !== undefined && !hasMore) {
    return { name, title, description, inputSchema, annotations, callable, problems };
  }
  const tool: GrowingTool = { name, inputSchema, annotations, callable, problems };
  if (title !== undefined) tool.title = title;
  if (description !== undefined) tool.description = description;
  if (outputSchema !== undefined) tool.outputSchema = outputSchema;
  if (icons !== undefined) tool.icons = icons;
  if (taskSupport !== undefined) tool.taskSupport = taskSupport;
  if (app !== undefined) tool.app = app;
  return tool;
}

/** Longer URIs are not read. */
const maxAppUriChars = 2_048;

/** Reads `_meta.ui`, and the older flat key `ui/resourceUri`. */
function toolAppOf(meta: unknown): ToolApp | undefined {
  if (!isObject(meta)) return undefined;
  const ui = isObject(meta['ui']) ? meta['ui'] : {};
  const uri = [ui['resourceUri'], meta['ui/resourceUri']].find(
    (each) => typeof each === 'string' && each.startsWith('ui://') && each.length <= maxAppUriChars,
  );
  const visibility = ui['visibility'];
  const isForAppOnly = Array.isArray(visibility) && !visibility.includes('model');
  if (uri === undefined && !isForAppOnly) return undefined;
  return {
    ...(typeof uri === 'string' ? { resourceUri: uri } : {}),
    ...(isForAppOnly ? { isForAppOnly } : {}),
  };
}

/** Any other value means `forbidden`, the default. */
function taskSupportOf(execution: unknown): Tool['taskSupport'] {
  const support = isObject(execution) ? execution.taskSupport : undefined;
  return support === 'optional' || support === 'required' ? support : undefined;
}

/** True if nothing in it has to be reported or left out. */
function isGoodAnnotations(value: unknown): value is ToolAnnotations {
  if (!isObject(value)) return false;
  // Does not create a list of the keys, which would be one more object. There are no inherited
  // keys.
  for (const key in value) {
    switch (key) {
      case 'readOnlyHint':
      case 'destructiveHint':
      case 'idempotentHint':
      case 'openWorldHint':
        if (typeof value[key] !== 'boolean') return false;
        break;
      case 'title':
        if (typeof value[key] !== 'string') return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

function parseOddTool(value: unknown): Tool {
  const tool: GrowingTool = {
    name: '',
    inputSchema: {},
    annotations: noAnnotations,
    callable: false,
    problems: noProblems,
  };
  if (!isObject(value)) {
    note(tool, 'notAnObject', boundedJson(value, maxDetailChars));
    return tool;
  }
  const hasName = takeName(tool, value.name);
  const hasSchema = takeInputSchema(tool, value.inputSchema);
  tool.callable = hasName && hasSchema;
  takeText(tool, 'title', value.title);
  takeText(tool, 'description', value.description);
  takeOutputSchema(tool, value.outputSchema);
  takeAnnotations(tool, value.annotations);
  const icons = parseIcons(value.icons);
  if (icons !== undefined) tool.icons = icons;
  const taskSupport = taskSupportOf(value.execution);
  if (taskSupport !== undefined) tool.taskSupport = taskSupport;
  const app = toolAppOf(value['_meta']);
  if (app !== undefined) tool.app = app;
  return tool;
}

/** Marks a tool whose name an earlier tool has: it is shown but never called. */
function asDuplicate(tool: Tool): Tool {
  const twin: GrowingTool = { ...tool, callable: false };
  note(twin, 'nameDuplicate', tool.name);
  return twin;
}

function note(tool: GrowingTool, code: ToolProblemCode, detail: string): void {
  tool.problems = [...tool.problems, { code, detail: detail.slice(0, maxDetailChars) }];
}

function takeName(tool: GrowingTool, name: unknown): boolean {
  if (typeof name !== 'string' || name === '') {
    note(tool, 'nameMissing', boundedJson(name, maxDetailChars));
    return false;
  }
  tool.name = name;
  if (!usualName.test(name)) note(tool, 'nameUnusual', name);
  return true;
}

/** A missing root `type` is read as `object`; any other type makes the tool unusable. */
function takeInputSchema(tool: GrowingTool, schema: unknown): boolean {
  if (schema === undefined || schema === null) {
    note(tool, 'inputSchemaMissing', 'inputSchema');
    return false;
  }
  const type = isObject(schema) ? schema.type : undefined;
  const isForObjects =
    type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isJsonObject(schema) || !isForObjects) {
    note(tool, 'inputSchemaNotObject', boundedJson(type ?? schema, maxDetailChars));
    return false;
  }
  if (isDeeperThan(maxSchemaLevels, schema)) {
    note(tool, 'schemaTooDeep', 'inputSchema');
    return false;
  }
  tool.inputSchema = schema;
  return true;
}

function takeOutputSchema(tool: GrowingTool, schema: unknown): void {
  if (schema === undefined || schema === null) return;
  if (isDeeperThan(maxSchemaLevels, schema)) note(tool, 'schemaTooDeep', 'outputSchema');
  else if (typeof schema === 'boolean' || isJsonObject(schema)) tool.outputSchema = schema;
  else note(tool, 'outputSchemaNotObject', boundedJson(schema, maxDetailChars));
}

function takeText(tool: GrowingTool, field: 'title' | 'description', text: unknown): void {
  if (typeof text === 'string') tool[field] = text;
  else if (text !== undefined && text !== null) note(tool, 'fieldIgnored', field);
}

/** Accepts only booleans under the specification's names. */
function takeAnnotations(tool: GrowingTool, value: unknown): void {
  if (value === undefined || value === null) return;
  if (!isObject(value)) {
    note(tool, 'fieldIgnored', 'annotations');
    return;
  }
  const annotations: Mutable<ToolAnnotations> = {};
  for (const key of Object.keys(value)) {
    switch (key) {
      case 'readOnlyHint':
      case 'destructiveHint':
      case 'idempotentHint':
      case 'openWorldHint': {
        const claim = value[key];
        if (typeof claim === 'boolean') annotations[key] = claim;
        else if (claim !== null) note(tool, 'annotationIgnored', key);
        break;
      }
      case 'title':
        takeTitle(annotations, value);
        break;
      default:
        if (isLookAlike(key)) note(tool, 'annotationIgnored', key);
    }
  }
  tool.annotations = annotations;
}

function takeTitle(annotations: Mutable<ToolAnnotations>, value: UnknownObject): void {
  const title = stringOrAbsent(value.title);
  if (title !== undefined) annotations.title = title;
}

function isLookAlike(key: string): boolean {
  // The server chooses the length of a key; longer ones cannot match.
  if (key.length > 40) return false;
  return lookAlikes.has(key.toLowerCase().replace(/[_-]/g, '').replace(/hint$/, ''));
}

const maxTools = 100_000;

/** Yields to other work after parsing this many tools, which takes a few milliseconds. */
const toolsPerTurn = 5_000;

/**
 * Reads all pages of `tools/list`; see {@link listPages}.
 * @throws {McpError} if the first page fails, the connection ends or the list is cancelled
 */
export async function listAllTools(readPage: ReadPage): Promise<ToolList> {
  const { list, problems } = await listPages(readPage, () => new GrowingTools());
  return { tools: list.all, problems };
}

/** For servers on which a client cannot run calls as tasks, whatever their tools say. */
export function withoutTasks(list: ToolList): ToolList {
  if (list.tools.every(({ taskSupport }) => taskSupport === undefined)) return list;
  return {
    ...list,
    tools: list.tools.map((tool) => {
      if (tool.taskSupport === undefined) return tool;
      const { taskSupport: _, ...rest } = tool;
      return rest;
    }),
  };
}

class GrowingTools implements GrowingList {
  readonly #tools: Tool[] = [];
  readonly #names = new Set<string>();

  get all(): readonly Tool[] {
    return this.#tools;
  }

  async add(
    items: readonly unknown[],
    levels: number | undefined,
  ): Promise<ListProblem | undefined> {
    const room = maxTools - this.#tools.length;
    const end = Math.min(items.length, room);
    // Parsing such a page as JSON already blocked other work, so that runs before more time is
    // taken.
    if (end > toolsPerTurn) await setImmediate();
    for (let from = 0; from < end; from += toolsPerTurn) {
      if (end > toolsPerTurn) await setImmediate();
      this.#addSome(items.slice(from, Math.min(from + toolsPerTurn, end)), levels);
    }
    return items.length <= room ? undefined : { code: 'tooManyTools', limit: maxTools };
  }

  #addSome(items: readonly unknown[], levels: number | undefined): void {
    for (const item of items) {
      const tool = parseTool(item, levels);
      this.#tools.push(this.#isTaken(tool) ? asDuplicate(tool) : tool);
    }
  }

  /** True if a callable tool already has this name. Adds the name, to look it up only once. */
  #isTaken({ name, callable }: Tool): boolean {
    if (!callable) return this.#names.has(name);
    const before = this.#names.size;
    return this.#names.add(name).size === before;
  }
}

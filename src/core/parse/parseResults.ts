import { McpError } from '../errors';
import { parseContentBlock, parseResourceContents, unknownBlock } from './parseContent';
import { RawJson } from '../json/rawJson';
import { levelsOfResult } from '../json/jsonLevels';
import { parseIcons } from './parsers';
import { boundedJson } from '../json/boundedJson';
import {
  isJsonObject,
  isJsonValue,
  isObject,
  restOf,
  stringOrAbsent,
  type UnknownObject,
  finiteNumberOrAbsent,
  type Mutable,
} from '../json/shapes';
import type {
  ContentBlock,
  Implementation,
  ReadResourceResult,
  ServerCapabilities,
  ToolResult,
  Progress,
} from '../types';

/** The result of `initialize`. The version may be any string. */
export interface InitializeResult {
  readonly protocolVersion: string;
  readonly capabilities: ServerCapabilities;
  readonly serverInfo: Implementation;
  readonly instructions?: string;
}

/** @throws {McpError} invalidResult */
export function parseInitializeResult(value: unknown): InitializeResult {
  const result = objectResult(value);
  const { protocolVersion } = result;
  if (typeof protocolVersion !== 'string') throw invalid('protocolVersion is not a string');
  const instructions = stringOrAbsent(result.instructions);
  return {
    protocolVersion,
    capabilities: parseCapabilities(result.capabilities),
    serverInfo: parseImplementation(result.serverInfo),
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** The extension for tasks, as clients and servers declare it. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The extension for skills, as servers declare it. Spec: SEP-2640 */
const skillsExtension = 'io.modelcontextprotocol/skills';

/** A key declares its capability, with any value except `null` and `false`. */
export function parseCapabilities(value: unknown): ServerCapabilities {
  const declared = isObject(value) ? value : {};
  const has = (name: string): boolean => {
    const capability = declared[name];
    return capability !== undefined && capability !== null && capability !== false;
  };
  const skills = isObject(declared.extensions) ? declared.extensions[skillsExtension] : undefined;
  return {
    tools: has('tools'),
    toolsListChanged: isObject(declared.tools) && declared.tools.listChanged === true,
    resources: has('resources'),
    resourcesListChanged: isObject(declared.resources) && declared.resources.listChanged === true,
    resourcesSubscribe: isObject(declared.resources) && declared.resources.subscribe === true,
    logging: has('logging'),
    completions: has('completions'),
    prompts: has('prompts'),
    promptsListChanged: isObject(declared.prompts) && declared.prompts.listChanged === true,
    taskCalls: isDeclared(declared.tasks, 'requests', 'tools', 'call'),
    taskCancellations: isDeclared(declared.tasks, 'cancel'),
    taskLists: isDeclared(declared.tasks, 'list'),
    taskExtension: isDeclared(declared.extensions, tasksExtension),
    skills: isObject(skills),
    skillFolders: isObject(skills) && skills.directoryRead === true,
  };
}

/** True if the path leads to an object, which is how capabilities are declared. */
function isDeclared(value: unknown, ...path: readonly string[]): boolean {
  const last = path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value);
  return isObject(last);
}

/**
 * Missing members become empty instead of an error, because they are self-reported and only
 * displayed.
 */
export function parseImplementation(value: unknown): Implementation {
  const info: UnknownObject = isObject(value) ? value : {};
  const title = stringOrAbsent(info.title);
  const icons = parseIcons(info.icons);
  return {
    name: stringOrAbsent(info.name) ?? '',
    version: stringOrAbsent(info.version) ?? '',
    ...(title === undefined ? {} : { title }),
    ...(icons === undefined ? {} : { icons }),
  };
}

/** One page of a list with unparsed entries. */
export interface ListPage {
  readonly items: readonly unknown[];
  /** An upper limit for the depth of the page, if the reader determined one. */
  readonly levels?: number;
  /** May be `''`. */
  readonly nextCursor?: string;
  /** True if the cursor is not a string, so that it cannot be sent back. */
  readonly isCursorUnusable?: true;
}

/** The member of a result that contains the entries of a list. */
export type ListKey = 'tools' | 'resources' | 'resourceTemplates' | 'prompts' | 'skills' | 'tasks';

/** @throws {McpError} invalidResult */
export function parseListPage(value: unknown, key: ListKey): ListPage {
  const result = objectResult(value);
  const { [key]: items, nextCursor } = result;
  if (!Array.isArray(items)) throw invalid(`${key} is not an array`);
  const levels = levelsOfResult(result);
  const page = levels === undefined ? { items } : { items, levels };
  if (nextCursor === undefined || nextCursor === null || nextCursor === false) return page;
  return typeof nextCursor === 'string'
    ? { ...page, nextCursor }
    : { ...page, isCursorUnusable: true };
}

/**
 * Parses the result of `tools/call`. Malformed parts are kept as `unknown` blocks.
 * @throws {McpError} invalidResult only if it is not an object
 */
export function parseToolResult(value: unknown): ToolResult {
  const outer = objectResult(value);
  const raw = unwrapped(outer);
  const result: Mutable<ToolResult> = {
    content: parseContent(raw),
    isError: raw.isError === true,
  };
  if (raw !== outer) result.isOldForm = true;
  const { structuredContent, _meta: meta } = raw;
  if (structuredContent instanceof RawJson || isJsonValue(structuredContent)) {
    result.structuredContent = structuredContent;
  }
  if (isJsonObject(meta)) result.meta = meta;
  const rest = isLost(result.content)
    ? undefined
    : restOf(raw, (name) => knownMembers.has(name) || (name === '_meta' && 'meta' in result));
  if (rest !== undefined) result.rest = rest;
  return result;
}

/** Does the same for revisions before 2026-07-28. @throws {McpError} invalidResult */
export function parseStatefulToolResult(value: unknown): ToolResult {
  const result = parseToolResult(value);
  const { structuredContent } = result;
  const isBare =
    structuredContent instanceof RawJson
      ? !structuredContent.isObject
      : structuredContent !== undefined && !isJsonObject(structuredContent);
  return isBare && result.isOldForm !== true ? { ...result, hasBareStructure: true } : result;
}

/** The era has already read `resultType`. */
const knownMembers = new Set(['content', 'structuredContent', 'isError', 'resultType']);

/** True if the whole answer is already shown as raw JSON. */
function isLost([first]: readonly ContentBlock[]): boolean {
  return first?.type === 'unknown' && first.reason === missingContent;
}

const missingContent = 'content is missing';

function parseContent(raw: UnknownObject): readonly ContentBlock[] {
  const { content } = raw;
  if (Array.isArray(content)) return content.map(parseContentBlock);
  if (content !== undefined && content !== null) {
    return [unknownBlock(content, 'content is not an array')];
  }
  if (raw.structuredContent !== undefined) return [];
  return [unknownBlock(raw, missingContent)];
}

/** @throws {McpError} invalidResult */
export function parseReadResult(value: unknown, uri: string): ReadResourceResult {
  const result = objectResult(value);
  const { contents, _meta: meta } = result;
  if (!Array.isArray(contents)) throw invalid('contents is not an array');
  const read = contents.map((item: unknown, index) => {
    const parsed = parseResourceContents(item, uri);
    if (typeof parsed === 'string') throw invalid(`contents[${index}]: ${parsed}`);
    const own: unknown = isObject(item) ? item['_meta'] : undefined;
    return isJsonObject(own) ? { ...parsed, _meta: own } : parsed;
  });
  const isMeta = isJsonObject(meta);
  const rest = restOf(result, (name) => readMembers.has(name) || (name === '_meta' && isMeta));
  return { contents: read, ...(isMeta ? { meta } : {}), ...(rest === undefined ? {} : { rest }) };
}

/** The era has already read these, and the last two belong to results of tools. */
const readMembers = new Set('contents resultType ttlMs cacheScope content isError'.split(' '));

/**
 * Returns the URI in `notifications/resources/updated`, which may be that of a sub-resource
 * (R-419).
 */
export function parseUpdatedUri(params: unknown): string | undefined {
  return isObject(params) ? stringOrAbsent(params.uri) : undefined;
}

/** Every MCP result is an object. @throws {McpError} invalidResult */
export function objectResult(value: unknown): UnknownObject {
  if (isObject(value)) return value;
  throw invalid(`the result is no object: ${boundedJson(value, 200)}`);
}

/**
 * Checks that a result is complete.
 * @param draft The value that the draft of an extension used instead, which some servers still
 * send.
 */
export function checkComplete(result: unknown, draft?: 'task'): unknown {
  if (!isObject(result)) return result;
  const { resultType } = result;
  if (resultType === undefined || resultType === 'complete' || resultType === draft) return result;
  throw invalid(`resultType is ${boundedJson(resultType, 100)}`);
}

function invalid(detail: string): McpError {
  return new McpError('invalidResult', { detail });
}

/**
 * Returns the content of `toolResult` in today's form, or `result` itself if it has none. Before
 * the first revision `toolResult` could be any value, and some servers put a whole result into it.
 * If there is `content` too, the newer form is used.
 *
 * Spec: 2024-10-07 schema, CallToolResult; the official SDKs still accept it
 */
function unwrapped(result: UnknownObject): UnknownObject {
  const { toolResult, content } = result;
  if (toolResult === undefined || result.structuredContent !== undefined) return result;
  const isBare =
    content === undefined || content === null || (Array.isArray(content) && content.length === 0);
  if (!isBare) return result;
  const { toolResult: _, content: __, ...outer } = result;
  const inner = formOf(toolResult);
  const isError = outer['isError'] === true || inner['isError'] === true;
  return { ...outer, ...inner, isError };
}

function formOf(value: unknown): UnknownObject {
  if (value === null) return { content: [] };
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (Array.isArray(value) && value.length > 0 && value.every(isBlock)) return { content: value };
  if (isObject(value)) {
    if (Array.isArray(value.content) || value.structuredContent !== undefined) return value;
    return { structuredContent: value, isError: value.isError };
  }
  return { structuredContent: value };
}

function isBlock(value: unknown): boolean {
  return isObject(value) && typeof value.type === 'string';
}

const maxProgressChars = 64 * 1024;

export interface ProgressReport {
  /** Keeps its type, because `"1"` and `1` differ. */
  readonly token: string | number;
  readonly progress: Progress;
}

/** Parses the params of `notifications/progress`. Returns `undefined` if they are unusable. */
export function parseProgress(params: unknown): ProgressReport | undefined {
  if (!isObject(params)) return undefined;
  const token = params.progressToken;
  const progress = finiteNumberOrAbsent(params.progress);
  if (progress === undefined) return undefined;
  if (typeof token !== 'string' && typeof token !== 'number') return undefined;
  const total = finiteNumberOrAbsent(params.total);
  const message = stringOrAbsent(params.message);
  return {
    token,
    progress: {
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message: message.slice(0, maxProgressChars) }),
    },
  };
}

import { McpError } from '../errors';
import { parseContentBlock, parseResourceContents, unknownBlock } from './parseContent';
import { boundedJson, isJsonObject, isJsonValue, isObject, stringOrAbsent } from './shapes';
import type { UnknownObject } from './shapes';
import type {
  ContentBlock,
  Implementation,
  ResourceContents,
  ServerCapabilities,
  ToolResult,
} from '../types';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** What `initialize` gave; the version is still any string. */
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

/** A capability is declared by its key, whatever stands there; `null` and `false` decline it. */
export function parseCapabilities(value: unknown): ServerCapabilities {
  const declared = isObject(value) ? value : {};
  const has = (name: string): boolean => {
    const capability = declared[name];
    return capability !== undefined && capability !== null && capability !== false;
  };
  return {
    tools: has('tools'),
    toolsListChanged: isObject(declared.tools) && declared.tools.listChanged === true,
    resources: has('resources'),
    logging: has('logging'),
    completions: has('completions'),
  };
}

/** Self-reported and shown only, so what is missing is empty instead of an error. */
export function parseImplementation(value: unknown): Implementation {
  const info: UnknownObject = isObject(value) ? value : {};
  const title = stringOrAbsent(info.title);
  return {
    name: stringOrAbsent(info.name) ?? '',
    version: stringOrAbsent(info.version) ?? '',
    ...(title === undefined ? {} : { title }),
  };
}

/** One page of `tools/list`, its entries still unparsed. */
export interface ToolPage {
  readonly tools: readonly unknown[];
  /** `''` is a cursor like any other. */
  readonly nextCursor?: string;
}

/** @throws {McpError} invalidResult */
export function parseToolPage(value: unknown): ToolPage {
  const { tools, nextCursor } = objectResult(value);
  if (!Array.isArray(tools)) throw invalid('tools is not an array');
  if (nextCursor === undefined || nextCursor === null) return { tools };
  if (typeof nextCursor !== 'string') throw invalid('nextCursor is not a string');
  return { tools, nextCursor };
}

/**
 * The result of `tools/call`; whatever of it has the wrong shape is kept as an `unknown` block.
 * @throws {McpError} invalidResult only when it is no object
 */
export function parseToolResult(value: unknown): ToolResult {
  const raw = objectResult(value);
  const result: Writable<ToolResult> = {
    content: parseContent(raw),
    isError: raw.isError === true,
  };
  const { structuredContent, _meta: meta } = raw;
  if (isJsonValue(structuredContent)) result.structuredContent = structuredContent;
  if (isJsonObject(meta)) result.meta = meta;
  return result;
}

function parseContent(raw: UnknownObject): readonly ContentBlock[] {
  const { content } = raw;
  if (Array.isArray(content)) return content.map(parseContentBlock);
  if (content !== undefined && content !== null) {
    return [unknownBlock(content, 'content is not an array')];
  }
  if (raw.structuredContent !== undefined) return [];
  return [unknownBlock(raw, 'content is missing')];
}

/** @throws {McpError} invalidResult */
export function parseReadResult(value: unknown, uri: string): readonly ResourceContents[] {
  const { contents } = objectResult(value);
  if (!Array.isArray(contents)) throw invalid('contents is not an array');
  return contents.map((item: unknown, index) => {
    const parsed = parseResourceContents(item, uri);
    if (typeof parsed === 'string') throw invalid(`contents[${index}]: ${parsed}`);
    return parsed;
  });
}

/** Every result of MCP is an object. @throws {McpError} invalidResult */
export function objectResult(value: unknown): UnknownObject {
  if (isObject(value)) return value;
  throw invalid(`the result is no object: ${boundedJson(value, 200)}`);
}

function invalid(detail: string): McpError {
  return new McpError('invalidResult', { detail });
}

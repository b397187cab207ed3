import type { ConnectionLog } from '../log';
import { extraHeaders } from '../rpc/transport';
import type { RequestParams } from '../rpc/rpc';
import type { Tool } from '../types';
import { McpError } from '../errors';
import { isObject, type UnknownObject } from '../json/shapes';
import { isNumber, isSameNumber } from '../json/writtenNumber';
import { schemaMaps } from '../schema/schemaCheck';
import { encodeHeaderValue } from './statelessMeta';

const maxDetailChars = 200;

/** The arguments to mirror into headers for each tool, by the newest list. */
export class MirroredArguments {
  readonly #log: ConnectionLog;
  #byTool = new Map<string, readonly HeaderParam[]>();

  constructor(log: ConnectionLog) {
    this.#log = log;
  }

  /**
   * Takes over a new list. A tool with invalid annotations is returned as not callable; the others
   * are unchanged.
   */
  adopt(tools: readonly Tool[]): readonly Tool[] {
    const byTool = new Map<string, readonly HeaderParam[]>();
    const adopted = tools.map((tool) => {
      if (!tool.callable) return tool;
      const found = findHeaderParams(tool.inputSchema);
      if (found.kind === 'violation') return this.#refuse(tool, found.detail);
      if (found.params.length > 0) byTool.set(tool.name, found.params);
      return tool;
    });
    this.#byTool = byTool;
    return adopted;
  }

  /**
   * Adds the headers to the `params` of a call. Without a list there are none.
   * @throws {McpError} invalidArguments
   */
  withHeaders(params: RequestParams, name: string, args: object | undefined): RequestParams {
    const mirrored = this.#byTool.get(name);
    if (mirrored === undefined) return params;
    return { ...params, [extraHeaders]: paramHeaders(mirrored, args) };
  }

  #refuse(tool: Tool, violation: string): Tool {
    const detail = violation.slice(0, maxDetailChars);
    this.#log.warn(`tool ${tool.name.slice(0, 128)} cannot be called, x-mcp-header: ${detail}`);
    const problem = { code: 'headerAnnotation', detail } as const;
    return { ...tool, callable: false, problems: [...tool.problems, problem] };
  }
}

/** An argument that is mirrored into a header. */
interface HeaderParam {
  /** Property names from the root of the arguments. */
  readonly path: readonly string[];
  /** Name from the annotation; the header is `Mcp-Param-<name>`. */
  readonly name: string;
}

type HeaderParams =
  | { readonly kind: 'params'; readonly params: readonly HeaderParam[] }
  /** The tool must not be offered, because an annotation violates the rules. */
  | { readonly kind: 'violation'; readonly detail: string };

const annotation = 'x-mcp-header';
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const mirrorable = new Set<unknown>(['string', 'integer', 'boolean']);
/** Keywords with data or names, in which an equal key is not an annotation. */
const dataKeywords = new Set(['default', 'const', 'enum', 'examples', 'dependentRequired']);
const namedSchemas = new Set([...schemaMaps, 'dependencies']);
/** Makes the walk end for any input. Deeper schemas cannot be validated anyway. */
const maxDepth = 200;

/**
 * Finds the arguments of a tool that are mirrored into `Mcp-Param-*` headers. Annotations are valid
 * along chains of `properties` only; a misplaced or malformed one makes the whole tool unusable. A
 * schema without annotations costs one walk.
 *
 * Spec: 2026-07-28 server/tools, x-mcp-header. The text does not cover type unions
 * such as `["string", "null"]`; they are refused with a message.
 */
export function findHeaderParams(inputSchema: unknown): HeaderParams {
  const params: HeaderParam[] = [];
  const violation = collect(inputSchema, [], true, params, 0);
  if (violation !== undefined) return { kind: 'violation', detail: violation };
  const names = new Set<string>();
  for (const { name } of params) {
    const folded = name.toLowerCase();
    if (names.has(folded)) return { kind: 'violation', detail: `${name}: used twice` };
    names.add(folded);
  }
  return { kind: 'params', params };
}

/** Walks one schema. `reachable` is false after any step other than `properties`. */
function collect(
  schema: unknown,
  path: readonly string[],
  reachable: boolean,
  params: HeaderParam[],
  depth: number,
): string | undefined {
  // Deeper levels might have annotations that would be missed.
  if (depth > maxDepth) return `nested deeper than ${maxDepth} levels`;
  if (Array.isArray(schema)) {
    return firstOf(schema, (item) => collect(item, path, false, params, depth + 1));
  }
  if (!isObject(schema)) return undefined;
  if (annotation in schema) {
    const wrong = checkAnnotation(schema, path, reachable);
    if (wrong !== undefined) return wrong;
    params.push({ path, name: String(schema[annotation]) });
  }
  return firstOf(Object.entries(schema), ([keyword, value]) => {
    if (dataKeywords.has(keyword)) return undefined;
    // The keys of these are names, which may equal any keyword.
    if (namedSchemas.has(keyword) && isObject(value)) {
      const isStep = keyword === 'properties';
      return firstOf(Object.entries(value), ([name, named]) =>
        collect(named, isStep ? [...path, name] : path, isStep && reachable, params, depth + 1),
      );
    }
    return typeof value === 'object' ? collect(value, path, false, params, depth + 1) : undefined;
  });
}

function checkAnnotation(
  schema: UnknownObject,
  path: readonly string[],
  reachable: boolean,
): string | undefined {
  const name = schema[annotation];
  const place = path.join('.') || '(root)';
  if (!reachable || path.length === 0) return `${place}: not reached by properties alone`;
  if (typeof name !== 'string') return `${place}: not a string`;
  if (!token.test(name)) return `${place}: ${JSON.stringify(name)} is no header name`;
  if (!mirrorable.has(schema['type'])) return `${place}: not a string, integer or boolean`;
  return undefined;
}

function firstOf<T>(
  items: readonly T[],
  find: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the `Mcp-Param-*` headers for the very object that is sent. Missing values and `null`
 * give no header, an empty string an empty one.
 * @throws {McpError} invalidArguments for a number that is not an integer within ±(2^53-1), which
 * has no exact decimal form
 */
export function paramHeaders(
  params: readonly HeaderParam[],
  args: unknown,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { path, name } of params) {
    const value = path.reduce<unknown>(
      (object, key) => (isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined),
      args,
    );
    const text = toText(value);
    if (text !== undefined) headers[`Mcp-Param-${name}`] = encodeHeaderValue(text);
  }
  return headers;
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (!isNumber(value)) return undefined;
  const held = value.valueOf();
  if (Number.isSafeInteger(held) && isSameNumber(value, held)) return String(held);
  throw new McpError('invalidArguments', { detail: `${held} cannot be sent as a header` });
}

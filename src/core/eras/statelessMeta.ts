import { clientCapabilities, withTaskExtension } from './clientCapabilities';
import type { EraContext } from './era';
import type { JsonObject } from '../json/jsonValue';
import type { RequestParams } from '../rpc/rpc';
import {
  statelessRevisions,
  revisions,
  type ToolResult,
  type Implementation,
  type ServerCapabilities,
} from '../types';
import { isMcpError, McpError, toMcpError } from '../errors';
import { boundedJson } from '../json/boundedJson';
import { isObject, stringOrAbsent } from '../json/shapes';
import {
  checkComplete,
  parseToolResult,
  parseCapabilities,
  parseImplementation,
} from '../parse/parseResults';
import { isTask } from '../tasks/statelessTasks';
import { parseTask, type TaskState } from '../tasks/taskState';

const prefix = 'io.modelcontextprotocol/';
const serverInfoKey = `${prefix}serverInfo`;
export const subscriptionIdKey = `${prefix}subscriptionId`;

/** The only stateless revision that the client supports. */
export const statelessRevision = statelessRevisions[0];

/** `_meta` of the requests of one connection. */
export interface RequestMeta {
  readonly usual: RequestParams;
  /** For requests that may be answered with a task, and requests about tasks. */
  readonly ofTasks: RequestParams;
}

/**
 * `_meta` of every request of the stateless era, because the server keeps no state. Created once
 * per connection, since it does not change.
 */
export function requestMeta(
  context: Pick<EraContext, 'clientInfo' | 'input' | 'claimed' | 'extensions' | 'logLevel'>,
): RequestMeta {
  const { clientInfo, logLevel } = context;
  const capabilities = clientCapabilities(context, statelessRevision);
  const withCapabilities = (declared: JsonObject): RequestParams =>
    Object.freeze({
      [`${prefix}protocolVersion`]: statelessRevision,
      [`${prefix}clientInfo`]: clientInfo,
      [`${prefix}clientCapabilities`]: declared,
      ...(logLevel === undefined ? {} : { [`${prefix}logLevel`]: logLevel }),
    });
  return {
    usual: withCapabilities(capabilities),
    ofTasks: withCapabilities(withTaskExtension(context, capabilities)),
  };
}

const headerMismatch = -32020;
const missingCapability = -32021;
const unsupportedVersion = -32022;

/**
 * True for codes that only the stateless era's specification defines, not for those of its drafts
 * (R-013, R-015, R-029).
 */
export function isStatelessError(error: unknown): boolean {
  return isMcpError(error, 'serverError') && hasStatelessCode(error);
}

/** Does the same for an error that was converted to another code. */
export function hasStatelessCode({ facts: { rpcCode } }: McpError): boolean {
  return (
    rpcCode === headerMismatch || rpcCode === missingCapability || rpcCode === unsupportedVersion
  );
}

export function isRevisionRefused(error: unknown): boolean {
  return isMcpError(error, 'serverError') && error.facts.rpcCode === unsupportedVersion;
}

export function isHeaderMismatch(error: unknown): boolean {
  return isMcpError(error, 'serverError') && error.facts.rpcCode === headerMismatch;
}

/** Returns the versions that an error names as supported. */
export function versionsInError(error: unknown): readonly string[] | undefined {
  if (!isMcpError(error)) return undefined;
  const { rpcData } = error.facts;
  if (!isObject(rpcData) || !Array.isArray(rpcData.supported)) return undefined;
  // Values that are not strings match no version, and are shown with the others.
  return rpcData.supported.map((version: unknown) =>
    typeof version === 'string' ? version : boundedJson(version, 40),
  );
}

/** The error if there is no common revision, with both lists. */
export function noCommonRevisionError(theirs: readonly string[], cause?: unknown): McpError {
  const list = theirs.slice(0, 10).map((version) => version.slice(0, 40));
  return new McpError('unsupportedRevision', {
    detail: `server: ${list.join(', ')}; client: ${revisions.join(', ')}`,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Converts the era's error codes to ours. */
export function explainStatelessError(error: unknown): McpError {
  const known = toMcpError(error);
  if (!isStatelessError(known)) return known;
  const versions = versionsInError(known);
  if (isRevisionRefused(known) && versions !== undefined)
    return noCommonRevisionError(versions, known);
  if (known.facts.rpcCode !== missingCapability) return known;
  return new McpError('capabilityRequired', {
    detail: requiredCapabilities(known.facts.rpcData),
    cause: known,
  });
}

function requiredCapabilities(data: unknown): string {
  const required = isObject(data) ? data.requiredCapabilities : undefined;
  return isObject(required) ? Object.keys(required).join(', ') : boundedJson(data, 200);
}

/** Makes a parser that requires a complete result. */
export function requireComplete<T>(parse: (result: unknown) => T): (result: unknown) => T {
  return (result) => parse(checkComplete(result));
}

/** Parses the answer to `tools/call`. @throws {McpError} invalidResult */
export function parseTaskOrResult(result: unknown): TaskState | ToolResult {
  return isTask(result) ? parseTask(result, 'stateless') : parseToolResult(checkComplete(result));
}

/** The result of `server/discover`. The versions may be any strings. */
export interface DiscoverResult {
  readonly supportedVersions: readonly string[];
  readonly serverInfo: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
}

/**
 * Returns `undefined` if the value is not a real answer to `server/discover`, because permissive
 * stateful servers answer any method. Never throws.
 *
 * Spec: 2026-07-28 server/discover
 */
export function parseDiscoverResult(value: unknown): DiscoverResult | undefined {
  if (!isObject(value)) return undefined;
  const { supportedVersions, _meta: meta } = value;
  const resultType = value.resultType ?? 'complete';
  if (resultType !== 'complete' || !isVersionList(supportedVersions)) return undefined;
  // The specification puts it into `_meta`; some servers put it beside the capabilities.
  const info = isObject(meta) ? meta[serverInfoKey] : undefined;
  const instructions = stringOrAbsent(value.instructions);
  return {
    supportedVersions,
    serverInfo: parseImplementation(info ?? value.serverInfo),
    capabilities: parseCapabilities(value.capabilities),
    ...(instructions === undefined ? {} : { instructions }),
  };
}

function isVersionList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((version) => typeof version === 'string');
}

/**
 * Encodes text as the value of an `Mcp-Name` or `Mcp-Param-*` header: unchanged if it is visible
 * ASCII with inner spaces, or else as `=?base64?…?=` of its UTF-8 bytes. A plain value in that form
 * is encoded too, so that decoding is unambiguous.
 *
 * Spec: 2026-07-28 basic/transports/streamable-http.
 */
export function encodeHeaderValue(text: string): string {
  const isPlain = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/.test(text);
  const looksEncoded = text.startsWith('=?base64?') && text.endsWith('?=');
  if (isPlain && !looksEncoded) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

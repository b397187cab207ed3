import { parseCapabilities, parseImplementation } from '../parse/parseResults';
import { isObject, stringOrAbsent } from '../json/shapes';
import { serverInfoKey } from './statelessMeta';
import type { Implementation, ServerCapabilities } from '../types';

/** What `server/discover` gave; the versions are still any strings. */
export interface DiscoverResult {
  readonly supportedVersions: readonly string[];
  readonly serverInfo: Implementation;
  readonly capabilities: ServerCapabilities;
  readonly instructions?: string;
}

/**
 * Undefined for whatever is no real answer to `server/discover`: permissive servers of the
 * stateful era answer any method with something. Never throws.
 *
 * Spec: 2026-07-28 server/discover
 */
export function parseDiscoverResult(value: unknown): DiscoverResult | undefined {
  if (!isObject(value)) return undefined;
  const { supportedVersions, _meta: meta } = value;
  const resultType = value.resultType ?? 'complete';
  if (resultType !== 'complete' || !isVersionList(supportedVersions)) return undefined;
  // In `_meta` by the specification, beside the capabilities in some servers.
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

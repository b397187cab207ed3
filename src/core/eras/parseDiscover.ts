import { parseCapabilities, parseImplementation } from '../parse/parseResults';
import { isObject, stringOrAbsent } from '../json/shapes';
import { serverInfoKey } from './statelessMeta';
import type { Implementation, ServerCapabilities } from '../types';

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

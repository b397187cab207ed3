import { isMcpError, McpError, toMcpError } from '../errors';
import { boundedJson } from '../json/boundedJson';
import { isObject } from '../json/shapes';
import { revisions } from '../types';

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

import { hash } from 'node:crypto';
import type { Tool } from '../../../core/types';
import { type ServerConfig, serverKey } from '../../configuration/serverConfig';
import { isObject, sortedEntries } from '../../../core/json/shapes';
import { writeExactly } from '../../../core/json/writtenNumber';

/** SHA-256 in hex. Equal fingerprints mean equal values, over restarts and machines. */
export type Fingerprint = string;

const fingerprintPattern = /^[0-9a-f]{64}$/;

export function isFingerprint(value: unknown): value is Fingerprint {
  return typeof value === 'string' && fingerprintPattern.test(value);
}

export function parseFingerprint(value: unknown): Fingerprint | undefined {
  return isFingerprint(value) ? value : undefined;
}

/**
 * Result of {@link canonicalJson} for values that cannot be serialized. No JSON text is equal to
 * it.
 */
const unwritable = '\u0000unwritable';

/**
 * Returns the fingerprint of everything in a tool's definition that a user may have judged it by:
 * name, title, description, schemas and annotations. The order of keys does not count.
 */
export function toolFingerprint(tool: Tool): Fingerprint {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return fingerprint({ name, title, description, inputSchema, outputSchema, annotations });
}

/**
 * Returns the fingerprint of a server that permissions are bound to: its location and id in the
 * configuration, command, arguments, the names of environment variables and headers, working
 * directory, URL. Values of variables and headers do not count, so that a renewed token withdraws
 * nothing; trust in the server is bound to them as well (`configHash`). The location counts, so
 * that no folder gets the permissions of another by an equal configuration.
 */
export function serverFingerprint(config: ServerConfig): Fingerprint {
  const { transport } = config;
  const key = serverKey(config);
  return fingerprint(
    transport.kind === 'stdio'
      ? [
          key,
          transport.kind,
          transport.command,
          transport.args,
          Object.keys(transport.env).toSorted(),
          transport.cwd ?? null,
        ]
      : [key, transport.kind, transport.url, Object.keys(transport.headers).toSorted()],
  );
}

/** Returns the fingerprint of plain JSON data. Absent arguments have that of `{}`. */
export function fingerprint(value: unknown): Fingerprint {
  return hash('sha256', canonicalJson(value));
}

/**
 * Returns JSON with sorted keys, so that equal values have equal texts. All values that are nested
 * too deeply have the same text.
 */
export function canonicalJson(value: unknown): string {
  return sortedJson(value) ?? unwritable;
}

/**
 * Returns JSON with sorted keys and with numbers as they were written; `undefined` for a value that
 * is nested too deeply, or is not JSON.
 */
export function sortedJson(value: unknown, indent?: number): string | undefined {
  try {
    return writeExactly(() => JSON.stringify(value, sortedKeys, indent));
  } catch {
    return undefined;
  }
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const sorted: Record<string, unknown> = Object.create(null);
  for (const [key, member] of sortedEntries(value)) sorted[key] = member;
  return sorted;
}

import { hash } from 'node:crypto';
import type { Tool } from '../../../core/types';
import { type ServerConfig, serverKey } from '../../configuration/serverConfig';
import { isObject } from '../../../core/json/shapes';
import { writeExactly } from '../../../core/json/writtenNumber';

/** SHA-256 in hex. Two equal fingerprints mean the same thing, over restarts and machines. */
export type Fingerprint = string;

const fingerprintPattern = /^[0-9a-f]{64}$/;

export function isFingerprint(value: unknown): value is Fingerprint {
  return typeof value === 'string' && fingerprintPattern.test(value);
}

export function parseFingerprint(value: unknown): Fingerprint | undefined {
  return isFingerprint(value) ? value : undefined;
}

/** What {@link canonicalJson} writes for what it cannot write; no JSON text is equal to it. */
const unwritable = '\u0000unwritable';

/**
 * The fingerprint of everything in a tool's definition that a person may have judged it by: name,
 * title, description, schemas and annotations. The order of keys does not count.
 */
export function toolFingerprint(tool: Tool): Fingerprint {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  return fingerprint({ name, title, description, inputSchema, outputSchema, annotations });
}

/**
 * The fingerprint of a server that permissions are bound to: where it is configured and its id
 * there, command, arguments, the names of environment variables and headers, working directory,
 * URL. Their values do not count, so that a renewed token withdraws nothing; whether the server
 * may start at all is bound to them, too (`configHash`). The place counts, so that no folder gets
 * the permissions of another by configuring a server alike.
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

/** The fingerprint of a value of plain JSON data; absent arguments are those of `{}`. */
export function fingerprint(value: unknown): Fingerprint {
  return hash('sha256', canonicalJson(value));
}

/**
 * JSON with sorted keys, so that equal values make equal text. What is nested too deeply to be
 * written is equal to nothing but other such values.
 */
export function canonicalJson(value: unknown): string {
  try {
    return writeExactly(() => JSON.stringify(value, sortedKeys)) ?? unwritable;
  } catch {
    return unwritable;
  }
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const sorted: Record<string, unknown> = Object.create(null);
  for (const [key, member] of Object.entries(value).toSorted(byKey)) sorted[key] = member;
  return sorted;
}

/** By code unit, not by locale: the same on every machine. */
function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

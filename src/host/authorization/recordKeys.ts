import { createHash } from 'node:crypto';

/** Returns a key with a kind and a hash, so that keys do not reveal which servers are used. */
export function recordKey(kind: string, ...about: readonly string[]): string {
  return `${kind}:${hashOf(about)}`;
}

/** Hashes JSON, because addresses may contain any separator. */
export function hashOf(about: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(about)).digest('hex');
}

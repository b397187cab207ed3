import { createHash } from 'node:crypto';

/** A key that tells nobody which servers a person uses: of a kind, by the hash of what it is about. */
export function recordKey(kind: string, ...about: readonly string[]): string {
  return `${kind}:${hashOf(about)}`;
}

/** JSON, because addresses may hold any separator. */
export function hashOf(about: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(about)).digest('hex');
}

import type { Tool } from '../core/types';
import type { ServerConfig } from '../host/configuration/serverConfig';
import type { Server } from '../host/connections/snapshot';
import type { PinAccess } from '../host/consent/consent';
import type { PinState } from '../host/consent/facts/callFacts';
import { type LockFiles, lockMismatches } from '../host/consent/pins/lockFiles';
import type { ToolFingerprints } from '../host/consent/pins/pinDefinition';

const kindMessages = {
  changed: 'its definition differs from the lock file.',
  missing: 'it is not in the lock file.',
  gone: 'it is in the lock file, but the server does not list it.',
} as const;

/**
 * Knows the tools that a team has reviewed and written into its lock file. A tool that differs from
 * it is never called.
 */
export class LockedPins implements PinAccess {
  readonly #locks: LockFiles;
  readonly #fingerprints: ToolFingerprints;

  constructor(locks: LockFiles, fingerprints: ToolFingerprints) {
    this.#locks = locks;
    this.#fingerprints = fingerprints;
  }

  async stateOf(config: ServerConfig, tool: Tool): Promise<PinState> {
    await this.#locks.keepUp();
    const lockFile = this.#locks.against(config, tool, this.#fingerprints.of(tool));
    return lockFile === undefined ? { kind: 'known' } : { kind: 'unlocked', lockFile };
  }

  /** The command line has no user who could accept a change. */
  accept(): Promise<void> {
    return Promise.resolve();
  }

  /** Says in sentences how a running server differs from the lock file; empty without an entry there. */
  async differences({ config, tools, listProblems }: Server): Promise<readonly string[]> {
    await this.#locks.keepUp();
    const isWhole = listProblems.every(({ code }) => code !== 'pageFailed');
    const all = this.#locks.found
      .filter((found) => this.#locks.speaksOf(found, config))
      .map(async ({ lock, path }) => {
        if (lock.isUnreadable)
          return [`${path} cannot be read, so every tool counts as not reviewed.`];
        const locked = lock.servers.get(config.id);
        if (locked === undefined) return [];
        const found = await lockMismatches(locked, tools, this.#fingerprints);
        return found
          .filter(({ kind }) => isWhole || kind !== 'gone')
          .map(({ kind, toolName }) => `${config.id}/${toolName}: ${kindMessages[kind]}`);
      });
    return (await Promise.all(all)).flat();
  }
}

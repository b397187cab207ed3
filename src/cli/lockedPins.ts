import type { Tool } from '../core/types';
import type { ServerConfig } from '../host/configuration/serverConfig';
import type { Server } from '../host/connections/snapshot';
import type { PinAccess } from '../host/consent/consent';
import type { PinState } from '../host/consent/facts/callFacts';
import { lockMismatches, type LockFiles } from '../host/consent/pins/lockFiles';
import type { ToolFingerprints } from '../host/consent/pins/pinDefinition';

/**
 * What is known of tools where nobody has looked at any: only what a team has reviewed and written
 * into its lock file. A tool that is not as it stands there is never called.
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

  /** Nobody is there who could accept anything. */
  accept(): Promise<void> {
    return Promise.resolve();
  }

  /** Where a running server is not as it was reviewed, a sentence each; none where nothing was. */
  async differences({ config, tools }: Server): Promise<readonly string[]> {
    await this.#locks.keepUp();
    const all = this.#locks.found
      .filter((found) => this.#locks.speaksOf(found, config))
      .map(async ({ lock, path }) => {
        if (lock.isUnreadable) return [`${path} cannot be read, so nothing is as it was reviewed.`];
        const locked = lock.servers.get(config.id);
        if (locked === undefined) return [];
        const found = await lockMismatches(locked, tools, this.#fingerprints);
        return found.map(({ kind, toolName }) => `${config.id}/${toolName}: ${kindWords[kind]}`);
      });
    return (await Promise.all(all)).flat();
  }
}

const kindWords = {
  changed: 'its definition is not the one in the lock file.',
  missing: 'it is not in the lock file.',
  gone: 'it is in the lock file, and the server does not list it.',
} as const;

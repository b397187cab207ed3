import type { EraKind } from '../../core/types';

/**
 * A configured server as the product knows it, whichever file or setting it came from.
 * `host/configuration.ts` makes these from unknown JSON.
 */

/** Where a server was configured; the path is for "Open Server Configuration". */
export type ConfigSource =
  /** `folder` is the path of the workspace folder, `path` that of the file. */
  | { readonly kind: 'workspaceFile'; readonly path: string; readonly folder: string }
  | { readonly kind: 'setting' }
  | { readonly kind: 'demo' };

/** What a server is known to speak; absent: it is found out. */
interface PinnedReach {
  readonly era?: EraKind;
}

export interface StdioReach extends PinnedReach {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** `null` unsets a variable that would be passed on. */
  readonly env: Readonly<Record<string, string | null>>;
  readonly cwd?: string;
}

export interface HttpReach extends PinnedReach {
  readonly kind: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ServerConfig {
  /** The name in the configuration; unique, because a shadowed twin is a problem, not a server. */
  readonly id: string;
  readonly label: string;
  readonly source: ConfigSource;
  readonly reach: StdioReach | HttpReach;
}

/** Something wrong with a configuration, at its place; sentences are made in ui/. */
export interface ConfigProblem {
  readonly code:
    | 'notJson'
    | 'notAnObject'
    | 'unknownKey'
    /** Known, but not here: running without it would not be what the person asked for. */
    | 'unsupportedKey'
    /** Stands twice; the last one counts. */
    | 'duplicateKey'
    | 'wrongType'
    | 'missingCommand'
    | 'missingVariable'
    | 'unsupportedVariable'
    | 'invalidUrl'
    | 'shadowed'
    | 'unreadable'
    | 'tooLarge';
  readonly source: ConfigSource;
  /** The server it is about, if it is about one. */
  readonly server?: string;
  /** Path inside the JSON, for the message and for finding the place. */
  readonly path: readonly (string | number)[];
  /** Character range in the file, where known. */
  readonly offset?: number;
  readonly length?: number;
  readonly detail?: string;
  /** Whether the server cannot be started because of it. */
  readonly fatal: boolean;
}

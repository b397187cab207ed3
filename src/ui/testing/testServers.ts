import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { FileCall } from '../../core/callFiles/callFile';
import type { ServerRegistry } from '../../host/connections/registry';
import { errorSentence, quoted } from '../format/sentences';
import type { ServerActions } from '../servers/serverActions';

/** How a run is begun. */
export interface RunKind {
  /** Its servers are started anew before. */
  readonly isFresh?: boolean;
  /** Recorded servers answer in place of their servers. */
  readonly isReplay?: boolean;
  /** It begins by itself: it starts no server and makes only calls that nobody is asked about. */
  readonly isQuiet?: boolean;
  /** Names of environments: the calls are made once with each; absent: with the chosen one. */
  readonly environments?: readonly string[];
}

export interface TestServersOptions {
  readonly registry: Pick<ServerRegistry, 'find'>;
  readonly actions: Pick<ServerActions, 'startForUse' | 'restart'>;
}

/** Starts the servers of a run before its first call. */
export class TestServers {
  readonly #options: TestServersOptions;

  constructor(options: TestServersOptions) {
    this.#options = options;
  }

  /**
   * Those that do not run, and why: their calls are not made, and the others are. Starts no more once
   * the run is cancelled.
   */
  async ready(
    calls: readonly FileCall[],
    { isFresh, isReplay, isQuiet }: RunKind,
    token: vscode.CancellationToken,
  ): Promise<ReadonlyMap<string, string>> {
    const { registry, actions } = this.#options;
    const unready = new Map<string, string>();
    for (const id of new Set(calls.map(({ server }) => server))) {
      if (token.isCancellationRequested) break;
      const found = registry.find(id);
      // A server of a configuration may have the name; what is replayed reaches nothing.
      const isOther = isReplay === true && found?.config.source.kind !== 'recording';
      const server = isOther ? undefined : found;
      if (server === undefined) {
        unready.set(id, isReplay === true ? notRecorded(id) : notThere(id));
        continue;
      }
      const isRunning = server.state.kind === 'running';
      if (isQuiet === true) {
        if (!isRunning) unready.set(id, notRunning(server.config.label));
      } else if (isRunning && isFresh === true) {
        if (!(await actions.restart(id, false))) unready.set(id, this.#whyNot(id));
      } else if (!isRunning && !(await actions.startForUse(id, false))) {
        unready.set(id, this.#whyNot(id));
      }
    }
    return unready;
  }

  #whyNot(id: string): string {
    const server = this.#options.registry.find(id);
    const label = server?.config.label ?? id;
    return server?.state.kind === 'failed'
      ? errorSentence(label, server.state.error)
      : l10n.t('Not called: server “{0}” was not started.', quoted(label));
  }
}

function notThere(id: string): string {
  return l10n.t('Server “{0}” does not exist.', quoted(id));
}

function notRecorded(id: string): string {
  return l10n.t('Server “{0}” does not exist. Replay a recording of it first.', quoted(id));
}

function notRunning(label: string): string {
  return l10n.t(
    'Not called: server “{0}” is not running, and runs that start automatically do not start servers.',
    quoted(label),
  );
}

import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { FileCall } from '../../core/callFiles/callFile';
import { variablesOfCall } from '../../core/callFiles/callVariables';
import { RecordedValues } from '../../core/callFiles/recordedValues';
import { readRecording } from '../../core/recording/readRecording';
import type { ServerRegistry } from '../../host/connections/registry';
import type { RunKind } from '../activation/testProfiles';
import { errorSentence, quoted } from '../format/sentences';
import type { ServerActions } from '../servers/serverActions';

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
   * Returns the servers that are not running, with the reason. Only the calls of other servers are
   * made. Stops starting servers if the run is cancelled.
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
      // A configured server may have the same name, but a replay must not contact it.
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

  /** Reads the values that were generated for these calls when their servers were recorded. */
  async recordedValues(calls: readonly FileCall[]): Promise<RecordedValues> {
    const values = new RecordedValues();
    const generating = calls.filter((call) =>
      variablesOfCall(call).some(({ variable }) => variable.kind === 'generated'),
    );
    for (const id of new Set(generating.map(({ server }) => server))) {
      const transport = this.#options.registry.find(id)?.config.transport;
      const recorded = transport?.kind === 'stdio' ? transport.recording : undefined;
      if (recorded === undefined) continue;
      try {
        const recording = await readRecording(recorded.file, ({ to }) => to === 'server');
        values.add(recording, (server) => (server === recorded.server ? id : undefined));
      } catch {
        // The server does not start from such a recording either, and says why.
      }
    }
    return values;
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

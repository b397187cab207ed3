import * as vscode from 'vscode';
import type { ConnectionLog } from '../../core/log';
import { Debouncer } from '../editor/debouncer';
import type { TestItems } from './testItems';
import type { TestRuns } from './testRuns';

export interface ContinuousRunsOptions {
  readonly items: Pick<TestItems, 'onDidChangeFile' | 'chosen' | 'filesWith' | 'serverOf'>;
  readonly runs: Pick<TestRuns, 'run'>;
  readonly onDidRestartWatched: vscode.Event<string>;
  readonly log: Pick<ConnectionLog, 'warn'>;
}

interface ContinuousRun {
  readonly request: vscode.TestRunRequest;
  readonly token: vscode.CancellationToken;
}

/** A file is often written in several steps. */
const quietMs = 200;

/**
 * Runs the calls of a file whenever it changes, and the calls of a server that was restarted
 * because a file of `dev.watch` changed, while the user has turned that on. The user did not start
 * such a run, so it makes only calls that are allowed without a question.
 */
export class ContinuousRuns implements vscode.Disposable {
  readonly #options: ContinuousRunsOptions;
  readonly #watches = new Set<ContinuousRun>();
  readonly #changed = new Set<string>();
  readonly #restarted = new Set<string>();
  readonly #quiet = new Debouncer(() => this.#next(), quietMs);
  readonly #subscription: vscode.Disposable;
  #ongoing = Promise.resolve();

  constructor(options: ContinuousRunsOptions) {
    this.#options = options;
    const later = (changed: Set<string>, id: string): void => {
      if (this.#watches.size === 0) return;
      changed.add(id);
      this.#quiet.start();
    };
    this.#subscription = vscode.Disposable.from(
      options.items.onDidChangeFile((uri) => later(this.#changed, uri.toString())),
      options.onDidRestartWatched((id) => later(this.#restarted, id)),
    );
  }

  /** Runs until `token` is cancelled. */
  begin(request: vscode.TestRunRequest, token: vscode.CancellationToken): void {
    const watch = { request, token };
    this.#watches.add(watch);
    token.onCancellationRequested(() => this.#watches.delete(watch));
  }

  dispose(): void {
    this.#quiet.dispose();
    this.#subscription.dispose();
    this.#watches.clear();
  }

  /** Runs one after the other, because a slow server would otherwise get all of them at once. */
  #next(): void {
    const files = [...this.#changed];
    const servers = [...this.#restarted];
    this.#changed.clear();
    this.#restarted.clear();
    this.#ongoing = this.#ongoing.then(async () => {
      for (const watch of this.#watches) {
        // An error ends only its own run.
        await this.#run(files, servers, watch).catch(({ message }: Error) => {
          this.#options.log.warn(`A continuous run failed: ${message}`);
        });
      }
    });
  }

  async #run(
    files: readonly string[],
    servers: readonly string[],
    { request, token }: ContinuousRun,
  ): Promise<void> {
    const { items, runs } = this.#options;
    const changed = files.flatMap((id) => items.chosen(id, request));
    const include = [...changed, ...(await this.#ofServers(servers, request, changed))];
    if (include.length === 0 || token.isCancellationRequested) return;
    const { exclude, profile } = request;
    const next = new vscode.TestRunRequest(include, exclude, profile, true, true);
    await runs.run(next, token, { isQuiet: true });
  }

  /** Returns the requested calls of these servers, except for those of files that run anyway. */
  async #ofServers(
    servers: readonly string[],
    request: vscode.TestRunRequest,
    changed: readonly vscode.TestItem[],
  ): Promise<readonly vscode.TestItem[]> {
    if (servers.length === 0) return [];
    const { items } = this.#options;
    const files = await items.filesWith(request);
    const calls = files.flatMap((file) =>
      items
        .chosen(file.id, request)
        .flatMap((chosen) =>
          chosen === file ? [...file.children].map(([, call]) => call) : [chosen],
        ),
    );
    return calls.filter((call) => {
      if (changed.includes(call) || (call.parent && changed.includes(call.parent))) return false;
      return servers.includes(items.serverOf(call) ?? '');
    });
  }
}

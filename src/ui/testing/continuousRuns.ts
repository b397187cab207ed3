import * as vscode from 'vscode';
import type { ConnectionLog } from '../../core/log';
import { QuietTimer } from '../editor/quietTimer';
import type { TestItems } from './testItems';
import type { TestRuns } from './testRuns';

export interface ContinuousRunsOptions {
  readonly items: Pick<TestItems, 'onDidChangeFile' | 'chosen'>;
  readonly runs: Pick<TestRuns, 'run'>;
  readonly log: Pick<ConnectionLog, 'warn'>;
}

interface Wish {
  readonly request: vscode.TestRunRequest;
  readonly token: vscode.CancellationToken;
}

/** A file is often written in several steps. */
const quietMs = 200;

/**
 * Runs the calls of a file whenever it changes, as long as the person has that switched on. Nobody
 * has pressed for such a run, so it makes only calls that are allowed without a question.
 */
export class ContinuousRuns implements vscode.Disposable {
  readonly #options: ContinuousRunsOptions;
  readonly #wishes = new Set<Wish>();
  readonly #changed = new Set<string>();
  readonly #quiet = new QuietTimer(() => this.#next(), quietMs);
  readonly #subscription: vscode.Disposable;
  #ongoing = Promise.resolve();

  constructor(options: ContinuousRunsOptions) {
    this.#options = options;
    this.#subscription = options.items.onDidChangeFile((uri) => {
      if (this.#wishes.size === 0) return;
      this.#changed.add(uri.toString());
      this.#quiet.start();
    });
  }

  /** From now on, until `token` ends it. */
  begin(request: vscode.TestRunRequest, token: vscode.CancellationToken): void {
    const wish = { request, token };
    this.#wishes.add(wish);
    token.onCancellationRequested(() => this.#wishes.delete(wish));
  }

  dispose(): void {
    this.#quiet.dispose();
    this.#subscription.dispose();
    this.#wishes.clear();
  }

  /** One run after the other: a slow server would otherwise have all of them at once. */
  #next(): void {
    const files = [...this.#changed];
    this.#changed.clear();
    this.#ongoing = this.#ongoing.then(async () => {
      for (const wish of this.#wishes) {
        // One that fails ends itself, and not those that come after it.
        await this.#run(files, wish).catch(({ message }: Error) => {
          this.#options.log.warn(`A continuous run failed: ${message}`);
        });
      }
    });
  }

  async #run(files: readonly string[], { request, token }: Wish): Promise<void> {
    const { items, runs } = this.#options;
    const include = files.flatMap((id) => items.chosen(id, request));
    if (include.length === 0 || token.isCancellationRequested) return;
    const { exclude, profile } = request;
    const next = new vscode.TestRunRequest(include, exclude, profile, true, true);
    await runs.run(next, token, { isQuiet: true });
  }
}

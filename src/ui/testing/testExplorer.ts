import * as vscode from 'vscode';
import type { Environments } from '../callFiles/environments';
import type { ExpectedAnswers } from '../callFiles/expectedAnswers';
import { AcceptAnswers, LastResults } from './acceptAnswers';
import { ExercisedTools } from './testReporter';
import { TestCalls, type TestCallsOptions } from './testCalls';
import { TestItems } from './testItems';
import { TestRuns, type TestRunsOptions } from './testRuns';
import type { RunKind, TestsOnRequest } from '../activation/testProfiles';
import { TestServers, type TestServersOptions } from './testServers';
import type { RunReports } from '../callFiles/runReports';
import type { CallAnswers } from '../../host/callFiles/callAnswers';
import type { ConnectionLog } from '../../core/log';
import { Debouncer } from '../editor/debouncer';

export interface TestExplorerOptions
  extends
    TestCallsOptions,
    Omit<TestServersOptions, 'registry'>,
    Pick<TestRunsOptions, 'controller' | 'validator' | 'logs' | 'questions'> {
  readonly reports: Pick<RunReports, 'open'>;
  readonly answers: Pick<ExpectedAnswers, 'write'>;
  /** The actual answers of failed tests. */
  readonly ofCalls: CallAnswers;
  readonly environments: Pick<Environments, 'pickSeveral'>;
  /** Fires when a server was restarted because a file changed that its entry names. */
  readonly onDidRestartWatched: vscode.Event<string>;
  /** Log of everything that concerns no server. */
  readonly log: ConstructorParameters<typeof TestItems>[1];
}

/**
 * Shows call files in the Test Explorer. Created when the Test Explorer or a call file is opened.
 */
export class TestExplorer implements TestsOnRequest, vscode.Disposable {
  readonly #items: TestItems;
  readonly #runs: TestRuns;
  readonly #exercised: ExercisedTools;
  readonly #continuous: ContinuousRuns;
  readonly #accept: AcceptAnswers;
  readonly #environments: TestExplorerOptions['environments'];

  constructor(options: TestExplorerOptions) {
    const items = new TestItems(options.controller, options.log);
    const last = new LastResults(options.ofCalls);
    this.#items = items;
    items.onDidDeleteFile((uri) => options.runs.forget(uri));
    this.#environments = options.environments;
    this.#accept = new AcceptAnswers({ items, last, answers: options.answers });
    this.#exercised = new ExercisedTools(options);
    this.#runs = new TestRuns({
      ...options,
      items,
      calls: new TestCalls(options),
      servers: new TestServers(options),
      exercised: this.#exercised,
      last,
    });
    this.#continuous = new ContinuousRuns({ ...options, items, runs: this.#runs });
  }

  /** Loads what the Test Explorer shows: all files, or the calls of one. */
  async resolve(item: vscode.TestItem | undefined): Promise<void> {
    await (item === undefined ? this.#items.findAll() : this.#items.read(item));
  }

  /** Searches for the files again. */
  async refresh(token: vscode.CancellationToken): Promise<void> {
    await this.#items.findAll(token);
  }

  /** Adds an opened document if it is a call file of the workspace. */
  async addOpen(document: vscode.TextDocument): Promise<void> {
    await this.#items.addOpen(document);
  }

  async run(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    kind: RunKind,
  ): Promise<void> {
    if (request.continuous === true) this.#continuous.begin(request, token);
    else await this.#runs.run(request, token, kind);
  }

  /** Runs once with each environment that the user picks. */
  async runInEnvironments(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const environments = await this.#environments.pickSeveral();
    if (environments === undefined || token.isCancellationRequested) return;
    await this.#runs.run(request, token, { environments });
  }

  /**
   * Replaces the expected values with the actual ones: of a test, of a file, or of all that failed.
   */
  async accept(argument: unknown): Promise<void> {
    await this.#accept.accept(argument);
  }

  async showExercisedTools(): Promise<void> {
    await this.#exercised.show();
  }

  dispose(): void {
    this.#continuous.dispose();
    this.#items.dispose();
  }
}

interface ContinuousRunsOptions {
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
class ContinuousRuns implements vscode.Disposable {
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

import type * as vscode from 'vscode';
import type { Environments } from '../callFiles/environments';
import type { ExpectedAnswers } from '../callFiles/expectedAnswers';
import { AcceptAnswers, LastResults } from './acceptAnswers';
import { ContinuousRuns } from './continuousRuns';
import { ExercisedTools } from './testReporter';
import { TestCalls, type TestCallsOptions } from './testCalls';
import { TestItems } from './testItems';
import { TestRuns, type TestRunsOptions } from './testRuns';
import type { RunKind, TestsOnRequest } from '../activation/testProfiles';
import { TestServers, type TestServersOptions } from './testServers';
import type { RunReports } from '../callFiles/runReports';
import type { CallAnswers } from '../../host/callFiles/callAnswers';

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

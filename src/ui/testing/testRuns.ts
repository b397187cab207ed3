import * as vscode from 'vscode';
import { runTests, type TestResult } from '../../core/testing/runTests';
import type { SchemaValidator } from '../../core/schema/schema';
import type { FileCall } from '../../core/callFiles/callFile';
import { assertNever } from '../../core/errors';
import { readerFor } from '../callFiles/callFileRunner';
import type { CallFileRuns, RunState } from '../callFiles/callFileRuns';
import { formatDuration } from '../format/formatTime';
import { quoted } from '../format/sentences';
import type { ServerLogs } from '../servers/serverLogs';
import type { ExercisedTools } from './exercisedTools';
import type { LastResults } from './lastResults';
import { readyFiles, type ReadyFile } from './readyFiles';
import type { TestCalls } from './testCalls';
import type { TestItems } from './testItems';
import { failureMessage, placeIn, wordsMessage } from './testMessages';
import { TestQuestion, type TestQuestionOptions, type Yeses } from './testQuestion';
import type { RunKind, TestServers } from './testServers';

export interface TestRunsOptions extends TestQuestionOptions {
  readonly controller: vscode.TestController;
  readonly items: TestItems;
  readonly calls: Pick<TestCalls, 'make'>;
  readonly servers: Pick<TestServers, 'ready'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly runs: CallFileRuns;
  readonly logs: Pick<ServerLogs, 'onDidLog'>;
  readonly exercised: Pick<ExercisedTools, 'add'>;
  readonly last: Pick<LastResults, 'set'>;
}

/** Of one run, from the logs of its servers. */
const maxLogLines = 5_000;

/** Runs calls as tests: one question for all of them first, then each through the gate, in order. */
export class TestRuns {
  readonly #options: TestRunsOptions;
  readonly #question: TestQuestion;

  constructor(options: TestRunsOptions) {
    this.#options = options;
    this.#question = new TestQuestion(options);
  }

  /** Never rejects because of a file, a server or an answer: each stands at its test. */
  async run(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    kind: RunKind = {},
  ): Promise<void> {
    const { controller, items } = this.#options;
    const tests = await items.testsOf(request);
    const run = controller.createTestRun(request);
    const either = eitherToken(token, run.token);
    try {
      for (const { items: calls } of tests) for (const [, item] of calls) run.enqueued(item);
      const files = await readyFiles(tests, run);
      await this.#runFiles(run, files, either.token, kind);
    } finally {
      either.dispose();
      run.end();
    }
  }

  async #runFiles(
    run: vscode.TestRun,
    files: readonly ReadyFile[],
    token: vscode.CancellationToken,
    kind: RunKind,
  ): Promise<void> {
    const current: { item?: vscode.TestItem; server?: string } = {};
    const logging = this.#logTo(run, files, current);
    try {
      const calls = files.flatMap((file) => file.calls);
      const unready = await this.#options.servers.ready(calls, kind);
      if (token.isCancellationRequested) return;
      const startable = files.map((file) => ({
        ...file,
        calls: file.calls.filter(({ server }) => !unready.has(server)),
      }));
      const yeses = kind.isQuiet === true ? new Map() : await this.#question.ask(startable);
      for (const file of files) {
        if (token.isCancellationRequested) return;
        await this.#runFile(run, file, { yeses, unready, token, kind, current });
      }
    } finally {
      logging.dispose();
    }
  }

  async #runFile(
    run: vscode.TestRun,
    ready: ReadyFile,
    { yeses, unready, token, kind, current }: FileRun,
  ): Promise<void> {
    const { document, file, calls, origin } = ready;
    const { uri } = document;
    const { validator, runs } = this.#options;
    const itemOf = ({ name }: FileCall) => ready.items.get(name);
    const results = runTests({
      calls,
      answers: runs.resultsOf(uri),
      validator,
      readText: readerFor(uri),
      isCancelled: () => token.isCancellationRequested,
      onStart: (call) => {
        const item = itemOf(call);
        if (item === undefined) return;
        run.started(item);
        Object.assign(current, { item, server: call.server });
      },
      makeCall: async (call) => {
        const words = unready.get(call.server);
        const isQuiet = kind.isQuiet === true;
        if (words !== undefined) return { kind: isQuiet ? 'skipped' : 'errored', words };
        if (yeses === undefined) return { kind: 'skipped', words: noRun() };
        const withYes = yeses.get(call);
        return this.#options.calls.make({ uri, file, call, origin, withYes, isQuiet }, token);
      },
    });
    for await (const result of results) {
      const item = itemOf(result.call);
      if (item !== undefined) this.#tell(run, ready, item, result);
    }
  }

  /** In the Test Explorer, and above the call in its file. */
  #tell(
    run: vscode.TestRun,
    { document }: ReadyFile,
    item: vscode.TestItem,
    result: TestResult,
  ): void {
    const { call, durationMs, failures } = result;
    const { runs, exercised, last } = this.#options;
    const words = wordsOf(result);
    last.set(item, result);
    runs.setState(document.uri, call, stateOf(result, words));
    if (result.result !== undefined) exercised.add(call, result.status === 'passed');
    const line = `${signs[result.status]} ${lineOf(result, words)}`;
    // With its place, the reason of what was not called stands at the end of its line, too.
    const place = result.status === 'skipped' ? placeIn(document, call) : undefined;
    run.appendOutput(`${line}\r\n`, place, item);
    switch (result.status) {
      case 'passed':
        return run.passed(item, durationMs);
      case 'failed': {
        const messages = failures.map((failure) => failureMessage(document, call, failure));
        return run.failed(item, messages, durationMs);
      }
      case 'errored':
        return run.errored(item, wordsMessage(placeIn(document, call), words), durationMs);
      case 'skipped':
        return run.skipped(item);
      default:
        return assertNever(result.status);
    }
  }

  /** What the servers of the run log while it goes on. */
  #logTo(
    run: vscode.TestRun,
    files: readonly ReadyFile[],
    current: { readonly item?: vscode.TestItem; readonly server?: string },
  ): vscode.Disposable {
    const servers = new Set(files.flatMap(({ calls }) => calls.map(({ server }) => server)));
    let left = maxLogLines;
    return this.#options.logs.onDidLog(({ serverId, line }) => {
      if (!servers.has(serverId) || left === 0) return;
      left -= 1;
      const text = left === 0 ? vscode.l10n.t('More is in the logs of the servers.') : line;
      append(
        run,
        `  ${quoted(serverId)}: ${text}`,
        current.server === serverId ? current.item : undefined,
      );
    });
  }
}

interface FileRun {
  readonly yeses: Yeses | undefined;
  /** Servers that do not run, and why. */
  readonly unready: ReadonlyMap<string, string>;
  readonly token: vscode.CancellationToken;
  readonly kind: RunKind;
  readonly current: { item?: vscode.TestItem; server?: string };
}

const signs = { passed: '✓', failed: '✗', errored: '✗', skipped: '⊘' } as const;

function noRun(): string {
  return vscode.l10n.t('Not called: you did not want the run.');
}

function wordsOf({ words, needs }: TestResult): string {
  if (needs === undefined) return words ?? '';
  return vscode.l10n.t(
    'Not called: it takes values from the answer of “{0}”, which brought none.',
    quoted(needs),
  );
}

function lineOf({ call, status, durationMs }: TestResult, words: string): string {
  const name = quoted(call.name === '' ? call.tool : call.name);
  const tool = `${quoted(call.server)}/${quoted(call.tool)}`;
  const hasCome = status === 'passed' || status === 'failed';
  return hasCome
    ? `${name} (${tool}) ${formatDuration(durationMs)}`
    : `${name} (${tool}): ${words}`;
}

function stateOf({ status, durationMs, failures, callId }: TestResult, words: string): RunState {
  const facts = { durationMs, ...(callId === undefined ? {} : { callId }) };
  switch (status) {
    case 'passed':
      return { kind: 'passed', ...facts };
    case 'failed':
      return { kind: 'unmet', failures, ...facts };
    case 'errored':
      return { kind: 'failed', words };
    case 'skipped':
      return { kind: 'denied', words };
    default:
      return assertNever(status);
  }
}

/** Lines of a terminal; the texts are plain. */
function append(run: vscode.TestRun, line: string, item: vscode.TestItem | undefined): void {
  run.appendOutput(`${line}\r\n`, undefined, item);
}

function eitherToken(
  ...tokens: readonly vscode.CancellationToken[]
): vscode.CancellationTokenSource {
  const source = new vscode.CancellationTokenSource();
  for (const token of tokens) {
    if (token.isCancellationRequested) source.cancel();
    token.onCancellationRequested(() => source.cancel());
  }
  return source;
}

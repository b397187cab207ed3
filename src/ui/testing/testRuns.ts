import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { LinkedCancellationSource } from '../../core/rpc/cancellation';
import { runTests, type AttemptedCall, CleanUpTime } from '../../core/testing/runTests';
import type { SchemaValidator } from '../../core/schema/schema';
import type { FileCall } from '../../core/callFiles/callFile';
import { readerFor } from '../callFiles/callFileDocuments';
import type { CallFileRuns } from '../callFiles/callFileRuns';
import type { CallFileValues } from '../callFiles/callFileValues';
import { quoted } from '../format/sentences';
import { recordedId } from '../../host/recording/recordedServers';
import type { ServerLogs } from '../servers/serverLogs';
import { readyFiles, type ReadyFile } from './readyFiles';
import type { TestCalls } from './testCalls';
import type { TestItems } from './testItems';
import { TestReporter, type TestReporterOptions } from './testReporter';
import type { RunKind } from '../activation/testProfiles';
import type { TestServers } from './testServers';
import { GeneratedValues } from '../../core/callFiles/callFileVariables';
import { approveCalls, type ApprovalOptions, type Approvals } from '../callFiles/runAllQuestions';

export interface TestRunsOptions extends ApprovalOptions, TestReporterOptions {
  readonly controller: vscode.TestController;
  readonly items: TestItems;
  readonly calls: Pick<TestCalls, 'make'>;
  readonly servers: Pick<TestServers, 'ready' | 'recordedValues'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly runs: CallFileRuns;
  readonly values: Pick<
    CallFileValues,
    'fill' | 'fileValuesOf' | 'prepare' | 'newRun' | 'newSeparateRun'
  >;
  readonly logs: Pick<ServerLogs, 'onDidLog'>;
}

/** Maximum number of log lines of the servers that one run shows. */
const maxLogLines = 5_000;

/** Runs calls as tests: one question for all of them, then each through the gate, in order. */
export class TestRuns {
  readonly #options: TestRunsOptions;

  constructor(options: TestRunsOptions) {
    this.#options = options;
  }

  /** Never rejects because of a file, a server or an answer: each test shows its own error. */
  async run(
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
    kind: RunKind = {},
  ): Promise<void> {
    const { controller, items, values } = this.#options;
    const tests = await items.testsOf(request);
    const run = controller.createTestRun(request);
    // Disposed of at the end, because the token of continuous runs lives longer.
    const either = new LinkedCancellationSource(token, run.token);
    try {
      for (const { items: calls } of tests) for (const [, item] of calls) run.enqueued(item);
      const files = await readyFiles(tests, run, values, kind.environments);
      const meant = kind.isReplay === true ? await this.#atRecorded(files) : files;
      try {
        await this.#runFiles(run, meant, either.token, kind);
      } finally {
        for (const file of meant) file.values.results?.dispose();
      }
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
    const cleanUp = new CleanUpTime(token);
    const telling = new TestReporter(run, this.#options);
    try {
      const calls = files.flatMap((file) => file.calls);
      const unready = await this.#options.servers.ready(calls, kind, token);
      if (token.isCancellationRequested) return;
      const startable = files.map((file) => ({
        ...file,
        calls: file.calls.filter(({ server }) => !unready.has(server)),
      }));
      const approvals =
        kind.isQuiet === true ? new Map() : await approveTests(this.#options, startable);
      for (const file of files) {
        if (token.isCancellationRequested) return;
        await this.#runFile(file, { approvals, unready, token, kind, current, telling, cleanUp });
      }
    } finally {
      cleanUp.dispose();
      logging.dispose();
    }
  }

  async #atRecorded(files: readonly ReadyFile[]): Promise<readonly ReadyFile[]> {
    const moved = files.map((ready) => {
      const calls = ready.calls.map((call) => ({ ...call, server: recordedId(call.server) }));
      return { ...ready, calls };
    });
    const recorded = await this.#options.servers.recordedValues(
      moved.flatMap((each) => each.calls),
    );
    return moved.map((ready) => {
      // Values of recorded answers must not reach calls of servers.
      const values = this.#options.values.newSeparateRun(ready.calls, ready.values.environment);
      const generated = new GeneratedValues(recorded);
      return { ...ready, values: { ...values, generated, serverOf: recordedId } };
    });
  }

  async #runFile(ready: ReadyFile, fileRun: FileRun): Promise<void> {
    const { document, calls, values } = ready;
    const { telling, token, current } = fileRun;
    const { validator, runs } = this.#options;
    const results = runTests({
      calls,
      answers: values.results ?? {
        has: (name) => runs.hasResult(document.uri, name, values.environment),
      },
      validator,
      readText: readerFor(document.uri),
      isCancelled: () => token.isCancellationRequested,
      onStart: (call) => {
        const item = ready.items.get(call.name);
        if (item === undefined) return;
        telling.start(item);
        Object.assign(current, { item, server: call.server });
      },
      makeCall: (call, isCleanUp) => this.#make(ready, call, { ...fileRun, isCleanUp }),
    });
    for await (const result of results) await telling.notify(ready, result);
  }

  async #make(
    { document, file, origin, values }: ReadyFile,
    call: FileCall,
    {
      approvals,
      unready,
      token,
      kind,
      isCleanUp,
      cleanUp,
    }: FileRun & { readonly isCleanUp: boolean },
  ): Promise<AttemptedCall> {
    const message = unready.get(call.server);
    const isQuiet = kind.isQuiet === true;
    if (message !== undefined) return { kind: isQuiet ? 'skipped' : 'errored', message };
    if (approvals === undefined) return { kind: 'skipped', message: noRun() };
    const target = { uri: document.uri, file, call, origin, ofRun: values };
    const tested = { ...target, approval: approvals.get(call), isQuiet, isCleanUp };
    return this.#options.calls.make(tested, call.phase === 'after' ? cleanUp.token : token);
  }

  /** Shows the log of the run's servers in its output. */
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
      const text = left === 0 ? l10n.t('See the server logs for more.') : line;
      append(
        run,
        `  ${quoted(serverId)}: ${text}`,
        current.server === serverId ? current.item : undefined,
      );
    });
  }
}

interface FileRun {
  readonly telling: TestReporter;
  readonly cleanUp: CleanUpTime;
  readonly approvals: Approvals | undefined;
  /** Servers that are not running, with the reason. */
  readonly unready: ReadonlyMap<string, string>;
  readonly token: vscode.CancellationToken;
  readonly kind: RunKind;
  readonly current: { item?: vscode.TestItem; server?: string };
}

function noRun(): string {
  return l10n.t('Not called: you cancelled the run.');
}

/** Appends a line to the terminal output. The texts are plain. */
function append(run: vscode.TestRun, line: string, item: vscode.TestItem | undefined): void {
  run.appendOutput(`${line}\r\n`, undefined, item);
}

/**
 * Asks once about the calls of all files. If there are several files or environments, each call
 * names its own. Resolves with `undefined` if the user refuses the run.
 */
async function approveTests(
  options: ApprovalOptions,
  files: readonly ReadyFile[],
): Promise<Approvals | undefined> {
  const documents = new Set(files.map(({ document }) => document));
  const runs = files.map((ready) => ({ ...ready, file: { ...ready.file, calls: ready.calls } }));
  return approveCalls(options, nameOf(files), runs, {
    goesOn: true,
    prefixOf: ({ document, values: { environment } }) =>
      [
        ...(documents.size < 2 ? [] : [`${vscode.workspace.asRelativePath(document.uri)}: `]),
        ...(environment === undefined ? [] : [`[${environment}] `]),
      ].join(''),
  });
}

function nameOf(files: readonly ReadyFile[]): string {
  const [first, ...others] = new Set(files.map(({ document }) => document.uri));
  if (first === undefined) return '';
  const name = vscode.workspace.asRelativePath(first);
  return others.length === 0 ? name : l10n.t('{0} and {1} more', name, others.length);
}

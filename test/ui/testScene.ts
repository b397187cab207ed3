import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { SchemaValidator } from '../../src/core/schema/schema';
import { CallAnswers } from '../../src/host/callFiles/callAnswers';
import type { CallAnswer, CallQuestion } from '../../src/host/calls/call';
import { WindowFolder } from '../../src/host/results/resultSpool';
import { extensionId } from '../../src/ids';
import { CallFileRuns } from '../../src/ui/callFiles/callFileRuns';
import { CallFileValues } from '../../src/ui/callFiles/callFileValues';
import type { CallPreview } from '../../src/ui/callFiles/callPreviews';
import { TestExplorer } from '../../src/ui/testing/testExplorer';
import { SteeredConsent } from '../host/steeredConsent';
import { SteeredServers } from '../host/steeredServers';
import { until } from '../waiting';
import { gateWith } from '../host/steeredGate';

function steeredScript(): string {
  const extension = vscode.extensions.getExtension(extensionId);
  if (extension === undefined) throw new Error('the extension is not there');
  return path.join(extension.extensionPath, 'test/servers/steered.mjs');
}

/**
 * The Test Explorer of ours over real servers and the real gate, in a folder of the workspace. In
 * place of the person it answers with yes to every list, and notes what is asked.
 */
export class TestScene implements vscode.Disposable {
  readonly servers = new SteeredServers(undefined, {}, steeredScript());
  readonly consent = new SteeredConsent();
  /** Of answers in memory. */
  maxAnswerBytes = 2 ** 28;
  readonly #spool = new WindowFolder(path.join(tmpdir(), 'toolgate-scenes'));
  readonly answers = new CallAnswers({
    folder: this.#spool,
    maxBytes: () => this.maxAnswerBytes,
    onError: (error) => this.output.push(String(error)),
  });
  readonly runs = new CallFileRuns(this.answers);
  readonly restarted = new vscode.EventEmitter<string>();
  readonly controller: vscode.TestController;
  readonly explorer: TestExplorer;
  /** Lists of calls that a person was asked about. */
  readonly lists: (readonly CallPreview[])[] = [];
  /** Calls that were asked about by themselves. */
  readonly asked: CallQuestion[] = [];
  answer: CallAnswer = { kind: 'no' };
  /** What was typed for every input of a call file. */
  input: string | undefined;
  environments: Readonly<Record<string, JsonObject>> = {};
  /** The environment that is chosen. */
  environment: string | undefined;
  /** `<name> <status>` as the Test Explorer is told, with the words of its messages. */
  readonly told: string[] = [];
  /** What stands in the output, line by line. */
  readonly output: string[] = [];
  /** Where each line of the output belongs in a file. */
  readonly places: (vscode.Location | undefined)[] = [];
  /** Documents that were opened, by their titles. */
  readonly reports = new Map<string, string>();
  /** How often a run asked for an input. */
  inputQuestions = 0;
  /** Runs that are over. */
  ended = 0;
  readonly #parts: vscode.Disposable[] = [];
  readonly #folder: string;

  constructor(name: string) {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    // Each its own: VS Code goes on holding documents of files that are gone.
    this.#folder = mkdtempSync(path.join(folder?.uri.fsPath ?? '', `${name}-`));
    this.controller = vscode.tests.createTestController(name, name);
    const { registry } = this.servers;
    const gate = gateWith(this.consent, {
      registry,
      confirm: (question) => {
        this.asked.push(question);
        return Promise.resolve(this.answer);
      },
    });
    const valueOf = (variable: string, environment = '') =>
      this.environments[environment]?.[variable];
    const chosen = () => this.environment;
    const environments = {
      get name() {
        return chosen();
      },
      valueOf,
    };
    const values = new CallFileValues({
      env: { TOOLGATE_SCENE: 'of the environment' },
      inputs: {
        ask: () => {
          this.inputQuestions += 1;
          return Promise.resolve(this.input);
        },
      },
      environments,
      runs: this.runs,
    });
    const quietValues = new CallFileValues({
      env: {},
      inputs: { ask: () => Promise.resolve(undefined) },
      environments,
      runs: this.runs,
    });
    this.#noteRuns();
    this.explorer = new TestExplorer({
      controller: this.controller,
      prompts: { call: () => Promise.reject(new Error('a test reads no prompt')) },
      gate,
      registry,
      runs: this.runs,
      values,
      quietValues,
      validator: new SchemaValidator(),
      logs: { onDidLog: () => new vscode.Disposable(() => undefined) },
      questions: {
        ask: (_file, _origin, previewed) => {
          this.lists.push(previewed);
          return Promise.resolve(new Set(previewed.keys()));
        },
      },
      reports: { open: (stem, { text }) => Promise.resolve(void this.reports.set(stem, text)) },
      answers: { write: () => Promise.resolve() },
      ofCalls: this.answers,
      environments: { pickSeveral: () => Promise.resolve(Object.keys(this.environments)) },
      actions: {
        startForUse: async (id) => (await registry.start(id)).state.kind === 'running',
        restart: async (id) => (await registry.restart(id)).state.kind === 'running',
      },
      onDidRestartWatched: this.restarted.event,
      log: { warn: (text) => this.output.push(text) },
    });
    this.#parts.push(
      values,
      quietValues,
      this.runs,
      this.explorer,
      this.controller,
      this.restarted,
    );
  }

  async write(name: string, content: object): Promise<vscode.Uri> {
    const file = path.join(this.#folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(content, undefined, 2));
    return vscode.Uri.file(file);
  }

  /** Writes it, and waits until VS Code has told that it is there: told later, that were a change of it. */
  async writeSeen(name: string, content: object): Promise<vscode.Uri> {
    const folder = vscode.Uri.file(this.#folder);
    const watcher = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(folder, '*'),
    );
    const seen = new Set<string>();
    watcher.onDidCreate((uri) => seen.add(path.basename(uri.path)));
    // A folder is watched a moment after it was made; what is written into it before is never told.
    let probe = 0;
    await until(async () => {
      await this.write(`${(probe += 1)}.probe`, {});
      return seen.size > 0;
    });
    const uri = await this.write(name, content);
    await until(() => seen.has(name));
    watcher.dispose();
    return uri;
  }

  /** The file as a test, with its calls below it. */
  async itemOf(uri: vscode.Uri): Promise<vscode.TestItem> {
    await this.explorer.addOpen(await vscode.workspace.openTextDocument(uri));
    const item = this.controller.items.get(uri.toString());
    if (item === undefined) throw new Error(`no item for ${uri.fsPath}`);
    return item;
  }

  request(...include: readonly vscode.TestItem[]): vscode.TestRunRequest {
    return new vscode.TestRunRequest(include);
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose();
  }

  async end(): Promise<void> {
    this.dispose();
    await this.servers.end();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** What is told goes to the real Test Explorer, too. */
  #noteRuns(): void {
    const make = this.controller.createTestRun.bind(this.controller);
    const createTestRun: typeof make = (request, ...rest) => {
      const run = make(request, ...rest);
      const note = (item: vscode.TestItem, status: string, messages: unknown = []): void => {
        const words = [messages].flat().map((each) => String(Object(each).message));
        this.told.push([`${item.label} ${status}`, ...words].join(': '));
      };
      return {
        ...run,
        get token() {
          return run.token;
        },
        onDidDispose: run.onDidDispose,
        passed: (item, ms) => {
          note(item, 'passed');
          run.passed(item, ms);
        },
        failed: (item, messages, ms) => {
          note(item, 'failed', messages);
          run.failed(item, messages, ms);
        },
        errored: (item, messages, ms) => {
          note(item, 'errored', messages);
          run.errored(item, messages, ms);
        },
        skipped: (item) => {
          note(item, 'skipped');
          run.skipped(item);
        },
        appendOutput: (text, place, item) => {
          this.output.push(text.trimEnd());
          this.places.push(place);
          run.appendOutput(text, place, item);
        },
        end: () => {
          this.ended += 1;
          run.end();
        },
      };
    };
    Object.assign(this.controller, { createTestRun });
  }
}

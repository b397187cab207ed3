import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Emitter } from 'vscode-jsonrpc/node';
import { connectHttp } from '../../src/core/http/connectHttp';
import type { InputHandler } from '../../src/core/input/inputHandler';
import { McpError } from '../../src/core/errors';
import { SchemaValidator } from '../../src/core/schema/schema';
import type { SharedSecretStore } from '../../src/host/authorization/secretRecords';
import { combineJournals } from '../../src/host/calls/callJournal';
import { Gate } from '../../src/host/calls/gate';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import { TaskChoices } from '../../src/host/configuration/toolChoices';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import { ServerRegistry } from '../../src/host/connections/registry';
import { History } from '../../src/host/history/history';
import { HistoryRecorder } from '../../src/host/history/historyRecorder';
import { CallRecorder } from '../../src/host/journal/callRecorder';
import { SecretValues } from '../../src/host/secrets/secretValues';
import { ExclusiveLocks } from '../../src/host/storage/exclusiveLocks';
import { StoredTasks } from '../../src/host/tasks/storedTasks';
import { TaskKeeper } from '../../src/host/tasks/taskKeeper';
import { callLimits } from './callLimits';
import { journalIn } from './journalEntries';
import { ruleOf, SteeredConsent } from './steeredConsent';
import { silentLog } from '../silentLog';

/** Everything of a window that has to do with tasks, over real parts; `folder` is shared by windows. */
export class TaskWindow {
  account = '';
  /** Answers the questions of the server. */
  elicit: InputHandler['elicit'] = () => Promise.resolve({ action: 'decline' });
  readonly problems: string[] = [];
  readonly calls = new RunningCalls();
  readonly registry: ServerRegistry;
  readonly choices: TaskChoices;
  readonly history: History;
  readonly journal;
  readonly tasks: StoredTasks;
  readonly keeper: TaskKeeper;
  readonly gate: Gate;

  constructor(folder: string, secrets: SharedSecretStore, url: string, memory = newMemory()) {
    const validator = new SchemaValidator();
    this.choices = new TaskChoices(memory);
    this.registry = new ServerRegistry({
      taskChoices: this.choices,
      connect: (_config, { transport, ...hooks }, token) => {
        if (transport.kind !== 'http') throw new McpError('internal');
        const clientInfo = { name: 'window', title: 'Window', version: '1' };
        const input: InputHandler = { elicit: (...question) => this.elicit(...question) };
        return connectHttp(
          { url: transport.url, clientInfo, log: silentLog, input, ...hooks },
          token,
        );
      },
      isTrusted: () => true,
      approve: () => Promise.resolve(true),
      logOf: () => silentLog,
    });
    ({ journal: this.journal } = journalIn(path.join(folder, 'journal')));
    this.history = new History({
      folder: path.join(folder, 'history'),
      limits: () => ({ maxCalls: 100, maxBytes: 1e8, maxAgeDays: 30, maxAnswerBytes: 1e7 }),
      isOpen: () => false,
      onProblem: ({ detail }) => this.problems.push(detail),
    });
    const recorder = new HistoryRecorder({
      history: this.history,
      calls: this.calls,
      titleOf: ({ name }) => name,
      known: new SecretValues(),
      pathOf: () => undefined,
    });
    const consent = new SteeredConsent();
    consent.rules = [ruleOf('allow')];
    const journal = combineJournals(
      new CallRecorder({
        journal: this.journal,
        recordsArguments: () => true,
        isRequired: () => false,
      }),
      recorder,
    );
    this.tasks = new StoredTasks(secrets);
    this.keeper = new TaskKeeper({
      store: this.tasks,
      locks: new ExclusiveLocks({
        folder: path.join(folder, 'locks'),
        settleMs: 0,
        onProblem: (detail) => this.problems.push(detail),
      }),
      registry: this.registry,
      calls: this.calls,
      journal,
      validator,
      storedArgumentsOf: (callId) => recorder.storedArgumentsOf(callId),
      accountOf: () => Promise.resolve(this.account),
      onProblem: (detail) => this.problems.push(detail),
    });
    this.gate = new Gate({
      registry: this.registry,
      validator,
      consent: consent.consent,
      confirm: () => Promise.resolve({ kind: 'no' }),
      journal,
      calls: this.calls,
      tasks: this.keeper,
      limits: () => callLimits(60_000),
    });
    this.choices.onDidChange(() => this.registry.reassessMarks());
    this.registry.setConfiguration([configOf(url)], []);
  }

  call(tool: string, args: Record<string, unknown> = {}) {
    return this.gate.call({ server: 'tasks', tool, arguments: args, origin: 'tree' });
  }

  /** Resolves as soon as it holds of the calls. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return;
        subscription.dispose();
        resolve();
      };
      const subscription = this.calls.onDidChange(look);
      look();
    });
  }

  /** As a window that is closed: what it had is written. */
  async close(): Promise<void> {
    await this.registry.stopAll();
    await this.journal.stop();
    await this.history.stop();
    this.keeper.dispose();
    this.tasks.dispose();
    this.registry.dispose();
    this.history.dispose();
    this.calls.dispose();
    this.choices.dispose();
  }
}

function configOf(url: string): ServerConfig {
  const transport = { kind: 'http', url, headers: {} } as const;
  return { id: 'tasks', label: 'Tasks', source: { kind: 'setting' }, transport };
}

/** Like the memory that the editor keeps of a workspace. */
export function newMemory() {
  const stored = new Map<string, unknown>();
  return {
    get: (key: string) => stored.get(key),
    update: async (key: string, value: unknown) => {
      stored.set(key, structuredClone(value));
    },
  };
}

/** A store of secrets in a folder, so that it outlives its process. */
export class SecretsInFolder implements SharedSecretStore {
  readonly onDidChange = new Emitter<{ readonly key: string }>().event;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  keys = async () =>
    readdirSync(this.#folder).map((name) => Buffer.from(name, 'base64url').toString());
  get = async (key: string) => {
    try {
      return readFileSync(this.#fileOf(key), 'utf8');
    } catch {
      return undefined;
    }
  };
  store = async (key: string, value: string) => writeFileSync(this.#fileOf(key), value);
  delete = async (key: string) => rmSync(this.#fileOf(key), { force: true });

  #fileOf(key: string): string {
    return path.join(this.#folder, Buffer.from(key).toString('base64url'));
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { McpClient } from '../../src/core/client';
import { SchemaValidator } from '../../src/core/schema/schema';
import { riskOfTool } from '../../src/core/risk';
import { combineJournals } from '../../src/host/calls/callJournal';
import { Gate } from '../../src/host/calls/gate';
import { RunningCalls } from '../../src/host/calls/runningCalls';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import { ServerRegistry } from '../../src/host/connections/registry';
import { Consent } from '../../src/host/consent/consent';
import { Grants } from '../../src/host/consent/grants/grants';
import { RiskOverrides } from '../../src/host/consent/grants/overrides';
import { LockFiles } from '../../src/host/consent/pins/lockFiles';
import { ToolFingerprints } from '../../src/host/consent/pins/pinDefinition';
import { Pins } from '../../src/host/consent/pins/pins';
import { RuleBook } from '../../src/host/consent/rules/ruleBook';
import { History } from '../../src/host/history/history';
import { HistoryRecorder } from '../../src/host/history/historyRecorder';
import { CallRecorder } from '../../src/host/journal/callRecorder';
import { Journal } from '../../src/host/journal/journal';
import { SecretValues } from '../../src/host/secrets/secretValues';
import { SharedChanges } from '../../src/host/storage/sharedChanges';
import { silentLog } from '../silentLog';
import { clientOverStdio } from './adapter';

const mebi = 1024 * 1024;
const problems: string[] = [];
const onProblem = (problem: unknown) => problems.push(JSON.stringify(problem));
const unanswered = () => Promise.reject(new Error('nobody is asked here'));

interface GateSubjectOptions {
  /** Absent: a folder of its own, which goes when it is closed. */
  readonly base?: string;
  readonly maxPastCalls?: () => number;
  /** Absent: to what Node runs with the arguments. */
  readonly connect?: () => Promise<McpClient>;
}

/**
 * The gate with everything that is behind it in the product, joined as `src/parts` joins it, over
 * folders of its own; one rule allows every call.
 */
export async function openGate(args: readonly string[], options: GateSubjectOptions = {}) {
  const command = process.execPath;
  const { maxPastCalls = () => 200, connect = () => clientOverStdio(command, args) } = options;
  const base = options.base ?? mkdtempSync(path.join(tmpdir(), 'toolgate-gate-'));
  const globalStorage = path.join(base, 'global');
  const secrets = new SecretValues();
  const fingerprints = new ToolFingerprints();
  const config: ServerConfig = {
    id: 'bare',
    label: 'bare',
    source: { kind: 'setting' },
    transport: { kind: 'stdio', command, args, env: {} },
  };
  const journal = new Journal({
    folder: path.join(globalStorage, 'journal'),
    limits: () => ({ retentionDays: 90, maxBytes: 64 * mebi }),
    onProblem,
  });
  const changes = new SharedChanges(path.join(globalStorage, 'changes'));
  const stores = {
    changes,
    globalStorage,
    workspaceStorage: path.join(base, 'workspace'),
    onProblem,
    servers: () => registry.servers,
  };
  const lock = new LockFiles({ fileName: 'toolgate.lock.json', folders: () => [base] });
  const folder = path.join(globalStorage, 'pins');
  const pins = new Pins({ folder, onProblem, lock, fingerprints, changes });
  const rules = new RuleBook({ placeOfPath: () => Promise.resolve('unclear') });
  rules.setRules({
    user: [
      { effect: 'allow', server: 'bare' },
      { effect: 'allow', server: 'bare', origin: 'agent' },
    ],
    workspace: undefined,
    folders: [],
  });
  const registry: ServerRegistry = new ServerRegistry({
    connect,
    isTrusted: () => true,
    approve: () => Promise.resolve(true),
    riskOf: (_, tool) => riskOfTool(tool),
    logOf: () => silentLog,
  });
  const calls = new RunningCalls();
  const history = new History({
    folder: path.join(stores.workspaceStorage, 'history'),
    limits: () => ({
      maxCalls: maxPastCalls(),
      maxBytes: 64 * mebi,
      maxAgeDays: 30,
      maxAnswerBytes: mebi,
    }),
    isOpen: () => false,
    onProblem,
  });
  const recorder = new CallRecorder({
    journal,
    recordsArguments: () => false,
    isRequired: () => false,
    redact: (text) => secrets.redact(text),
  });
  const past = new HistoryRecorder({
    history,
    calls,
    titleOf: ({ name }) => name,
    known: secrets,
    pathOf: () => undefined,
  });
  const consent = new Consent({
    rules,
    grants: new Grants({ ...stores, fingerprints, allowsBroadDestructive: () => false }),
    pins,
    overrides: new RiskOverrides(stores),
    changes,
    offeredGrants: () => [],
    toolsOf: () => [],
    onProblem,
  });
  const gate = new Gate({
    registry,
    validator: new SchemaValidator(),
    consent,
    confirm: unanswered,
    journal: combineJournals(recorder, past),
    calls,
    limits: () => ({
      callTimeoutMs: 300_000,
      callTimeouts: new Map(),
      callCeilingMs: 3_600_000,
      maxCallsPerServer: 16,
    }),
  });
  registry.setConfiguration([config], []);
  await registry.start(config.id);
  for (const server of registry.servers) await pins.observe(server);
  return {
    problems,
    globalStorage,
    journal,
    history,
    pins,
    rules,
    registry,
    gate,
    call: (tool: string, given: Readonly<Record<string, unknown>>) =>
      gate.call({ server: config.id, tool, origin: 'api', arguments: given }),
    close: async () => {
      await registry.stopAll();
      await Promise.all([journal.stop(), history.stop()]);
      if (options.base === undefined) rmSync(base, { recursive: true });
    },
  };
}

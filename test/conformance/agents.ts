import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import { AgentScene } from '../host/agentScene';
import { killTree, onEnd } from '../vscode/cleanup';
import { projectFolder } from '../vscode/paths';
import { openFront } from './agentFront';

// The official suite against the endpoint for agents: socket, server side of MCP, gate, and a real
// server behind it, in both eras. What it asks of the HTTP that carries it here is nobody's promise.

const revisions = ['2025-11-25', '2026-07-28'] as const;

const noResources = 'agents are offered tools alone';
const noHttp = 'nothing of the endpoint is HTTP once an agent is let in, nor on a port';
const toPerson = 'what a server asks is asked of the person, not of the agent';
const noLogs = 'what servers log stands in their logs, not with agents';
const pending = 'tools of the suite that no server of ours has; not scored';

/** Scenarios by the beginnings of their names, that do not apply, and why. */
const leftOut: readonly (readonly [RegExp, string])[] = [
  [/^(?:logging-|tools-call-with-logging)/, noLogs],
  [/^completion-/, noResources],
  [/^(?:resources|prompts)-|^sep-2164-/, noResources],
  [/^(?:tools-call-sampling|tools-call-elicitation|elicitation-|input-required-)/, toPerson],
  [/^(?:dns-rebinding-|http-|server-sse-|server-session-)/, noHttp],
  [/^(?:tasks-|sep-2640-)/, 'an extension that is not declared'],
  [/^json-schema-2020-12$/, pending],
];

/** Single checks of the others that do not apply. */
const leftOutChecks: readonly (readonly [RegExp, string])[] = [
  [/^sep-2575-http-/, noHttp],
  [/^sep-2575-request-meta-invalid-missing-(?:meta|protocol-version)$/, 'it is of the older era'],
  [/^sep-2575-(?:missing-capability|server-rejects-undeclared-capability)/, toPerson],
  [/^sep-2575-server-sends-\w+-list-changed/, pending],
  [/^sep-2549-(?:prompts|resources)-/, noResources],
];

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** The result of a scenario. */
export interface ScenarioRow {
  readonly revision: string;
  readonly scenario: string;
  readonly isScored: boolean;
  /** Checks that looked at something. */
  readonly checks: number;
  readonly problems: readonly string[];
  /** Why it does not count; scenarios of the endpoint for agents only. */
  readonly leftOut?: string;
  /** It failed at first and was run once more; scenarios of the endpoint for agents only. */
  readonly isSecondTry?: boolean;
}

/** What came of each scenario; `node` is one that the suite runs in. */
export async function runAgentSuite(node: string, folder: string): Promise<readonly ScenarioRow[]> {
  const scene = new AgentScene({
    floods: { calls: Infinity, questions: Infinity },
    limits: { maxConnections: 1_000, maxConnectionsPerMinute: Infinity },
  });
  scene.answer = async () => ({ kind: 'run' });
  await scene.open();
  scene.servers.configure(suiteServer(scene.servers.config('a')));
  const front = await openFront(() => scene.connect({ server: 'a' }));
  try {
    const run = (which: readonly string[], output: string) =>
      runSuite(node, front.url, which, output);
    const rows: ScenarioRow[] = [];
    for (const revision of revisions) {
      const output = path.join(folder, `agents-${revision}`);
      await run(['--requirements', revision], output);
      for (const row of judge(revision, output)) {
        rows.push(row.problems.length === 0 ? row : await runAgain(row, run, output));
      }
    }
    return rows.map((row) => ({ ...row, scenario: `agents: ${row.scenario}` }));
  } finally {
    await front.close();
    await scene.end();
  }
}

/**
 * Runs a scenario once more, without the others: the suite waits only 500 ms for some answers, also on
 * a busy machine.
 */
async function runAgain(
  row: ScenarioRow,
  run: (which: readonly string[], output: string) => Promise<void>,
  folder: string,
): Promise<ScenarioRow> {
  const { revision, scenario, problems } = row;
  console.log(`${revision}  agents: ${scenario}, first try: ${problems.join('; ')}`);
  const output = path.join(folder, 'again', scenario);
  await run(['--scenario', scenario, '--spec-version', revision], output);
  const second = judge(revision, output).find((other) => other.scenario === scenario) ?? row;
  return { ...second, isSecondTry: true };
}

function suiteServer(config: ServerConfig): ServerConfig {
  const args = [path.join(projectFolder, 'test/servers/suiteTools.mjs')];
  return { ...config, transport: { kind: 'stdio', command: process.execPath, args, env: {} } };
}

const suite = path.join(projectFolder, 'node_modules/@modelcontextprotocol/conformance');

function runSuite(
  node: string,
  url: string,
  which: readonly string[],
  output: string,
): Promise<void> {
  const parameters = [path.join(suite, 'dist/index.js'), 'server', '--url', url, '-o', output];
  parameters.push(...which, '--timeout', '30000');
  return new Promise((resolve, reject) => {
    const child = spawn(node, parameters, { stdio: 'ignore', detached: true });
    const { pid } = child;
    const kill = pid === undefined ? () => undefined : onEnd(() => killTree(pid));
    child.on('error', reject);
    // Its exit code counts what is left out, too: what it wrote down is judged.
    child.on('close', () => {
      kill();
      resolve();
    });
  });
}

/** The `server:` list of the suite's own requirements file. */
function scoredScenarios(revision: string): readonly string[] {
  const text = readFileSync(path.join(suite, `requirements/${revision}.yaml`), 'utf8');
  const section = /^server:\n((?: {2}- .*\n)+)/m.exec(text)?.[1] ?? '';
  const scenarios = [...section.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = '']) => name);
  // Fewer would mean that the file is not what it was when this was written.
  if (scenarios.length < 25) throw new Error(`No server scenarios for ${revision}`);
  return scenarios;
}

function judge(revision: string, output: string): readonly ScenarioRow[] {
  const scored = scoredScenarios(revision);
  const found = new Map(
    readdirSync(output).map((folder) => [
      folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''),
      path.join(output, folder),
    ]),
  );
  const names = [...new Set([...scored, ...found.keys()])];
  return names.map((name): ScenarioRow => {
    const why = leftOut.find(([pattern]) => pattern.test(name))?.[1];
    const common = { revision, scenario: name, isScored: scored.includes(name) };
    if (why !== undefined) return { ...common, checks: 0, problems: [], leftOut: why };
    const folder = found.get(name);
    if (folder === undefined) return { ...common, checks: 0, problems: ['it did not run'] };
    return { ...common, ...readChecks(folder) };
  });
}

function readChecks(folder: string): Pick<ScenarioRow, 'checks' | 'problems'> {
  const all: readonly Check[] = JSON.parse(readFileSync(path.join(folder, 'checks.json'), 'utf8'));
  const counting = all.filter(({ id }) => !leftOutChecks.some(([pattern]) => pattern.test(id)));
  const bad = counting.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  const passed = counting.filter(({ status }) => status === 'SUCCESS').length;
  const problems = bad.map(
    ({ id, status, errorMessage = '' }) => `${status} ${id}: ${errorMessage}`,
  );
  if (passed === 0) problems.push('nothing was checked');
  return { checks: passed + bad.length, problems };
}

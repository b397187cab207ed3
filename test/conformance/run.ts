import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { resultVariable, type TestResult } from '../reporter';
import { onEnd, killTree } from '../vscode/cleanup';
import { projectFolder } from '../vscode/paths';
import { provisionServer } from '../vscode/provision';
import { makeTemporaryFolder } from '../vscode/server';
import { runAgentSuite, type ScenarioRow } from './agents';

// `npm run conformance`: the official suite against our client and, by `agents.ts`, against the
// endpoint for agents, for each revision that has a frozen set of requirements, and the sign-ins of 2025-03-26. Fails on any scenario that fails, warns,
// or did not run at all, but for those that are left out below, and when the suite did not get to its end.

const runs = [
  { name: '2025-11-25', parameters: ['--requirements', '2025-11-25'], fewest: 15 },
  { name: '2026-07-28', parameters: ['--requirements', '2026-07-28'], fewest: 15 },
  { name: '2025-03-26', parameters: ['--suite', 'backcompat'], fewest: 0 },
  // No set and no suite has them.
  ...['no-prefetch', 'verify-digest', 'verify-size', 'verify-frontmatter'].map((name) => ({
    name: 'skills',
    parameters: ['--scenario', `sep-2640-client-${name}`],
    fewest: 0,
  })),
];
type Run = (typeof runs)[number];

/** The server gives no access there, so the client ends with an error. */
const endInError: readonly string[] = [
  'auth/scope-retry-limit',
  'auth/resource-mismatch',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
];

const suiteFolder = path.join(projectFolder, 'node_modules/@modelcontextprotocol/conformance');
const { folder: temporaryFolder, remove } = makeTemporaryFolder('conformance');

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** The `client:` list of the suite's own requirements file. */
function scoredScenarios({ name: revision, fewest }: Run): readonly string[] {
  if (fewest === 0) return [];
  const text = readFileSync(path.join(suiteFolder, `requirements/${revision}.yaml`), 'utf8');
  const section = /^client:\n((?: {2}- .*\n)+)/m.exec(text)?.[1] ?? '';
  const scenarios = [...section.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = '']) => name);
  // Fewer would mean that the file is not what it was when this was written.
  if (scenarios.length < fewest) throw new Error(`No client scenarios for ${revision}`);
  return scenarios;
}

interface SuiteRun {
  readonly output: string;
  readonly written: string;
}

/** Its exit code counts what is left out, too: we judge by what it wrote down. */
function runSuite(
  node: string,
  { name, parameters: which }: Run,
  client: string,
): Promise<SuiteRun> {
  const output = path.join(temporaryFolder, name, which.at(-1) ?? '');
  const parameters = [path.join(suiteFolder, 'dist/index.js'), 'client', '-o', output];
  parameters.push('--command', `"${node}" "${client}"`, ...which);
  // All scenarios run at once, in thirty processes.
  parameters.push('--timeout', '180000');
  return new Promise((resolve, reject) => {
    const child = spawn(node, parameters, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const { pid } = child;
    const kill = pid === undefined ? () => undefined : onEnd(() => killTree(pid));
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    child.on('error', reject);
    child.on('close', () => {
      kill();
      // A single scenario writes its summary to stderr.
      const written = stdout + stderr;
      if (/=== SUITE SUMMARY ===|OVERALL: /.test(written)) return resolve({ output, written });
      reject(new Error(`The suite ended before its summary:\n${stderr.slice(-2_000)}`));
    });
  });
}

/** Folders by scenario: the suite names them `<scenario>-<time>`, a slash of the name included. */
function scenarioFolders(output: string): ReadonlyMap<string, string> {
  const files = readdirSync(output, { recursive: true, encoding: 'utf8' });
  const folders = files
    .filter((file) => path.basename(file) === 'checks.json')
    .map((file) => path.dirname(file));
  return new Map(
    folders.map((folder) => [
      folder.replaceAll(path.sep, '/').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''),
      path.join(output, folder),
    ]),
  );
}

function judge(run: Run, { output, written }: SuiteRun): readonly ScenarioRow[] {
  const { name: revision } = run;
  const scored = scoredScenarios(run);
  const folders = scenarioFolders(output);
  const others = [...folders.keys()].filter((name) => !scored.includes(name));
  if (scored.length + others.length === 0) throw new Error(`Nothing ran for ${revision}`);
  const toRow = (scenario: string): ScenarioRow => {
    const common = { revision, scenario, isScored: scored.includes(scenario) };
    const folder = folders.get(scenario);
    if (folder === undefined) return { ...common, checks: 0, problems: ['it did not run'] };
    const row = { ...common, ...readChecks(folder, endInError.includes(scenario)) };
    // A second opinion, in case that we read its files wrongly.
    const isPassed = written.includes(`\n✓ ${scenario}: `) || written.includes('OVERALL: PASSED');
    const agrees = isPassed || row.problems.length > 0;
    return agrees
      ? row
      : { ...row, problems: ['the summary of the suite does not name it passed'] };
  };
  return [...scored, ...others].map(toRow);
}

function readChecks(
  folder: string,
  endsInError: boolean,
): Pick<ScenarioRow, 'checks' | 'problems'> {
  const checks: readonly Check[] = JSON.parse(
    readFileSync(path.join(folder, 'checks.json'), 'utf8'),
  );
  const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
  const problems = bad.map(
    ({ id, status, errorMessage = '' }) => `${status} ${id}: ${errorMessage}`,
  );
  if (passed === 0) problems.push('nothing was checked');
  // Scenarios do not look at how the client ended.
  const isDone = readFileSync(path.join(folder, 'stdout.txt'), 'utf8').trim() === 'done';
  if (isDone && endsInError) problems.push('the client got to its end, and should not');
  if (!isDone && !endsInError) {
    const stderr = readFileSync(path.join(folder, 'stderr.txt'), 'utf8').trim();
    problems.push(`the client did not get to its end: ${stderr.slice(-500)}`);
  }
  return { checks: passed + bad.length, problems };
}

function print(rows: readonly ScenarioRow[]): void {
  for (const row of rows) {
    const { revision, scenario, checks, isScored, problems } = row;
    if (row.leftOut !== undefined) {
      console.log(`${revision}  ${scenario.padEnd(44)}  left out: ${row.leftOut}`);
      continue;
    }
    const verdict = problems.length === 0 ? 'passed' : 'FAILED';
    const cells = [revision, scenario.padEnd(44), `${checks} checks`.padStart(9)];
    console.log([...cells, (isScored ? 'scored' : 'not scored').padEnd(10), verdict].join('  '));
    for (const problem of problems) console.log(`            ${problem}`);
  }
}

async function main(): Promise<TestResult> {
  const { nodePath: node } = await provisionServer();
  const client = path.join(temporaryFolder, 'client.js');
  await build({
    entryPoints: [path.join(__dirname, 'client.ts')],
    outfile: client,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
  const rows: ScenarioRow[] = [];
  let crashes = 0;
  for (const run of runs) {
    try {
      rows.push(...judge(run, await runSuite(node, run, client)));
    } catch (error) {
      console.error(run.name, error);
      crashes += 1;
    }
  }
  try {
    rows.push(...(await runAgentSuite(node, temporaryFolder)));
  } catch (error) {
    console.error('agents', error);
    crashes += 1;
  }
  print(rows);
  const counted = rows.filter(({ leftOut }) => leftOut === undefined);
  const wrong = counted.filter(({ problems }) => problems.length > 0);
  const results = path.join(projectFolder, 'test/results');
  mkdirSync(results, { recursive: true });
  writeFileSync(path.join(results, 'conformance.json'), JSON.stringify(rows, undefined, 2));
  const named = (some: readonly ScenarioRow[]) =>
    some.map((row) => `${row.revision} ${row.scenario}`);
  return {
    passed: counted.length - wrong.length,
    failed: wrong.length + crashes,
    failures: named(wrong),
    secondTries: named(counted.filter(({ isSecondTry = false }) => isSecondTry)),
  };
}

main().then(
  (result) => {
    remove();
    const file = process.env[resultVariable];
    if (file !== undefined) writeFileSync(file, JSON.stringify(result));
    console.log(`conformance: ${result.passed} passed, ${result.failed} failed`);
    process.exitCode = result.failed > 0 || result.passed === 0 ? 1 : 0;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);

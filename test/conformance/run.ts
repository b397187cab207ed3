import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { provisionServer } from '../vscode/provision';

// `npm run conformance`: the official suite against our client, for each revision that has a
// frozen set of requirements. Fails on any scored scenario outside auth/ that fails or warns.
const root = path.resolve(__dirname, '../..');
const revisions = ['2025-11-25', '2026-07-28'];
/** Fewer scenarios than this means that the suite ran nothing. */
const fewestScenarios = 5;

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

interface Row {
  readonly revision: string;
  readonly scenario: string;
  readonly isScored: boolean;
  readonly verdict: 'passed' | 'warned' | 'failed';
  readonly checks: number;
  readonly problems: readonly string[];
}

/** The `client:` list of the suite's own requirements file. */
function scoredScenarios(revision: string): ReadonlySet<string> {
  const file = path.join(
    root,
    `node_modules/@modelcontextprotocol/conformance/requirements/${revision}.yaml`,
  );
  const scored = new Set<string>();
  let section = '';
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const heading = /^(\w+):/.exec(line)?.[1];
    if (heading !== undefined) section = heading;
    const item = /^ {2}- ([\w/.-]+)\s*$/.exec(line)?.[1];
    if (section === 'client' && item !== undefined) scored.add(item);
  }
  return scored;
}

function toRow(revision: string, folder: string, scored: ReadonlySet<string>): Row | undefined {
  const { name: folderName } = path.parse(folder);
  const checks = JSON.parse(readFileSync(path.join(folder, 'checks.json'), 'utf8')) as Check[];
  // client-<scenario>-<time> or <scenario>-<time>, slashes kept as folders by the suite.
  const scenario = [...scored].find((name) => folder.includes(`${name}-20`)) ?? folderName;
  const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  return {
    revision,
    scenario,
    isScored: scored.has(scenario),
    verdict: bad.some(({ status }) => status === 'FAILURE')
      ? 'failed'
      : bad.length > 0
        ? 'warned'
        : 'passed',
    checks: checks.length,
    problems: bad.map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage ?? ''}`),
  };
}

async function runSuite(node: string, revision: string, client: string): Promise<Row[]> {
  const output = mkdtempSync(path.join(tmpdir(), 'toolgate-conformance-'));
  const suite = path.join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const args = [suite, 'client', '--command', `${node} ${client}`, '--requirements', revision];
  // Its exit code counts scenarios of auth/ too: we judge by what it wrote down.
  await new Promise<void>((resolve) => {
    execFile(node, [...args, '-o', output], { maxBuffer: 1 << 28 }, () => resolve());
  });
  const scored = scoredScenarios(revision);
  const rows = readdirSync(output, { recursive: true, encoding: 'utf8' })
    .filter((file) => path.basename(file) === 'checks.json')
    .map((file) => toRow(revision, path.join(output, path.dirname(file)), scored))
    .filter((row) => row !== undefined);
  rmSync(output, { recursive: true, force: true });
  return rows;
}

async function main(): Promise<void> {
  const { nodePath: node } = await provisionServer();
  const outfile = path.join(root, 'dist/conformance/client.js');
  await build({
    entryPoints: [path.join(__dirname, 'client.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
  const rows: Row[] = [];
  for (const revision of revisions) rows.push(...(await runSuite(node, revision, outfile)));

  const ours = rows.filter(({ scenario }) => !scenario.startsWith('auth/'));
  for (const row of ours) {
    const scored = row.isScored ? 'scored' : 'not scored';
    const cells = [row.revision, row.scenario.padEnd(40), `${row.checks} checks`.padStart(10)];
    console.log([...cells, scored.padEnd(10), row.verdict].join('  '));
    for (const problem of row.problems) console.log(`      ${problem}`);
  }
  const counted = ours.filter(({ isScored }) => isScored);
  const passed = counted.filter(({ verdict }) => verdict === 'passed').length;
  const failed = counted.length - passed + (counted.length < fewestScenarios ? 1 : 0);
  mkdirSync(path.join(root, 'test/results'), { recursive: true });
  writeFileSync(path.join(root, 'test/results/conformance.json'), JSON.stringify(rows, null, 2));
  console.log(`conformance: ${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

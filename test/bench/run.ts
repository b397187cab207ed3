import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import events from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { provisionNode } from '../vscode/provision';
import { linesOf, rowsOf, type Figures, type Row, type Table } from './table';
import * as tables from './tables';
import { subjects, tableOfWork, workloads, type SubjectName, type Workload } from './workloads';

// `npm run bench [row …]`: our client, the official SDKs and the physical limit, interleaved in
// fresh processes on Node 24, and the product beside its parts; medians, and ratios to what runs beside
// it. Ratios hold from machine to machine, times do not. Exits with 1 when a goal is missed by more than
// the tolerance, or nothing was measured.
const folder = __dirname;
const built = path.resolve(folder, '../../dist/bench');
const results = path.resolve(folder, '../results');
const server = path.join(folder, 'server.mjs');
const inBuilt = (name: string): string => path.join(built, `${name}.js`);

/** Programs that measure, and those that they start. */
const programs =
  'client limit adapter openingAdapter sdk1 sdk2 gateClient callFileClient soakClient treeClient ' +
  'serversClient agentClient agentWindow agentProxies programTurns';

async function bundle(): Promise<void> {
  await build({
    entryPoints: [
      ...programs.split(' ').map((name) => path.join(folder, `${name}.ts`)),
      path.join(folder, '../../src/gateway/gateway.ts'),
    ],
    entryNames: '[name]',
    outdir: built,
    bundle: true,
    // As the product ships.
    minify: true,
    platform: 'node',
    mainFields: ['module', 'main'],
    format: 'cjs',
    target: 'node24',
    logLevel: 'error',
  });
}

/** A million calls take minutes. */
const limitMs = 3_600_000;

/**
 * The figures that a program prints first. It is killed then, and does not exit by itself: Node 24 may wait
 * for ever in `process.exit` for V8 threads that compile in the background and themselves wait for
 * memory.
 */
async function figuresOf(command: string, args: readonly string[]): Promise<Figures> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const ended = events.once(child, 'close');
  try {
    for await (const first of createInterface(child.stdout)) return JSON.parse(first) as Figures;
    throw new Error(`${[command, ...args].join(' ')} ended without figures.`);
  } finally {
    clearTimeout(limit);
    child.kill('SIGKILL');
    await ended;
  }
}

const named = (prefix: string, figures: Figures): Figures =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}.${name}`, value]));

function measureOnce(node: string, workload: Workload, subject: SubjectName): Promise<Figures> {
  const { name, work = name, answer = work, transport = 'stdio', oneCore } = workload;
  const own = work === 'open' ? 'openingAdapter' : 'adapter';
  const module = inBuilt(subject === 'toolgate' ? own : subject);
  const args = [inBuilt('client'), module, work, server, transport, answer];
  const isPinned = oneCore === true && existsSync('/usr/bin/taskset');
  return isPinned
    ? figuresOf('/usr/bin/taskset', ['-c', '0', node, ...args])
    : figuresOf(node, args);
}

async function measureWork(node: string, workload: Workload): Promise<readonly Figures[]> {
  const { rounds, roundsOfSdks = rounds } = workload;
  const seen: Figures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const ofRound = round < roundsOfSdks ? subjects : subjects.slice(0, 2);
    for (const subject of ofRound) {
      seen.push(named(subject, await measureOnce(node, workload, subject)));
    }
  }
  return seen;
}

/** So many rounds of all these programs in turn. */
async function inRounds(
  rounds: number,
  ...work: readonly (() => Promise<Figures>)[]
): Promise<readonly Figures[]> {
  const seen: Figures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const each of work) seen.push(await each());
  }
  return seen;
}

const serverOf = (name: string): string =>
  path.join(path.dirname(require.resolve(`${name}/package.json`)), 'dist/index.js');
/** The last two are by the official SDK. */
const scripts: Readonly<Record<tables.AgentServer, string>> = {
  bare: server,
  waits: server,
  official: serverOf('@modelcontextprotocol/server-everything'),
  files: serverOf('@modelcontextprotocol/server-filesystem'),
};

type Measure = () => Promise<readonly Figures[]>;

/** Each row that can be asked for by its name: what measures it, and the tables that show it. */
function benchmarks(node: string): readonly (readonly [tables: readonly Table[], Measure])[] {
  const gateProgram =
    (name: string, ...args: readonly string[]) =>
    () =>
      figuresOf(node, ['--expose-gc', inBuilt(name), server, ...args]);
  const plain =
    (name: string, ...args: readonly string[]) =>
    () =>
      figuresOf(node, [inBuilt(name), ...args]);
  const ofAgents = Object.entries(scripts).map(
    ([kind, script]) =>
      async () =>
        named(kind, await plain('agentClient', kind, script, built)()),
  );
  const calls = process.env['TOOLGATE_BENCH_CALLS'] ?? '100000';
  return [
    ...workloads.map((each) => [[tableOfWork(each)], () => measureWork(node, each)] as const),
    [[tables.gate], () => inRounds(5, gateProgram('gateClient'))],
    [[tables.callFile], () => inRounds(5, gateProgram('callFileClient'))],
    [[tables.soak], () => inRounds(1, gateProgram('soakClient', calls))],
    [[tables.tree], () => inRounds(5, plain('treeClient', server))],
    [
      [tables.servers],
      () => inRounds(5, plain('serversClient', server), plain('serversClient', server, 'bare')),
    ],
    [[tables.agent], () => inRounds(5, ...ofAgents)],
    // Only this row needs a browser.
    [tables.inWindow, async () => (await import('./window')).measureWindows(built, server)],
  ];
}

async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const node = await provisionNode();
  await bundle();
  const rows: Row[] = [];
  for (const [shown, measure] of benchmarks(node)) {
    if (wanted.length > 0 && !shown.some(({ name }) => wanted.includes(name))) continue;
    const seen = await measure();
    for (const table of shown) {
      const found = rowsOf(table, seen);
      rows.push(...found);
      for (const each of linesOf(table, found)) console.log(each);
    }
  }
  mkdirSync(results, { recursive: true });
  writeFileSync(path.join(results, 'bench.json'), JSON.stringify(rows, undefined, 2) + '\n');
  const judged = rows.filter(({ verdict }) => verdict !== undefined);
  const missed = judged.filter(({ verdict }) => verdict === 'missed');
  console.log(`${judged.length - missed.length} of ${judged.length} goals met`);
  if (missed.length > 0 || rows.length === 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

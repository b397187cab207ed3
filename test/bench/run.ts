import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import events from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { provisionNode } from '../vscode/provision';
import { benchmarks, inWindow, type Benchmark, type Program } from './rows';
import { heading, lineOf, prefixed, rowsOf, type Figures, type Row, type Goal } from './table';

// `npm run bench [row …]`: our client, the official SDKs and the physical limit, interleaved in
// fresh processes on Node 24, and the product beside its parts; medians, and ratios to what runs beside
// it. Ratios hold from machine to machine, times do not. Exits with 1 when a goal is missed by more than
// the tolerance, or nothing was measured.
const folder = __dirname;
const built = path.resolve(folder, '../../dist/bench');
const results = path.resolve(folder, '../results');
const server = path.join(folder, 'server.mjs');
const taskset = '/usr/bin/taskset';

/** Programs that measure, and those that they start. */
const programs =
  'client limit adapter opened sdk1 sdk2 gateClient agentClient growth agentWindow programTurns windowHelper';

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
    // Of the extension host of the window.
    target: 'node22',
    external: ['vscode'],
    logLevel: 'error',
  });
}

/**
 * The figures that a program prints first. It is killed then, and does not exit by itself: Node 24 may wait
 * for ever in `process.exit` for V8 threads that compile in the background and themselves wait for
 * memory.
 */
async function figuresOf(node: string, { name, args, prefix, oneCore }: Program): Promise<Figures> {
  const program = [node, path.join(built, `${name}.js`), server, ...args];
  const isPinned = oneCore === true && existsSync(taskset);
  const [command = '', ...given] = isPinned ? [taskset, '-c', '0', ...program] : program;
  const child = spawn(command, given, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = events.once(child, 'close');
  try {
    for await (const first of createInterface(child.stdout)) {
      return prefixed(prefix, JSON.parse(first) as Figures);
    }
    throw new Error(`${program.join(' ')} ended without figures.`);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

async function measure(node: string, { rounds, programs: all }: Benchmark) {
  const seen: Figures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const program of all) {
      if (round < (program.rounds ?? rounds)) seen.push(await figuresOf(node, program));
    }
  }
  return seen;
}

async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
  const node = await provisionNode();
  await bundle();
  const rows: Row[] = [];
  const show = (goals: readonly Goal[], seen: readonly Figures[]): void => {
    for (const row of rowsOf(goals, seen)) {
      rows.push(row);
      console.log(lineOf(row));
    }
  };
  console.log(heading);
  for (const benchmark of benchmarks) {
    if (isWanted(benchmark.name)) show(benchmark.goals, await measure(node, benchmark));
  }
  // Only these need a browser.
  if (isWanted('window')) {
    show(inWindow, await (await import('./window')).measureWindows(built, server));
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

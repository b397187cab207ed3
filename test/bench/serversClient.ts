import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { clientOverStdio } from './clients';
import { printFigures } from './gateTimes';
import { connectStdio } from './limit';
import type { Subject } from './subject';
import { draw, openTree } from './treeSubject';

// Forty servers of 20 tools each that start together, with all that keeps up with their lists, beside
// as many bare pipes to the same servers in the same process: `serversClient.js <server script>`.
// Prints one JSON object of figures.
const [server = ''] = process.argv.slice(2);
const labels = Array.from({ length: 40 }, (_, at) => `server ${at}`);
const given = [server, 'list20'];
const toolsOfEach = 20;
const idleMs = 5_000;

interface Measured {
  readonly ms: number;
  readonly stallMs: number;
  readonly cpuMs: number;
}

/** Until it is done and a moment longer, in which what was put off comes. */
async function measured(work: () => Promise<void>): Promise<Measured> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  await delay(20);
  loop.reset();
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const ms = performance.now() - startedAt;
  await delay(1_000);
  loop.disable();
  return { ms, stallMs: loop.max / 1e6, cpuMs: cpuSince(before) };
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** CPU of the process while nobody does anything, in milliseconds a minute. */
async function idle(): Promise<number> {
  const before = process.cpuUsage();
  await delay(idleMs);
  return (cpuSince(before) / idleMs) * 60_000;
}

async function startBare(started: Subject[]): Promise<void> {
  const all = await Promise.all(labels.map(() => connectStdio(process.execPath, given)));
  for (const listed of await Promise.all(all.map((each) => each.listTools()))) {
    if (listed.length !== toolsOfEach) throw new Error('a list is not whole');
  }
  started.push(...all);
}

async function main(): Promise<Readonly<Record<string, number>>> {
  const base = mkdtempSync(path.join(tmpdir(), 'toolgate-servers-'));
  const { registry, lastTools, model, problems } = openTree({
    base,
    labels,
    connect: () => clientOverStdio(process.execPath, given),
  });
  const emptyCpuMs = await idle();
  const rows = await measured(() => Promise.resolve(draw(model)));
  const started: Subject[] = [];
  const bare = await measured(() => startBare(started));
  await Promise.all(started.map((each) => each.close()));
  const ours = await measured(async () => {
    await Promise.all(labels.map((label) => registry.start(label)));
    draw(model);
  });
  const listed = registry.servers.flatMap(({ tools }) => tools).length;
  if (listed !== labels.length * toolsOfEach) throw new Error(`${listed} tools`);
  const idleCpuMs = await idle();
  await lastTools.stop();
  await registry.stopAll();
  rmSync(base, { recursive: true });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return {
    rowsMs: rows.ms,
    bareMs: bare.ms,
    bareStallMs: bare.stallMs,
    bareCpuMs: bare.cpuMs,
    startMs: ours.ms,
    stallMs: ours.stallMs,
    cpuMs: ours.cpuMs,
    emptyCpuMs,
    idleCpuMs,
  };
}

printFigures(main());

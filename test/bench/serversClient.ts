import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextRound, setTimeout as delay } from 'node:timers/promises';
import { clientOverStdio } from './clients';
import { printFigures } from './gateTimes';
import { connectStdio } from './limit';
import { watchTurns } from './longestTurns';
import type { Subject } from './subject';
import { draw, openTree } from './treeSubject';

// Forty servers of 20 tools each that start together, with all that keeps up with their lists:
// `serversClient.js <server script>`; with `bare` behind it as many bare pipes to the same servers
// instead, of which a program starts in each round of the event loop, as with us: what no host does
// without. Prints one JSON object of figures.
const [server = '', subject = 'toolgate'] = process.argv.slice(2);
const labels = Array.from({ length: 40 }, (_, at) => `server ${at}`);
const given = [server, 'list20'];
const toolsOfEach = 20;
const idleMs = 5_000;

interface Measured {
  readonly ms: number;
  readonly cpuMs: number;
  /** Of the turn that was the longest by the clock, and of the one with the most work. */
  readonly stallMs: number;
  readonly turnCpuMs: number;
}

/** Until it is done and a moment longer, in which what was put off comes. */
async function measured(work: () => Promise<void>): Promise<Measured> {
  await delay(20);
  const longest = watchTurns();
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const ms = performance.now() - startedAt;
  await delay(1_000);
  const { ms: stallMs, cpuMs: turnCpuMs } = longest();
  return { ms, cpuMs: cpuSince(before), stallMs, turnCpuMs };
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

async function connectBare(): Promise<readonly Subject[]> {
  const all: Promise<Subject>[] = [];
  for (let count = 0; count < labels.length; count++) {
    all.push(connectStdio(process.execPath, given));
    await nextRound();
  }
  return Promise.all(all);
}

async function measureBare(): Promise<Readonly<Record<string, number>>> {
  let started: readonly Subject[] = [];
  const bare = await measured(async () => {
    started = await connectBare();
    for (const listed of await Promise.all(started.map((each) => each.listTools()))) {
      if (listed.length !== toolsOfEach) throw new Error('a list is not whole');
    }
  });
  await Promise.all(started.map((each) => each.close()));
  return {
    bareMs: bare.ms,
    bareCpuMs: bare.cpuMs,
    bareStallMs: bare.stallMs,
    bareTurnCpuMs: bare.turnCpuMs,
  };
}

async function measureOurs(): Promise<Readonly<Record<string, number>>> {
  const base = mkdtempSync(path.join(tmpdir(), 'toolgate-servers-'));
  const { registry, lastTools, model, problems } = openTree({
    base,
    labels,
    connect: () => clientOverStdio(process.execPath, given),
  });
  const emptyCpuMs = await idle();
  const rows = await measured(() => Promise.resolve(draw(model)));
  const ours = await measured(async () => {
    await Promise.all(labels.map((label) => registry.start(label)));
    // VS Code asks when it was told, in a message.
    await nextRound();
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
    startMs: ours.ms,
    cpuMs: ours.cpuMs,
    stallMs: ours.stallMs,
    turnCpuMs: ours.turnCpuMs,
    emptyCpuMs,
    idleCpuMs,
  };
}

printFigures(subject === 'bare' ? measureBare() : measureOurs());

import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import events from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { provisionNode } from '../vscode/provision';
import { agentLine, agentRow } from './agentRows';
import { gateRows, toGateLines, type GateRow } from './gateRows';
import { serversLines, serversRow } from './serversRows';
import { treeLines, treeRow } from './treeRows';
import { windowLines, windowRow } from './windowRows';

// `npm run bench [row …]`: our client, the official SDKs and the physical limit, interleaved in
// fresh processes on Node 24; medians, and ratios to the limit. Ratios hold from machine to
// machine, times do not. Exits with 1 when a goal is missed by more than the tolerance, or a promise
// at all.
const folder = __dirname;
const built = path.resolve(folder, '../../dist/bench');
const results = path.resolve(folder, '../results');
const tolerance = 1.15;
const subjects = ['limit', 'toolgate', 'sdk1', 'sdk2'] as const;
type SubjectName = (typeof subjects)[number];
type Figures = Record<string, number>;

interface Goal {
  readonly figure: string;
  readonly title: string;
  readonly moreIsBetter?: true;
  /** Bound on toolgate / limit. */
  readonly goal: number;
  /** Promised: no tolerance. */
  readonly isExact?: true;
  /** Bound on toolgate's own figure, too, whatever the limit is here. It is a promise. */
  readonly atMost?: number;
  /** Times that toolgate must be ahead of SDK 1.x. */
  readonly aheadOfSdk1?: number;
}

interface Workload {
  readonly name: string;
  /** What is done, for the client and its server; absent: the name. */
  readonly work?: string;
  /** What the server answers; absent: what the work says. */
  readonly answer?: string;
  /** Absent: stdio. */
  readonly transport?: 'http';
  readonly rounds: number;
  /** Where they take half a minute and their ratio is far from any bound. */
  readonly roundsOfSdks?: number;
  /** Client and server share one core, as a sequential call over a pipe can at best. */
  readonly oneCore?: true;
  readonly goals: readonly Goal[];
}

const flight = (inFlight: number, goal: number): Goal => ({
  figure: 'callsPerSecond',
  title: `calls/s, ${inFlight} in flight`,
  moreIsBetter: true,
  goal,
  aheadOfSdk1: 2,
});
const once = (title: string, ms: number, peak?: number, stall?: number): Goal[] => [
  { figure: 'ms', title: `${title}: time`, goal: ms },
  ...(peak === undefined
    ? []
    : [{ figure: 'peakMiB', title: `${title}: peak memory`, goal: peak }]),
  ...(stall === undefined
    ? []
    : [{ figure: 'stallMs', title: `${title}: longest stall`, goal: stall }]),
];

/** A person feels a window that stands still for longer. */
const maxStallMs = 30;

/** From the wire to the opened document, beside a limit that only reads and parses the line. */
const opened = (title: string, peak: number): Goal[] => [
  { figure: 'peakMiB', title: `${title}: peak memory`, goal: peak, isExact: true },
  { figure: 'stallMs', title: `${title}: longest stall`, goal: 0.2, atMost: maxStallMs },
];
const opening = { work: 'open', rounds: 5, roundsOfSdks: 1 } as const;
/** Of some ten milliseconds, which one collection of memory more or less changes by a tenth. */
const short = { rounds: 15, roundsOfSdks: 5 } as const;

const workloads: readonly Workload[] = [
  {
    name: 'sequential',
    rounds: 5,
    oneCore: true,
    goals: [{ figure: 'p50Ms', title: 'sequential call, p50', goal: 1.15 }],
  },
  { name: 'flight16', rounds: 9, goals: [flight(16, 0.75)] },
  { name: 'flight256', rounds: 5, goals: [flight(256, 0.5)] },
  { name: 'notify50k', ...short, goals: once('50,000 notifications', 1.2) },
  { name: 'list10k', ...short, goals: once('list 10,000 tools', 1.15, 1.15, 1.15) },
  { name: 'list1kOutput', ...short, goals: once('list 1,000 tools with output schemas', 1.2) },
  { name: 'text64', rounds: 5, roundsOfSdks: 1, goals: once('64 MiB text', 1.1, 0.7, 0.15) },
  { name: 'image64', rounds: 5, roundsOfSdks: 1, goals: once('64 MiB image', 0.8, 0.35, 0.15) },
  {
    name: 'connect',
    ...short,
    goals: [{ figure: 'cpuMs', title: 'connect, CPU', goal: 2 }],
  },
  {
    name: 'http16',
    work: 'flight16',
    transport: 'http',
    rounds: 9,
    roundsOfSdks: 3,
    goals: [
      {
        figure: 'callsPerSecond',
        title: 'HTTP calls/s, 16 in flight',
        moreIsBetter: true,
        goal: 0.9,
      },
    ],
  },
  {
    name: 'httpText64',
    work: 'text64',
    transport: 'http',
    rounds: 5,
    roundsOfSdks: 1,
    goals: once('HTTP, 64 MiB text', 1.1, 0.7, 0.15),
  },
  {
    name: 'httpImage64',
    work: 'image64',
    transport: 'http',
    rounds: 5,
    roundsOfSdks: 1,
    goals: once('HTTP, 64 MiB image', 0.8, 0.35, 0.15),
  },
  { name: 'openText64', answer: 'text64', ...opening, goals: opened('64 MiB text, opened', 0.7) },
  {
    name: 'openImage64',
    answer: 'image64',
    ...opening,
    goals: opened('64 MiB image, opened', 0.7),
  },
  {
    name: 'httpOpenText64',
    answer: 'text64',
    transport: 'http',
    ...opening,
    goals: opened('HTTP, 64 MiB text, opened', 0.7),
  },
  {
    name: 'sseOpenText64',
    answer: 'sseText64',
    transport: 'http',
    ...opening,
    goals: opened('SSE, 64 MiB text, opened', 0.7),
  },
  {
    name: 'httpOpenImage64',
    answer: 'image64',
    transport: 'http',
    ...opening,
    goals: opened('HTTP, 64 MiB image, opened', 0.7),
  },
  {
    name: 'openRows64',
    answer: 'rows64',
    ...opening,
    goals: opened('64 MiB of rows, opened', 0.7),
  },
  {
    name: 'openLong64',
    answer: 'long64',
    ...opening,
    goals: opened('64 MiB of long rows, opened', 0.7),
  },
  {
    name: 'httpOpenRows64',
    answer: 'rows64',
    transport: 'http',
    ...opening,
    goals: opened('HTTP, 64 MiB of rows, opened', 0.7),
  },
  {
    name: 'sseOpenRows64',
    answer: 'sseRows64',
    transport: 'http',
    ...opening,
    goals: opened('SSE, 64 MiB of rows, opened', 0.7),
  },
];

const subjectsFiles = ['client', 'limit', 'adapter', 'openingAdapter', 'sdk1', 'sdk2'];
/** The product without a window: programs that print figures of their own. */
const gateClients = { gate: 'gateClient', callFile: 'callFileClient', soak: 'soakClient' } as const;
type GateName = keyof typeof gateClients;
/** Processes of each; the median counts. */
const gateRounds: Readonly<Record<GateName, number>> = { gate: 5, callFile: 5, soak: 1 };
const longestSoakMs = 3_600_000;
/** 10^5 calls take half a minute. */
const soakCalls = process.env['TOOLGATE_BENCH_CALLS'] ?? '100000';

/** Processes that list 20,000 tools, start forty servers, or call as an agent. */
const plainClients = ['treeClient', 'serversClient', 'agentClient'];
const plainRounds = 5;
const server = path.join(folder, 'server.mjs');
/** A server by the official SDK. */
const everything = path.join(
  path.dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);
const inBuilt = (name: string): string => path.join(built, `${name}.js`);

async function bundle(): Promise<void> {
  await build({
    entryPoints: [
      ...[...subjectsFiles, ...Object.values(gateClients), ...plainClients].map((f) =>
        path.join(folder, `${f}.ts`),
      ),
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

async function measureOnce(
  node: string,
  workload: Workload,
  subject: SubjectName,
): Promise<Figures> {
  const own = workload.work === opening.work ? 'openingAdapter' : 'adapter';
  const module = path.join(built, `${subject === 'toolgate' ? own : subject}.js`);
  const args = [
    path.join(built, 'client.js'),
    module,
    workload.work ?? workload.name,
    path.join(folder, 'server.mjs'),
    workload.transport ?? 'stdio',
    workload.answer ?? workload.work ?? workload.name,
  ];
  const pinned = workload.oneCore && existsSync('/usr/bin/taskset');
  const [command, ...rest] = pinned
    ? ['/usr/bin/taskset', '-c', '0', node, ...args]
    : [node, ...args];
  return firstLine(command ?? node, rest).then((text) => JSON.parse(text) as Figures);
}

/**
 * What the program prints first. It is killed then, and does not exit by itself: Node 24 may wait
 * for ever in `process.exit` for V8 threads that compile in the background and themselves wait for
 * memory.
 */
async function firstLine(
  command: string,
  args: readonly string[],
  limitMs = 300_000,
): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const ended = events.once(child, 'close');
  try {
    for await (const first of createInterface(child.stdout)) return first;
    throw new Error(`${[command, ...args].join(' ')} ended without figures.`);
  } finally {
    clearTimeout(limit);
    child.kill('SIGKILL');
    await ended;
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}

interface Row {
  readonly title: string;
  readonly limit: number;
  readonly toolgate: number;
  readonly sdk1: number;
  readonly sdk2: number;
  readonly goal: number;
  /** Toolgate's own figure, where that is bound, too. */
  readonly own?: number;
  readonly verdict: 'met' | 'near' | 'missed';
}

function toRow(goal: Goal, medians: Record<SubjectName, Figures>): Row {
  const figure = (subject: SubjectName): number => medians[subject][goal.figure] ?? NaN;
  const ratio = (subject: SubjectName): number => figure(subject) / figure('limit');
  const ours = ratio('toolgate');
  // How far over the goals, 1 being exactly at them, whichever way is better.
  const over = Math.max(
    goal.moreIsBetter ? goal.goal / ours : ours / goal.goal,
    goal.aheadOfSdk1 === undefined ? 0 : (goal.aheadOfSdk1 * ratio('sdk1')) / ours,
  );
  const isBehindAnSdk = (['sdk1', 'sdk2'] as const).some((sdk) =>
    goal.moreIsBetter ? ratio(sdk) > ours : ratio(sdk) < ours,
  );
  const isAbove = goal.atMost !== undefined && !(figure('toolgate') <= goal.atMost);
  const isMissed = !(over <= (goal.isExact ? 1 : tolerance)) || isAbove || isBehindAnSdk;
  return {
    title: goal.title,
    limit: figure('limit'),
    toolgate: ours,
    sdk1: ratio('sdk1'),
    sdk2: ratio('sdk2'),
    goal: goal.goal,
    ...(goal.atMost === undefined ? {} : { own: figure('toolgate') }),
    verdict: isMissed ? 'missed' : over <= 1 ? 'met' : 'near',
  };
}

async function measure(node: string, workload: Workload): Promise<Row[]> {
  const seen: Record<SubjectName, Figures[]> = { limit: [], toolgate: [], sdk1: [], sdk2: [] };
  for (let round = 0; round < workload.rounds; round++) {
    for (const subject of subjects) {
      const isSdk = subject !== 'limit' && subject !== 'toolgate';
      if (isSdk && round >= (workload.roundsOfSdks ?? workload.rounds)) continue;
      seen[subject].push(await measureOnce(node, workload, subject));
    }
  }
  const medians = Object.fromEntries(
    subjects.map((subject) => [
      subject,
      Object.fromEntries(
        Object.keys(seen[subject][0] ?? {}).map((figure) => [
          figure,
          median(seen[subject].map((figures) => figures[figure] ?? NaN)),
        ]),
      ),
    ]),
  ) as Record<SubjectName, Figures>;
  return workload.goals.map((goal) => toRow(goal, medians));
}

const columns = ['work, ratio to the limit', 'limit', 'toolgate', 'goal', 'SDK 1', 'SDK 2', ''];

function line(cells: readonly string[]): string {
  return cells.map((cell, i) => (i === 0 ? cell.padEnd(44) : cell.padStart(10))).join('');
}

function toLine(row: Row): string {
  const ratios = [row.toolgate, row.goal, row.sdk1, row.sdk2].map((n) => n.toFixed(2));
  const own = row.own === undefined ? '' : ` (${row.own.toFixed(1)} of ${maxStallMs} ms)`;
  return line([row.title, row.limit.toPrecision(3), ...ratios, row.verdict]) + own;
}

async function measureGate(node: string, name: GateName): Promise<readonly GateRow[]> {
  const client = path.join(built, `${gateClients[name]}.js`);
  const args = ['--expose-gc', client, path.join(folder, 'server.mjs')];
  if (name === 'soak') args.push(soakCalls);
  const seen: Figures[] = [];
  for (let round = 0; round < gateRounds[name]; round++) {
    seen.push(JSON.parse(await firstLine(node, args, longestSoakMs)) as Figures);
  }
  const rows = gateRows(name, seen, tolerance);
  for (const each of toGateLines(name, rows)) console.log(each);
  return rows;
}

/** Of processes that are no goal to anybody, interleaved: what those of a round measured, as lines. */
async function measureOnly(
  node: string,
  programs: readonly (readonly string[])[],
  toLines: (seen: readonly Figures[]) => readonly string[],
): Promise<void> {
  const seen: Figures[] = [];
  for (let round = 0; round < plainRounds; round++) {
    const figures: Figures = {};
    for (const args of programs) Object.assign(figures, JSON.parse(await firstLine(node, args)));
    seen.push(figures);
  }
  for (const each of toLines(seen)) console.log(each);
}

async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const node = await provisionNode();
  await bundle();
  console.log(line(columns));
  const rows: Row[] = [];
  for (const workload of workloads) {
    if (wanted.length > 0 && !wanted.includes(workload.name)) continue;
    for (const row of await measure(node, workload)) {
      rows.push(row);
      console.log(toLine(row));
    }
  }
  const all: (Row | GateRow)[] = [...rows];
  for (const name of ['gate', 'callFile', 'soak'] as const) {
    if (wanted.length === 0 || wanted.includes(name)) all.push(...(await measureGate(node, name)));
  }
  const wantsTree = wanted.length === 0 || wanted.includes(treeRow);
  const wantsAgents = wanted.length === 0 || wanted.includes(agentRow);
  const wantsWindow = wanted.length === 0 || wanted.includes(windowRow);
  const wantsServers = wanted.length === 0 || wanted.includes(serversRow);
  if (wantsTree) await measureOnly(node, [[inBuilt('treeClient'), server]], treeLines);
  if (wantsServers) {
    const args = [inBuilt('serversClient'), server];
    await measureOnly(node, [args, [...args, 'bare']], serversLines);
  }
  if (wantsAgents) {
    for (const [kind, script] of [
      ['official', everything],
      ['bare', server],
    ] as const) {
      const args = [inBuilt('agentClient'), kind, script, inBuilt('gateway')];
      await measureOnly(node, [args], (seen) => [agentLine(kind, seen)]);
    }
  }
  if (wantsWindow) {
    // Only this row needs a browser.
    const { measureWindows } = await import('./window');
    const seen = await measureWindows(built, server);
    for (const each of windowLines(seen, tolerance)) console.log(each);
  }
  mkdirSync(results, { recursive: true });
  writeFileSync(path.join(results, 'bench.json'), JSON.stringify(all, undefined, 2) + '\n');
  const judged = all.filter(({ verdict }) => verdict !== undefined);
  const missed = judged.filter(({ verdict }) => verdict === 'missed');
  console.log(`${judged.length - missed.length} of ${judged.length} goals met`);
  const isOnlyShown = wantsTree || wantsServers || wantsAgents || wantsWindow;
  if (missed.length > 0 || (judged.length === 0 && !isOnlyShown)) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

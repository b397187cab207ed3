import type { Goal } from './table';

// What the rows of the benchmark are called, which programs measure them, what they are held against, and
// the goals: ratios to what runs beside them, and bounds on what is counted. Figures alone are shown and
// judged by nobody.

/** A process of its own in each round, which prints its figures. */
export interface Program {
  readonly name: 'client' | 'gateClient' | 'agentClient' | 'growth';
  readonly args: readonly string[];
  /** Of its figures. Absent: they are called as the program calls them. */
  readonly prefix?: string;
  /** It and its server share one core, as a sequential call over a pipe can at best. */
  readonly oneCore?: true;
  /** Absent: all of them. */
  readonly rounds?: number;
}

export interface Benchmark {
  readonly name: string;
  readonly rounds: number;
  /** In turns in each round. */
  readonly programs: readonly Program[];
  readonly goals: readonly Goal[];
}

interface Workload {
  /** What is done, for the client and its server; absent: the name. */
  readonly work?: string;
  /** What the server answers; absent: what the work says. */
  readonly answer?: string;
  /** Absent: stdio. */
  readonly transport?: 'http';
  readonly rounds: number;
  /** Where they take half a minute and their ratio is far from any bound. */
  readonly roundsOfSdks?: number;
  readonly oneCore?: true;
}

/** One piece of work, done by our client, both official SDKs and the physical limit. */
function beside(name: string, workload: Workload, goals: readonly Goal[]): Benchmark {
  const {
    work = name,
    answer = work,
    transport = 'stdio',
    rounds,
    roundsOfSdks,
    oneCore,
  } = workload;
  const ours = work === 'open' ? 'opened' : 'adapter';
  const modules = { limit: 'limit', toolgate: ours, sdk1: 'sdk1', sdk2: 'sdk2' };
  const programs = Object.entries(modules).map(([prefix, module]): Program => ({
    name: 'client',
    args: [module, work, transport, answer],
    prefix,
    ...(oneCore === undefined ? {} : { oneCore }),
    ...(roundsOfSdks === undefined || !prefix.startsWith('sdk') ? {} : { rounds: roundsOfSdks }),
  }));
  return { name, rounds, programs, goals };
}

/** Never behind an SDK. */
const goal = (figure: string, title: string, wanted: number, ahead = 1): Goal => ({
  title,
  ours: `toolgate.${figure}`,
  beside: `limit.${figure}`,
  sdks: [
    [`sdk1.${figure}`, ahead],
    [`sdk2.${figure}`, 1],
  ],
  wanted,
});
const perSecond = (title: string, wanted: number, ahead = 1): readonly Goal[] => [
  { ...goal('callsPerSecond', title, wanted, ahead), moreIsBetter: true },
];
const once = (title: string, ms: number, peak?: number, stall?: number): readonly Goal[] => [
  goal('ms', `${title}: time, ms`, ms),
  ...(peak === undefined ? [] : [goal('peakMiB', `${title}: peak memory, MiB`, peak)]),
  ...(stall === undefined ? [] : [goal('stallMs', `${title}: longest stall, ms`, stall)]),
];

/** Of some ten milliseconds, which one collection of memory more or less changes by a tenth. */
const short = { rounds: 15, roundsOfSdks: 5 } as const;
const large = { rounds: 5, roundsOfSdks: 1 } as const;
const http = { transport: 'http' } as const;

/** From the wire to the opened document, beside a limit that only reads and parses the line. */
const opened = (name: string, answer: string, title: string, more: Partial<Workload> = {}) =>
  beside(name, { work: 'open', answer, ...large, ...more }, [
    goal('peakMiB', `${title}, opened: peak memory, MiB`, 0.7),
    goal('stallMs', `${title}, opened: longest stall, ms`, 0.2),
  ]);

/** Of what `compareGate` finds of the ways `core` and `gate`. */
const calls: readonly Goal[] = [1, 16].flatMap((inFlight) =>
  [
    { figure: 'P50Ms', title: 'p50, ms' },
    { figure: 'P99Ms', title: 'p99, ms' },
    { figure: 'PerSecond', title: 'calls/s' },
    { figure: 'CpuMs', title: 'CPU a call, ms' },
  ].map(({ figure, title }) => ({
    title: `${inFlight} in flight, ${title}; beside the core`,
    ours: `gate${inFlight}${figure}`,
    beside: `core${inFlight}${figure}`,
  })),
);
const besideSdk = (title: string, figure: string, wanted: number): Goal => ({
  title: `${title}; beside SDK 1, bare`,
  ours: `gate${figure}`,
  beside: `sdk${figure}`,
  wanted,
});
const gate: readonly Goal[] = [
  ...calls,
  besideSdk('1 in flight, p50, ms', '1P50Ms', 3),
  { ...besideSdk('16 in flight, calls/s', '16PerSecond', 0.6), moreIsBetter: true },
];

/** Servers that answer at once and after 20 ms. */
const agentServers = { echo: 'that only answers', wait20: 'that answers after 20 ms' } as const;
const agent: Benchmark = {
  name: 'agent',
  rounds: 5,
  programs: Object.keys(agentServers).map((mode) => ({
    name: 'agentClient',
    args: [mode],
    prefix: mode,
  })),
  goals: Object.entries(agentServers).map(([mode, title]) => ({
    title: `agent, server ${title}, ms; beside direct`,
    ours: `${mode}.agentMs`,
    beside: `${mode}.directMs`,
    // Beside a server that costs nothing there is nothing to compare with.
    ...(mode === 'wait20' ? { wanted: 1.5 } : {}),
  })),
};

const grownKinds = ['servers', 'tools', 'rules', 'pastCalls', 'fileCalls'] as const;
export type GrownKind = (typeof grownKinds)[number];
export const grownSteps = [10, 100, 1_000, 10_000] as const;

/** Ten times as many may take ten times as much; beside it is ten times what 1,000 take. */
const growth: Benchmark = {
  name: 'growth',
  rounds: 5,
  programs: [{ name: 'growth', args: [] }],
  goals: grownKinds.flatMap((kind) =>
    ['cpuMs', 'MiB'].flatMap((unit) =>
      grownSteps.map((count) => ({
        title: `${kind}, ${count}: ${unit}`,
        ours: `${kind}.${count}.${unit}`,
        ...(count === 10_000 ? { beside: `${kind}.linear.${unit}`, wanted: 1.2 } : {}),
      })),
    ),
  ),
};

export const benchmarks: readonly Benchmark[] = [
  beside('sequential', { rounds: 5, oneCore: true }, [
    goal('p50Ms', 'sequential call, p50, ms', 1.15),
  ]),
  beside('flight16', { rounds: 9 }, perSecond('calls/s, 16 in flight', 0.75, 2)),
  beside('flight256', { rounds: 5 }, perSecond('calls/s, 256 in flight', 0.5, 2)),
  beside('notify50k', short, once('50,000 notifications', 1.2)),
  beside('list10k', short, once('list 10,000 tools', 1.15, 1.15, 1.15)),
  beside('list1kOutput', short, once('list 1,000 tools with output schemas', 1.2)),
  beside('text64', large, once('64 MiB text', 1.1, 0.7, 0.15)),
  beside('image64', large, once('64 MiB image', 0.8, 0.35, 0.15)),
  beside('connect', short, [goal('cpuMs', 'connect, CPU, ms', 2)]),
  beside(
    'http16',
    { work: 'flight16', ...http, rounds: 9, roundsOfSdks: 3 },
    perSecond('HTTP calls/s, 16 in flight', 0.9),
  ),
  beside(
    'httpText64',
    { work: 'text64', ...http, ...large },
    once('HTTP, 64 MiB text', 1.1, 0.7, 0.15),
  ),
  beside(
    'httpImage64',
    { work: 'image64', ...http, ...large },
    once('HTTP, 64 MiB image', 0.8, 0.35, 0.15),
  ),
  opened('openText64', 'text64', '64 MiB text'),
  opened('openImage64', 'image64', '64 MiB image'),
  opened('httpOpenText64', 'text64', 'HTTP, 64 MiB text', http),
  opened('sseOpenText64', 'sseText64', 'SSE, 64 MiB text', http),
  opened('openRows64', 'rows64', '64 MiB of rows'),
  opened('openLong64', 'long64', '64 MiB of long rows'),
  opened('sseOpenRows64', 'sseRows64', 'SSE, 64 MiB of rows', http),
  {
    name: 'gate',
    rounds: 5,
    programs: [{ name: 'gateClient', args: [] }],
    goals: [...gate, { title: 'longest stall, ms', ours: 'stallMs' }],
  },
  agent,
  growth,
];

/** What a thread waits for a core is no bound: the CPU of the turn has one. */
const turns = (title: string, scene: string, atMost?: number): readonly Goal[] => [
  { title: `${title}, longest turn, ms`, ours: `${scene}stallMs` },
  {
    title: `${title}, longest turn, its CPU, ms`,
    ours: `${scene}turnCpuMs`,
    ...(atMost === undefined ? {} : { atMost }),
  },
];

export const floodNames = [
  'garbage',
  'batches',
  'elicitation',
  'sampling',
  'roots',
  'pings',
  'listChanged',
  'updated',
  'progress',
  'logs',
] as const;

/** Of the product as it ships, in real windows. */
export const inWindow: readonly Goal[] = [
  {
    title: 'activation, ms; beside JSON Language Features',
    ours: 'activation.shown',
    beside: 'activation.json',
    wanted: 0.5,
  },
  { title: 'activation without what an empty one waits, ms', ours: 'activation.own' },
  ...gate,
  ...turns('calls', ''),
  ...[
    { figure: 'ms', title: 'started and listed' },
    { figure: 'stallMs', title: 'longest turn' },
    { figure: 'turnCpuMs', title: 'longest turn, its CPU' },
  ].map(({ figure, title }) => ({
    title: `40 servers, ${title}, ms; beside bare pipes`,
    ours: `servers.${figure}`,
    beside: `bareServers.${figure}`,
  })),
  { title: '20,000 tools, Start to rows drawn, ms', ours: 'tree.startMs' },
  ...turns('20,000 tools', 'tree.'),
  ...['api', 'agent', 'cli'].flatMap((way) =>
    ['text64', 'image64'].flatMap((mode) => [
      ...turns(`${way} ${mode}`, `${way}.${mode}.`, 50),
      { title: `${way} ${mode}, memory, MiB`, ours: `${way}.${mode}.peakMiB`, atMost: 192 },
    ]),
  ),
  ...[...floodNames, 'agents'].flatMap((name) => [
    ...turns(name, `flood.${name}.`, 100),
    { title: `${name}, timers of 10 ms missed, %`, ours: `flood.${name}.missed`, atMost: 40 },
  ]),
  { title: 'many calls, 16 in flight, calls/s', ours: 'soak.perSecond' },
  // One kept result more or less, and what V8 has compiled since.
  { title: 'many calls, heap grown since a tenth, MiB', ours: 'soak.grownMiB', atMost: 2 },
  { title: 'calls in the journal, which is whole', ours: 'journal.calls' },
];

import type { Table, Wish } from './table';

// What the rows of the benchmark are called, what they are held against, and the goals: ratios to what runs
// beside them, and bounds on what is counted. Figures alone are shown and judged by nobody.

/** One kept result more or less, and what V8 has compiled since. */
const maxGrowthMiB = 2;
const grown = (prefix = '', title = 'heap grown since, MiB'): Wish => ({
  title,
  ours: (of) => Math.max(0, of(`${prefix}heapLast`) - of(`${prefix}heapFirst`)),
  atMost: maxGrowthMiB,
});

/** Of what `compare` finds of the ways `core` and `gate`. */
const ofFlight = (inFlight: number): readonly Wish[] =>
  [
    { figure: 'P50Ms', title: 'p50, ms' },
    { figure: 'P99Ms', title: 'p99, ms' },
    { figure: 'PerSecond', title: 'calls/s' },
    { figure: 'CpuMs', title: 'CPU a call, ms' },
  ].map(({ figure, title }) => ({
    title: `${inFlight} in flight, ${title}`,
    ours: `gate${inFlight}${figure}`,
    beside: `core${inFlight}${figure}`,
  }));
const ofCalls = [...ofFlight(1), ...ofFlight(16)];

const heaps: readonly Wish[] = [
  { title: 'heap before, MiB', ours: 'heapBefore' },
  { title: 'heap after, MiB', ours: 'heapAfter' },
];

export const gate: Table = {
  name: 'gate',
  heading: ['calls through the gate', 'core'],
  wishes: [
    ...ofCalls,
    {
      title: '1 in flight, p50, ms; beside: SDK 1, bare',
      ours: 'gate1P50Ms',
      beside: 'sdk1P50Ms',
      goal: 3,
    },
    { title: 'longest stall, ms', ours: 'stallMs' },
    ...heaps,
  ],
};
export const callFile: Table = {
  name: 'callFile',
  heading: ['a call file', ''],
  wishes: [
    { title: '1,000 calls of one call file, ms', ours: 'ms' },
    { title: 'longest stall, ms', ours: 'stallMs' },
  ],
};
export const soak: Table = {
  name: 'soak',
  heading: ['many calls through the gate', ''],
  wishes: [
    { title: 'calls, all in the journal, which is whole', ours: 'calls' },
    { title: '16 in flight, answers kept, calls/s', ours: 'perSecond' },
    { title: 'heap after a tenth, MiB', ours: 'heapFirst' },
    grown(),
    { title: 'past calls in the end', ours: 'pastCalls', atMost: 200 },
    { title: 'longest stall, ms', ours: 'stallMs' },
  ],
};
export const tree: Table = {
  name: 'tree20k',
  heading: ['a list of 20,000 tools', ''],
  wishes: [
    { title: 'listed to first rows, ms', ours: 'firstRowsMs' },
    { title: 'longest turn, ms', ours: 'stallMs' },
    { title: 'longest turn, CPU of its thread, ms', ours: 'turnCpuMs' },
    { title: 'a letter of the filter, the slowest, ms', ours: 'filterMs' },
    { title: 'a letter in the picker, the slowest, ms', ours: 'pickMs' },
  ],
};
/**
 * Forty programs that start leave nobody else much of a small machine: a turn that is long by the clock counts
 * beside those of as many bare pipes to the same servers, and by its CPU time for itself.
 */
export const servers: Table = {
  name: 'servers40',
  heading: ['40 servers that start together', 'bare'],
  wishes: [
    { title: 'rows of those that are configured, ms', ours: 'rowsMs' },
    { title: 'all started and listed, ms', ours: 'startMs', beside: 'bareMs' },
    { title: 'longest turn meanwhile, ms', ours: 'stallMs', beside: 'bareStallMs' },
    { title: 'longest turn, CPU of its thread, ms', ours: 'turnCpuMs', beside: 'bareTurnCpuMs' },
    { title: 'CPU of it, ms', ours: 'cpuMs', beside: 'bareCpuMs' },
    { title: 'idle CPU before, ms a minute', ours: 'emptyCpuMs' },
    { title: 'idle CPU while they run, ms a minute', ours: 'idleCpuMs' },
  ],
};

/** Servers that answer at once or after 20 ms, and two by the official SDK, one of which reads a file. */
export const agentServers = {
  bare: 'a server that only answers, ms',
  waits: 'one that answers after 20 ms, ms',
  official: 'one of the official SDK, echo, ms',
  files: 'one of the official SDK, reads a file, ms',
} as const;
export type AgentServer = keyof typeof agentServers;

/** The limit and the proxy are the same chain with nothing in its window, and with the official SDK alone. */
export const agent: Table = {
  name: 'agent',
  heading: ['calls of agents, 16 in flight', 'direct', 'limit', 'SDK proxy'],
  wishes: Object.entries(agentServers).map(([kind, title]) => ({
    title,
    ours: `${kind}.agentMs`,
    beside: `${kind}.directMs`,
    others: [`${kind}.limitMs`, `${kind}.sdkMs`],
    // Beside a server that costs nothing there is nothing to compare with.
    ...(kind === 'waits' ? { goal: 1.5 } : {}),
  })),
};

/** What a thread waits for a core is no bound: the CPU of the turn has one. */
const turns = (title: string, scene: string, atMost?: number): readonly Wish[] => [
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

export const inWindow: readonly Table[] = [
  {
    name: 'window',
    heading: ['activation in a real window', 'JSON'],
    wishes: [
      { title: 'without what an empty one waits, ms', ours: 'activation.own' },
      {
        title: 'as Running Extensions shows it, ms',
        ours: 'activation.shown',
        beside: (of) => of('activation.shown') / of('activation.ratio'),
        goal: 0.5,
      },
    ],
  },
  {
    name: 'window',
    heading: ['calls by the API in it', 'core'],
    wishes: [
      ...ofCalls,
      ...turns('while idle', 'idle.'),
      ...turns('both', ''),
      ...heaps,
      {
        title: 'views open, 1 in flight, p50, ms',
        ours: 'open.gate1P50Ms',
        beside: 'open.core1P50Ms',
      },
      {
        title: 'views open, 16 in flight, calls/s',
        ours: 'open.gate16PerSecond',
        beside: 'open.core16PerSecond',
      },
      ...turns('views open', 'open.'),
    ],
  },
  {
    name: 'window',
    heading: ['what a person does in it', 'bare'],
    wishes: [
      { title: '64 MiB of rows, called to read, ms', ours: 'rows.ms' },
      ...turns('64 MiB of rows', 'rows.'),
      ...(['ms', 'stallMs', 'turnCpuMs'] as const).map((figure) => ({
        title: `40 servers, ${{ ms: 'started and listed', stallMs: 'longest turn', turnCpuMs: 'longest turn, its CPU' }[figure]}, ms`,
        ours: `servers.${figure}`,
        beside: `bareServers.${figure}`,
      })),
      { title: '20,000 tools, Start to rows drawn, ms', ours: 'tree.startMs' },
      { title: '20,000 tools, list sent to rows drawn, ms', ours: 'tree.listedMs' },
      ...turns('20,000 tools', 'tree.'),
      {
        title: 'a letter of the filter to rows drawn, ms',
        ours: 'filter.ms',
        beside: 'filter.bareMs',
      },
      ...turns('the filter', 'filter.'),
    ],
  },
  {
    name: 'window',
    heading: ['64 MiB answered in it', ''],
    wishes: ['api', 'agent', 'cli'].flatMap((way) =>
      ['text64', 'image64'].flatMap((mode) => [
        ...turns(`${way} ${mode}`, `${way}.${mode}.`, 50),
        { title: `${way} ${mode}, memory, MiB`, ours: `${way}.${mode}.peakMiB`, atMost: 192 },
      ]),
    ),
  },
  {
    name: 'window',
    heading: ['floods in it', ''],
    wishes: [...floodNames, 'agents'].flatMap((name) => [
      ...turns(name, `flood.${name}.`, 100),
      { title: `${name}, timers of 10 ms missed, %`, ours: `flood.${name}.missed`, atMost: 40 },
    ]),
  },
  {
    name: 'window',
    heading: ['many calls in it', ''],
    wishes: [
      { title: 'calls', ours: 'soak.calls' },
      { title: '16 in flight, calls/s', ours: 'soak.perSecond' },
      { title: 'longest stall, ms', ours: 'soak.stallMs' },
      { title: 'heap after a tenth, MiB', ours: 'soak.heapFirst' },
      grown('soak.'),
      { title: 'calls in the journal, which is whole', ours: 'journal.calls' },
    ],
  },
];

import { maxStallMs, ofCalls, rowsOf, tableOf, type Wish } from './gateRows';
import type { Figures } from './windowWork';

export const windowRow = 'window';

/** A person feels a window that stands still for longer; what draws 20,000 tools may take a little more. */
const maxTreeStallMs = 50;
/** One kept result more or less, and what V8 has compiled since. */
const maxGrowthMiB = 2;

const stall = (title: string, scene: string, goal?: number): readonly Wish[] => [
  {
    title: `${title}, longest turn, ms`,
    value: (of) => of(`${scene}stallMs`),
    ...(goal === undefined ? {} : { goal }),
  },
  { title: `${title}, longest turn, its CPU, ms`, value: (of) => of(`${scene}turnCpuMs`) },
];

const tables: readonly { readonly heading: readonly string[]; readonly wishes: readonly Wish[] }[] =
  [
    {
      heading: ['activation in a real window', '', 'toolgate', 'goal', ''],
      wishes: [
        { title: 'as Running Extensions shows it, ms', value: (of) => of('activation.shown') },
        { title: 'without what an empty one waits, ms', value: (of) => of('activation.own') },
        {
          title: 'shown, of JSON Language Features',
          value: (of) => of('activation.ratio'),
          goal: 0.5,
        },
      ],
    },
    {
      heading: ['calls by the API in it', 'core', 'gate', 'goal', ''],
      wishes: [
        ...ofCalls,
        ...stall('while idle', 'idle.'),
        ...stall('both', '', maxStallMs),
        { title: 'heap before, MiB', value: (of) => of('heapBefore') },
        { title: 'heap after, MiB', value: (of) => of('heapAfter') },
        {
          title: 'views open, 1 in flight, p50, ms',
          core: (of) => of('open.core1P50Ms'),
          value: (of) => of('open.gate1P50Ms'),
        },
        {
          title: 'views open, 16 in flight, calls/s',
          core: (of) => of('open.core16PerSecond'),
          value: (of) => of('open.gate16PerSecond'),
        },
        ...stall('views open', 'open.'),
      ],
    },
    {
      heading: ['what a person does in it', 'bare', 'toolgate', 'goal', ''],
      wishes: [
        { title: '64 MiB of rows, called to read, ms', value: (of) => of('rows.ms') },
        ...stall('64 MiB of rows', 'rows.', maxStallMs),
        {
          title: '40 servers start and are listed, ms',
          core: (of) => of('bareServers.ms'),
          value: (of) => of('servers.ms'),
        },
        {
          title: '40 servers, longest turn, ms',
          core: (of) => of('bareServers.stallMs'),
          value: (of) => of('servers.stallMs'),
          goal: maxStallMs,
        },
        {
          title: '40 servers, longest turn, its CPU, ms',
          core: (of) => of('bareServers.turnCpuMs'),
          value: (of) => of('servers.turnCpuMs'),
        },
        { title: '20,000 tools, Start to rows drawn, ms', value: (of) => of('tree.startMs') },
        {
          title: '20,000 tools, list sent to rows drawn, ms',
          value: (of) => of('tree.listedMs'),
          goal: 250,
        },
        ...stall('20,000 tools', 'tree.', maxTreeStallMs),
        {
          title: 'a letter of the filter to rows drawn, ms',
          core: (of) => of('filter.bareMs'),
          value: (of) => of('filter.ms'),
          goal: 50,
        },
        ...stall('the filter', 'filter.', maxTreeStallMs),
      ],
    },
    {
      heading: ['many calls in it', '', 'toolgate', 'goal', ''],
      wishes: [
        { title: 'calls', value: (of) => of('soak.calls') },
        {
          title: '16 in flight, calls/s',
          value: (of) => of('soak.perSecond'),
          goal: 5_000,
          moreIsBetter: true,
        },
        { title: 'longest stall, ms', value: (of) => of('soak.stallMs'), goal: maxStallMs },
        { title: 'heap after a tenth, MiB', value: (of) => of('soak.heapFirst') },
        {
          title: 'heap grown since, MiB',
          value: (of) => Math.max(0, of('soak.heapLast') - of('soak.heapFirst')),
          goal: maxGrowthMiB,
          isExact: true,
        },
        { title: 'calls in the journal, which is whole', value: (of) => of('journal.calls') },
      ],
    },
  ];

/**
 * The lines about the product in windows, of several of them. A figure that only one has is its own;
 * what was not measured has no line.
 */
export function windowLines(seen: readonly Figures[], tolerance: number): readonly string[] {
  return tables.flatMap(({ heading, wishes }) => {
    const rows = rowsOf(wishes, seen, tolerance).filter(({ value }) => !Number.isNaN(value));
    return rows.length === 0 ? [] : tableOf(heading, rows);
  });
}

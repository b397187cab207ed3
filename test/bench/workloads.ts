import type { Table, Wish } from './table';

/** One piece of work, done by our client, both official SDKs and the physical limit, in fresh processes. */
export interface Workload {
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
  readonly wishes: readonly Wish[];
}

export const subjects = ['limit', 'toolgate', 'sdk1', 'sdk2'] as const;
export type SubjectName = (typeof subjects)[number];

/** Never behind an SDK. */
const wish = (figure: string, title: string, goal: number, more: Partial<Wish> = {}): Wish => ({
  title,
  ours: `toolgate.${figure}`,
  beside: `limit.${figure}`,
  others: [`sdk1.${figure}`, `sdk2.${figure}`],
  ahead: [1, 1],
  goal,
  ...more,
});
const perSecond = (title: string, goal: number, ahead = 1): Wish =>
  wish('callsPerSecond', title, goal, { moreIsBetter: true, ahead: [ahead, 1] });
const once = (title: string, ms: number, peak?: number, stall?: number): readonly Wish[] => [
  wish('ms', `${title}: time, ms`, ms),
  ...(peak === undefined ? [] : [wish('peakMiB', `${title}: peak memory, MiB`, peak)]),
  ...(stall === undefined ? [] : [wish('stallMs', `${title}: longest stall, ms`, stall)]),
];

/** Of some ten milliseconds, which one collection of memory more or less changes by a tenth. */
const short = { rounds: 15, roundsOfSdks: 5 } as const;
const large = { rounds: 5, roundsOfSdks: 1 } as const;
const http = { transport: 'http' } as const;

/** From the wire to the opened document, beside a limit that only reads and parses the line. */
const opened = (
  name: string,
  answer: string,
  title: string,
  more: Partial<Workload> = {},
): Workload => ({
  name,
  work: 'open',
  answer,
  ...large,
  ...more,
  wishes: [
    wish('peakMiB', `${title}, opened: peak memory, MiB`, 0.7),
    wish('stallMs', `${title}, opened: longest stall, ms`, 0.2),
  ],
});

export const workloads: readonly Workload[] = [
  {
    name: 'sequential',
    rounds: 5,
    oneCore: true,
    wishes: [wish('p50Ms', 'sequential call, p50, ms', 1.15)],
  },
  { name: 'flight16', rounds: 9, wishes: [perSecond('calls/s, 16 in flight', 0.75, 2)] },
  { name: 'flight256', rounds: 5, wishes: [perSecond('calls/s, 256 in flight', 0.5, 2)] },
  { name: 'notify50k', ...short, wishes: once('50,000 notifications', 1.2) },
  { name: 'list10k', ...short, wishes: once('list 10,000 tools', 1.15, 1.15, 1.15) },
  { name: 'list1kOutput', ...short, wishes: once('list 1,000 tools with output schemas', 1.2) },
  { name: 'text64', ...large, wishes: once('64 MiB text', 1.1, 0.7, 0.15) },
  { name: 'image64', ...large, wishes: once('64 MiB image', 0.8, 0.35, 0.15) },
  { name: 'connect', ...short, wishes: [wish('cpuMs', 'connect, CPU, ms', 2)] },
  {
    name: 'http16',
    work: 'flight16',
    ...http,
    rounds: 9,
    roundsOfSdks: 3,
    wishes: [perSecond('HTTP calls/s, 16 in flight', 0.9)],
  },
  {
    name: 'httpText64',
    work: 'text64',
    ...http,
    ...large,
    wishes: once('HTTP, 64 MiB text', 1.1, 0.7, 0.15),
  },
  {
    name: 'httpImage64',
    work: 'image64',
    ...http,
    ...large,
    wishes: once('HTTP, 64 MiB image', 0.8, 0.35, 0.15),
  },
  opened('openText64', 'text64', '64 MiB text'),
  opened('openImage64', 'image64', '64 MiB image'),
  opened('httpOpenText64', 'text64', 'HTTP, 64 MiB text', http),
  opened('sseOpenText64', 'sseText64', 'SSE, 64 MiB text', http),
  opened('openRows64', 'rows64', '64 MiB of rows'),
  opened('openLong64', 'long64', '64 MiB of long rows'),
  opened('sseOpenRows64', 'sseRows64', 'SSE, 64 MiB of rows', http),
];

export const tableOfWork = ({ name, wishes }: Workload): Table => ({
  name,
  heading: ['work, beside the limit', 'limit', 'SDK 1', 'SDK 2'],
  wishes,
});

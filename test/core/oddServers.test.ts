import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bundled } from '../servers/bundled';
import { encoded } from '../servers/oddEncodings';
import { exchangings } from '../servers/oddExchanges';
import { framings } from '../servers/oddFraming';
import { type Odd, OddHttp } from '../servers/oddHttp';
import { type Place, places, sayings } from '../servers/oddMessages';
import { sessions } from '../servers/oddSessions';
import { ours, sdk1, sdk2, type Target, type Use } from './oddClients';

// Odd but real: each behaviour over each transport that it can have, with our client and those of
// both official SDKs. No cell may be there where one of theirs works and ours does not; the table
// is printed at the end.

interface Oddity extends Odd {
  readonly name: string;
  readonly only?: (place: Place) => boolean;
  /** How a process behaves before the handshake. */
  readonly manner?: string;
}

const onAnyStdio = (place: Place) => place.startsWith('stdio');
const onStdio = (place: Place) => place === 'stdio, stateful';
const oddities: readonly Oddity[] = [
  ...sayings.map((saying) => ({ ...withName(saying), saying })),
  ...framings.map((framing) => ({ ...withName(framing), framing })),
  ...[...exchangings, ...encoded, ...sessions].map((exchanging) => ({
    ...withName(exchanging),
    exchanging,
  })),
  { name: 'dies of anything before the handshake', only: onStdio, manner: 'dies' },
  { name: 'silent before the handshake', only: onStdio, manner: 'silent' },
];
const cells = oddities.flatMap((oddity) =>
  places
    .filter((place) => oddity.only?.(place) !== false)
    .map((place) => ({ oddity, place, name: `${oddity.name} (${place})` })),
);
const clients: Readonly<Record<string, Use>> = { us: ours, 'SDK 1': sdk1, 'SDK 2': sdk2 };

/** What our client does not do either, and why that is right. */
const notOurs = new Map<string, string>([
  ['no "jsonrpc" in answers', 'R-075'],
  ['JSON as text/plain', 'R-147'],
  // What is wrong is told when its time is over.
  ['Content-Length headers in place of newlines', 'R-115'],
  ['no newline behind messages', 'R-115'],
]);

function withName({ name, only }: Pick<Oddity, 'name' | 'only'>) {
  return { name, ...(only === undefined ? {} : { only }) };
}

const stdioServer = path.resolve(__dirname, '../servers/oddStdio.ts');

/** An SDK that needs longer waits for ever. */
const sdkPatienceMs = 8_000;

/** Many cells wait for the time limit of an SDK, and hardly any for the machine. */
const atOnce = 6;

type Cell = (typeof cells)[number];
/** Each saying goes over HTTP too, and every process costs more than all else in its cell. */
const isRepeated = ({ oddity, place }: Cell) => onAnyStdio(place) && oddity.saying !== undefined;

describe('A server that is odd, but works elsewhere', () => {
  tryCells(cells, (cell) => (isRepeated(cell) ? { us: ours } : clients));

  it('is one of many', () => assert.ok(cells.length > 250, String(cells.length)));
});

describe('What an odd server says over stdio, beside both SDKs @slow', () =>
  tryCells(cells.filter(isRepeated), () => clients));

/** A test for each cell, and the table of all behind them. */
function tryCells(
  of: readonly Cell[],
  clientsFor: (cell: Cell) => Readonly<Record<string, Use>>,
): void {
  const tries = new Map<Cell, Promise<Verdicts>>();
  const marks = new Map<Cell, Verdicts>();
  before(() => {
    const workers = Array.from({ length: atOnce }, () => Promise.resolve());
    of.forEach((cell, index) => {
      const tried = (workers[index % atOnce] ?? Promise.resolve()).then(() =>
        tryWithAll(clientsFor(cell), cell),
      );
      workers[index % atOnce] = tried.then(() => undefined);
      tries.set(cell, tried);
    });
  });
  after(() => printTable(marks));

  for (const cell of of) {
    it(`works here as well: ${cell.name}`, async () => {
      const tried = (await tries.get(cell)) ?? {};
      marks.set(cell, tried);
      const { us, ...others } = tried;
      if (Object.values(others).includes('ok')) assert.equal(us, 'ok');
      if (!notOurs.has(cell.oddity.name)) assert.equal(us, 'ok');
    }).timeout(60_000);
  }
}

/** By the name of a client: `ok`, or what went wrong. */
type Verdicts = Readonly<Record<string, string>>;

async function tryWithAll(
  uses: Readonly<Record<string, Use>>,
  { oddity, place }: Cell,
): Promise<Verdicts> {
  const tried = Object.entries(uses).map(async ([name, use]) => {
    const bounded = name === 'us' ? use : (target: Target) => withinPatience(use(target));
    return [name, await tryWith(bounded, oddity, place)] as const;
  });
  return Object.fromEntries(await Promise.all(tried));
}

/** An SDK waits for ever for the end of a notification. */
function withinPatience(used: Promise<void>): Promise<void> {
  const silent = delay(sdkPatienceMs, undefined, { ref: false }).then(() =>
    Promise.reject(new Error('it waits and waits')),
  );
  return Promise.race([used, silent]);
}

/** `ok`, or what went wrong. */
async function tryWith(use: Use, oddity: Oddity, place: Place): Promise<string> {
  if (onAnyStdio(place)) {
    const args = [bundled(stdioServer), oddity.name, place, oddity.manner ?? ''];
    return verdict(use({ kind: 'stdio', args, place }));
  }
  const host = await OddHttp.start(place, oddity);
  const target: Target = { kind: place === 'HTTP+SSE' ? 'sse' : 'http', url: host.url, place };
  try {
    return await verdict(use(target));
  } finally {
    await host.stop();
  }
}

async function verdict(used: Promise<void>): Promise<string> {
  try {
    await used;
    return 'ok';
  } catch (error) {
    const [line = ''] = String(error).split('\n');
    return line.slice(0, 100);
  }
}

function printTable(marks: ReadonlyMap<Cell, Verdicts>): void {
  const names = Object.keys(clients);
  const toMark = (mark: string | undefined) =>
    (mark === undefined ? '' : mark === 'ok' ? 'ok' : '–').padEnd(7);
  const width = Math.max(...[...marks.keys()].map(({ name }) => name.length)) + 1;
  console.log(['', ''.padEnd(width), ...names.map((it) => it.padEnd(7))].join(' '));
  for (const [{ name }, tried] of marks) {
    console.log([name.padEnd(width), ...names.map((it) => toMark(tried[it]))].join(' '));
  }
  const count = (name: string) => {
    const tried = [...marks.values()].flatMap((each) => each[name] ?? []);
    return `${name} ${tried.filter((mark) => mark === 'ok').length} of ${tried.length}`;
  };
  console.log(`cells that work: ${names.map(count).join(', ')}`);
}

import assert from 'node:assert/strict';
import path from 'node:path';
import { bundled } from '../servers/bundled';
import { encoded } from '../servers/oddEncodings';
import { exchangings } from '../servers/oddExchanges';
import { framings } from '../servers/oddFraming';
import { type Odd, OddHttp } from '../servers/oddHttp';
import { type Place, places, sayings } from '../servers/oddMessages';
import { sessions } from '../servers/oddSessions';
import { clients, type Target, type Use } from './oddClients';
import { printTable, tryWithAll, type Verdicts, verdict } from './oddTable';

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

/** Many cells wait for the time limit of an SDK, and hardly any for the machine. */
const atOnce = 6;

type Cell = (typeof cells)[number];
const ourClient = { us: clients.us };
/** Each saying goes over HTTP too, and every process costs more than all else in its cell. */
const isRepeated = ({ oddity, place }: Cell) => onAnyStdio(place) && oddity.saying !== undefined;

describe('An unusual server that works elsewhere', () => {
  tryCells(cells, (cell) => (isRepeated(cell) ? ourClient : clients));

  it('is one of many', () => assert.ok(cells.length > 250, String(cells.length)));
});

describe('An unusual server over stdio, compared with both SDKs @slow', () =>
  tryCells(cells.filter(isRepeated), () => clients));

/** A test for each cell, and the table of all behind them. */
function tryCells(
  of: readonly Cell[],
  clientsFor: (cell: Cell) => Readonly<Record<string, Use>>,
): void {
  const tries = new Map<Cell, Promise<Verdicts>>();
  const marks = new Map<string, Verdicts>();
  before(() => {
    const workers = Array.from({ length: atOnce }, () => Promise.resolve());
    of.forEach((cell, index) => {
      const tried = (workers[index % atOnce] ?? Promise.resolve()).then(() =>
        tryWithAll(clientsFor(cell), (use) => tryWith(use, cell)),
      );
      workers[index % atOnce] = tried.then(() => undefined);
      tries.set(cell, tried);
    });
  });
  after(() => printTable(marks));

  for (const cell of of) {
    it(`works here as well: ${cell.name}`, async () => {
      const tried = (await tries.get(cell)) ?? {};
      marks.set(cell.name, tried);
      const { us, ...others } = tried;
      if (Object.values(others).includes('ok')) assert.equal(us, 'ok');
      if (!notOurs.has(cell.oddity.name)) assert.equal(us, 'ok');
    });
  }
}

/** `ok`, or what went wrong. */
async function tryWith(use: Use, { oddity, place }: Cell): Promise<string> {
  if (onAnyStdio(place)) {
    const args = [bundled(stdioServer), oddity.name, place, oddity.manner ?? ''];
    return verdict(use({ kind: 'stdio', args }));
  }
  const host = await OddHttp.start(place, oddity);
  const target: Target = { kind: place === 'HTTP+SSE' ? 'sse' : 'http', url: host.url };
  try {
    return await verdict(use(target));
  } finally {
    await host.stop();
  }
}

import assert from 'node:assert/strict';
import { encoded } from '../servers/oddEncodings';
import { exchangings } from '../servers/oddExchanges';
import { framings } from '../servers/oddFraming';
import { type Odd, OddHttp } from '../servers/oddHttp';
import { type Place, places, sayings } from '../servers/oddMessages';
import { bundleServer } from './matrixBench';
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

const onStdio = (place: Place) => place === 'stdio, stateful';
const oddities: readonly Oddity[] = [
  ...sayings.map((saying) => ({ ...withName(saying), saying })),
  ...framings.map((framing) => ({ ...withName(framing), framing })),
  ...[...exchangings, ...encoded].map((exchanging) => ({ ...withName(exchanging), exchanging })),
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
]);

function withName({ name, only }: Pick<Oddity, 'name' | 'only'>) {
  return { name, ...(only === undefined ? {} : { only }) };
}

/** Many cells wait for the time limit of an SDK, and hardly any for the machine. */
const atOnce = 6;

const marks = new Map<string, readonly string[]>();

describe('A server that is odd, but works elsewhere', function () {
  this.timeout(60_000);
  let server: Awaited<ReturnType<typeof bundleServer>>;
  const tries = new Map<string, Promise<readonly string[]>>();
  before(async () => {
    server = await bundleServer('oddStdio');
    const workers = Array.from({ length: atOnce }, () => Promise.resolve());
    cells.forEach(({ oddity, place, name }, index) => {
      const tried = (workers[index % atOnce] ?? Promise.resolve()).then(() =>
        Promise.all(Object.values(clients).map((use) => tryWith(use, oddity, place, server.file))),
      );
      workers[index % atOnce] = tried.then(() => undefined);
      tries.set(name, tried);
    });
  });
  after(() => {
    server.remove();
    printTable();
  });

  for (const { oddity, name } of cells) {
    it(`works here as well: ${name}`, async () => {
      const tried = (await tries.get(name)) ?? [];
      marks.set(name, tried);
      const [us = '', ...others] = tried;
      if (others.includes('ok')) assert.equal(us, 'ok');
      if (!notOurs.has(oddity.name)) assert.equal(us, 'ok');
    });
  }

  it('is one of many', () => assert.ok(cells.length > 250, String(cells.length)));
});

/** `ok`, or what went wrong. */
async function tryWith(use: Use, oddity: Oddity, place: Place, file: string): Promise<string> {
  if (place.startsWith('stdio')) {
    const args = [file, oddity.name, place, oddity.manner ?? ''];
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

function printTable(): void {
  const short = (mark: string) => (mark === 'ok' ? 'ok' : '–').padEnd(7);
  const width = Math.max(...cells.map(({ name }) => name.length)) + 1;
  console.log(['', ''.padEnd(width), ...Object.keys(clients).map((it) => it.padEnd(7))].join(' '));
  for (const { name } of cells) {
    const tried = marks.get(name) ?? [];
    console.log([name.padEnd(width), ...tried.map(short)].join(' '));
  }
  const count = (at: number) => [...marks.values()].filter((tried) => tried[at] === 'ok').length;
  const counts = Object.keys(clients).map((client, at) => `${client} ${count(at)}`);
  console.log(`of ${marks.size} cells work: ${counts.join(', ')}`);
}

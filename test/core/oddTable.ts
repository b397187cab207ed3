import { setTimeout as delay } from 'node:timers/promises';
import { clients, type Target, type Use } from './oddClients';

/** By the name of a client: `ok`, or what went wrong. */
export type Verdicts = Readonly<Record<string, string>>;

/** An SDK that needs longer waits for ever. */
const sdkPatienceMs = 8_000;

/** Tries a server with each of them at the same time. */
export async function tryWithAll(
  uses: Readonly<Record<string, Use>>,
  tryWith: (use: Use, name: string) => Promise<string>,
): Promise<Verdicts> {
  const tried = Object.entries(uses).map(async ([name, use]) => {
    const bounded = name === 'us' ? use : (target: Target) => withinPatience(use(target));
    return [name, await tryWith(bounded, name)] as const;
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
export async function verdict(used: Promise<void>): Promise<string> {
  try {
    await used;
    return 'ok';
  } catch (error) {
    const [line = ''] = String(error).split('\n');
    return line.slice(0, 100);
  }
}

/** For each server what became of it with whom, and how many each of them can use. */
export function printTable(tried: ReadonlyMap<string, Verdicts>): void {
  const names = Object.keys(clients);
  const toMark = (mark: string | undefined) =>
    (mark === undefined ? '' : mark === 'ok' ? 'ok' : '–').padEnd(7);
  const width = Math.max(...[...tried.keys()].map(({ length }) => length)) + 1;
  console.log(['', ''.padEnd(width), ...names.map((it) => it.padEnd(7))].join(' '));
  for (const [name, verdicts] of tried) {
    console.log([name.padEnd(width), ...names.map((it) => toMark(verdicts[it]))].join(' '));
  }
  const count = (name: string) => {
    const marks = [...tried.values()].flatMap((each) => each[name] ?? []);
    return `${name} ${marks.filter((mark) => mark === 'ok').length} of ${marks.length}`;
  };
  console.log(`cells that work: ${names.map(count).join(', ')}`);
}

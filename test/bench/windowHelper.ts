import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { setImmediate as nextRound, setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as vscode from 'vscode';
import type { ToolgateApi } from '../../src/api';
import { extensionId } from '../../src/ids';
import { compareGate } from './compareGate';
import { soak, type Call } from './gateTimes';
import { connectStdio as connectBare } from './limit';
import { watchTurns } from './longestTurns';
import type { Figures } from './table';

// The extension that measures Toolgate from inside of the same extension host. It does what the
// benchmark asks for by HTTP, and tells where in the file that `TOOLGATE_BENCH_ADDRESS` names.
const { TOOLGATE_BENCH_ADDRESS: addressFile = '', TOOLGATE_BENCH_SERVER: server = '' } =
  process.env;
/** `TOOLGATE_BENCH_PROFILE=<folder>`: where the extension host leaves what was watched as CPU profiles. */
const { TOOLGATE_BENCH_PROFILE: profileFolder } = process.env;
const given = { text: 'hello' };
/** In which what was put off comes. */
const aMomentMs = 1_000;

let made = 0;
let watching: { readonly end: () => Figures; readonly session?: Session } | undefined;
const timerMs = 10;
const floodMs = 5_000;
const mib = 1024 * 1024;

async function apiOfToolgate(): Promise<ToolgateApi> {
  const extension = vscode.extensions.getExtension<ToolgateApi>(extensionId);
  if (extension === undefined) throw new Error('There is no Toolgate.');
  return extension.activate();
}

/** A call by the API of the product: the gate, the journal, the history, a kept result. */
async function throughGate(id = 'bare'): Promise<Call> {
  const api = await apiOfToolgate();
  return async () => {
    made += 1;
    const { kind, error } = await api.callTool({ server: id, tool: 'echo', arguments: given });
    if (kind !== 'result') throw new Error(`${id}: ${kind} ${error?.message}`);
  };
}

/** Resolves when the servers are so. */
async function until(isSo: (servers: ToolgateApi['servers']) => boolean): Promise<ToolgateApi> {
  const api = await apiOfToolgate();
  let subscription: vscode.Disposable | undefined;
  await new Promise<void>((resolve) => {
    subscription = api.onDidChange(() => isSo(api.servers) && resolve());
    if (isSo(api.servers)) resolve();
  });
  subscription?.dispose();
  return api;
}

/** Of timers of 10 ms those that did not come, in per cent, and the memory above that of now, in MiB. */
function watchTimers(): () => Figures {
  const before = process.memoryUsage.rss();
  const startedAt = performance.now();
  let [peak, came] = [before, 0];
  const timer = setInterval(() => {
    came += 1;
    peak = Math.max(peak, process.memoryUsage.rss());
  }, timerMs);
  return () => {
    clearInterval(timer);
    const due = (performance.now() - startedAt) / timerMs;
    return { missed: Math.max(0, 100 * (1 - came / due)), peakMiB: (peak - before) / mib };
  };
}

/** Begins to look at the turns of the event loop, at timers of 10 ms, and at memory. */
async function watch(): Promise<Figures> {
  const session = profileFolder === undefined ? undefined : new Session();
  if (session !== undefined) {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
  }
  // Its turn is not one of what is watched.
  global.gc?.();
  const [timers, turns] = [watchTimers(), watchTurns()];
  const end = () => ({ ...timers(), ...turns() });
  watching = { end, ...(session === undefined ? {} : { session }) };
  return {};
}

/** Ends that a moment later; the name is for its CPU profile. */
async function watched(name: string): Promise<Figures> {
  await delay(aMomentMs);
  if (watching === undefined) throw new Error('Nothing is watched.');
  const { end, session } = watching;
  const figures = end();
  if (session !== undefined && profileFolder !== undefined) {
    const { profile } = await session.post('Profiler.stop');
    mkdirSync(profileFolder, { recursive: true });
    const file = path.join(profileFolder, `window-${name}-${Date.now()}.cpuprofile`);
    writeFileSync(file, JSON.stringify(profile));
    session.disconnect();
  }
  return figures;
}

/** What is done when the benchmark asks for it. */
const work = {
  watch,
  watched,
  /** So many calls through the gate, as `compareGate` makes them. */
  async gate(calls: number) {
    const figures = await compareGate(server, await throughGate(), calls, () => void watch());
    return { ...figures, ...(await watched('gate')) };
  },
  /** Resolves when these servers are configured, in this order, and no others; with commas between. */
  async configured(ids: string) {
    const { servers } = await until((all) => all.map(({ id }) => id).join() === ids);
    return { count: servers.length };
  },
  /** Resolves when so many servers run and have been listed, with the time. */
  async running(count: number) {
    await until(
      (all) => count <= all.filter((one) => one.state === 'running' && one.tools.length > 0).length,
    );
    return { at: Date.now() };
  },
  /** Starts so many bare pipes to servers, and ends them. */
  async bare(count: number) {
    await watch();
    const startedAt = performance.now();
    const starts = [];
    for (let at = 0; at < count; at += 1) {
      starts.push(connectBare(process.execPath, [server, 'list20']));
      await nextRound();
    }
    const started = await Promise.all(starts);
    await Promise.all(started.map((each) => each.listTools()));
    const ms = performance.now() - startedAt;
    const seen = await watched('bare');
    await Promise.all(started.map((each) => each.close()));
    return { ...seen, ms };
  },
  /** A call by the API, to its end. */
  async call(id: string) {
    const call = await throughGate(id);
    await call();
    return {};
  },
  /** A call that its server answers with a flood, which is watched for some seconds; then the server is stopped. */
  async flood(id: string) {
    const api = await apiOfToolgate();
    await watch();
    void api.callTool({ server: id, tool: 'echo', arguments: given });
    await delay(floodMs);
    const seen = await watched(`flood-${id}`);
    await api.stop(id);
    return seen;
  },
  /** Lets agents use these servers, with commas between. */
  async letIn(ids: string) {
    const own = vscode.workspace.getConfiguration('toolgate');
    await own.update('agents.servers', ids.split(','), true);
    await own.update('agents.enabled', true, true);
    return {};
  },
  soak: async (calls: number) => soak(await throughGate(), calls),
  /** How many calls it has made through the gate. */
  made: () => Promise.resolve({ made }),
};
export type WindowWork = typeof work;

const named = ['watched', 'configured', 'call', 'flood', 'letIn'] as const;
type Named = (typeof named)[number];
const isNamed = (name: string): name is Named => named.some((each) => each === name);

async function answer(request: IncomingMessage): Promise<Figures> {
  const [, name = '', parameter = ''] = (request.url ?? '').split('/');
  if (isNamed(name)) return work[name](parameter);
  if (name in work) return work[name as Exclude<keyof WindowWork, Named>](Number(parameter));
  throw new Error(`There is no work "${name}".`);
}

/** Called when the benchmark runs the command: before that nothing of this was loaded. */
export function begin(): vscode.Disposable {
  setFlagsFromString('--expose-gc');
  global.gc = runInNewContext('gc') as NodeJS.GCFunction;
  const endpoint = createServer((request, response) => {
    answer(request).then(
      (figures) => response.end(JSON.stringify(figures)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  endpoint.listen(0, '127.0.0.1', () => {
    writeFileSync(addressFile, JSON.stringify(endpoint.address()));
  });
  return new vscode.Disposable(() => endpoint.close());
}

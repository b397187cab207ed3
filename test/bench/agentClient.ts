import { performance } from 'node:perf_hooks';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { AgentServer } from './tables';
import { printFigures } from './gateTimes';

// Calls of an agent: straight to a server of its own, and through the bridge to a window with nothing
// in it, to one that is a proxy by the official SDK, and to the product's with the whole gate:
// `agentClient.js bare|waits|official|files <server script> <folder of the programs> [calls]`. Each way has
// a bridge, a window and a server of its own. Prints one JSON object of figures.
const [kind = '', script = '', built = '', count = '1500'] = process.argv.slice(2);
const block = 250;
const inFlight = 16;

interface Work {
  /** What the server is started with. */
  readonly args: readonly string[];
  readonly call: { readonly name: string; readonly arguments: Record<string, unknown> };
}

/** What each server is asked to do; `file` is a small one, `folder` the one that it lies in. */
const works: Record<AgentServer, (file: string, folder: string) => Work> = {
  // Costs nothing, so that what is beside it is the client alone.
  bare: () => ({ args: ['echo'], call: { name: 'echo', arguments: { text: 'hello' } } }),
  // Answers after 20 ms, as one that asks a service over the network.
  waits: () => ({ args: ['wait20'], call: { name: 'echo', arguments: { text: 'hello' } } }),
  // By the official SDK, as real ones are, but with nothing to do.
  official: () => ({ args: ['stdio'], call: { name: 'echo', arguments: { message: 'hello' } } }),
  // Does what it is for.
  files: (file, folder) => ({
    args: [folder],
    call: { name: 'read_text_file', arguments: { path: file } },
  }),
};

/** `TOOLGATE_BENCH_PROFILE=<folder>`: where the window leaves its CPU profile. */
const { TOOLGATE_BENCH_PROFILE: profile } = process.env;
const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];

const ways = {
  limit: ['agentProxies.js', 'bare'],
  sdk: ['agentProxies.js', 'sdk'],
  agent: ['agentWindow.js'],
} as const;

/** Milliseconds for so many calls. */
async function spent(client: Client, { call }: Work, total: number): Promise<number> {
  let left = total;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const { isError } = await client.callTool(call);
      if (isError === true) throw new Error('a call was refused');
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: inFlight }, worker));
  return performance.now() - startedAt;
}

async function connected(args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' });
  const command = process.execPath;
  await client.connect(new StdioClientTransport({ command, args: [...args], stderr: 'ignore' }));
  return client;
}

/** A window in a process of its own, as in the product, and a client that calls through it. */
async function opened(way: keyof typeof ways, base: string, serverArgs: readonly string[]) {
  const [program, ...first] = ways[way];
  const folder = path.join(base, way);
  await mkdir(folder);
  const gateway = path.join(folder, 'gateway.js');
  await copyFile(path.join(built, 'gateway.js'), gateway);
  const profiled = way === 'agent' ? profiling : [];
  const window: ChildProcess = spawn(
    process.execPath,
    [...profiled, path.join(built, program), ...first, folder, ...serverArgs],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  if (window.stdout !== null) await once(window.stdout, 'data');
  const client = await connected([gateway, '--server', 'bare', '--window', String(window.pid)]);
  return {
    client,
    close: async () => {
      await client.close();
      window.stdin?.end();
      await once(window, 'exit');
    },
  };
}

async function measure(): Promise<Record<string, number>> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'toolgate-agents-')));
  const allowed = path.join(base, 'files');
  await mkdir(allowed);
  const file = path.join(allowed, 'small.txt');
  await writeFile(file, 'One line of a small file, as there are many.\n'.repeat(20));
  const work = works[kind as AgentServer](file, allowed);
  const serverArgs = [script, ...work.args];
  const direct = await connected(serverArgs);
  const clients = new Map([['direct', { client: direct, close: () => direct.close() }]]);
  for (const way of ['limit', 'sdk', 'agent'] as const) {
    clients.set(way, await opened(way, base, serverArgs));
  }
  const ms = new Map<string, number>();
  for (const { client } of clients.values()) await spent(client, work, 500);
  // In turns: what else the machine does meets all alike.
  for (let done = 0; done < Number(count); done += block) {
    for (const [way, { client }] of clients) {
      ms.set(way, (ms.get(way) ?? 0) + (await spent(client, work, block)));
    }
  }
  for (const { close } of clients.values()) await close();
  await rm(base, { recursive: true });
  return Object.fromEntries([...ms].map(([way, each]) => [`${way}Ms`, each / Number(count)]));
}

printFigures(measure());

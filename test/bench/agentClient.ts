import { performance } from 'node:perf_hooks';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { printFigures, times } from './gateTimes';
import { connectStdio } from './sdk1';
import type { Subject } from './subject';
import type { Figures } from './table';

// Calls of an agent: straight to a server of its own, and through the bridge to the product's window with the
// whole gate: `agentClient.js <server script> <what it answers>`. Prints one JSON object of figures.
const serverArgs = process.argv.slice(2);
const built = __dirname;
const calls = 1_500;
const block = 250;
const inFlight = 16;

/** `TOOLGATE_BENCH_PROFILE=<folder>`: where the window leaves its CPU profile. */
const { TOOLGATE_BENCH_PROFILE: profile } = process.env;
const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];

/** Milliseconds for so many calls. */
async function spent(client: Subject, total: number): Promise<number> {
  const startedAt = performance.now();
  await times(
    async () => {
      const { content } = await client.callTool('echo', { text: 'hello' });
      const [said] = content as readonly { text?: unknown }[];
      if (said?.text !== 'hello') throw new Error('a call was refused');
    },
    total,
    inFlight,
  );
  return performance.now() - startedAt;
}

/** A window in a process of its own, as in the product, and a client that calls through it. */
async function throughWindow(folder: string) {
  const gateway = path.join(folder, 'gateway.js');
  await copyFile(path.join(built, 'gateway.js'), gateway);
  const args = [...profiling, path.join(built, 'agentWindow.js'), folder, ...serverArgs];
  const window = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(window.stdout, 'data');
  const bridge = [gateway, '--server', 'bare', '--window', String(window.pid)];
  const client = await connectStdio(process.execPath, bridge);
  return {
    client,
    close: async () => {
      await client.close();
      window.stdin.end();
      await once(window, 'exit');
    },
  };
}

async function measure(): Promise<Figures> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'toolgate-agents-')));
  const direct = await connectStdio(process.execPath, serverArgs);
  const agent = await throughWindow(folder);
  let [directMs, agentMs] = [0, 0];
  for (const client of [direct, agent.client]) await spent(client, 500);
  // In turns: what else the machine does meets both alike.
  for (let done = 0; done < calls; done += block) {
    directMs += await spent(direct, block);
    agentMs += await spent(agent.client, block);
  }
  await Promise.all([direct.close(), agent.close()]);
  await rm(folder, { recursive: true });
  return { directMs: directMs / calls, agentMs: agentMs / calls };
}

printFigures(measure());

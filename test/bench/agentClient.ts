import { performance } from 'node:perf_hooks';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { AgentAccess } from '../../src/host/agents/agentAccess';
import { AgentDrafts } from '../../src/host/agents/agentDrafts';
import { AgentEndpoint } from '../../src/host/agents/agentEndpoint';
import { AgentFloods, agentFloodLimits } from '../../src/host/agents/agentFloods';
import { ToolSets } from '../../src/host/agents/toolSets';
import { openGate } from './gateSubject';

// Calls of an agent through the bridge, the endpoint and the whole gate to a server, beside the same
// client's calls to such a server of its own: `agentClient.js bare|official <server script> <bridge>
// [calls]`. The official server answers by the official SDK, as real ones do; the bare one costs
// nothing, so that what is beside it is the client alone. Prints one JSON object of figures. With
// `serve` for calls it is the window, in a process of its own as in the product, until its stdin ends.
const [serverKind = 'bare', server = '', bridge = '', count = '1500'] = process.argv.slice(2);
const block = 250;
const inFlight = 16;
const isOfficial = serverKind === 'official';
const serverArgs = [server, isOfficial ? 'stdio' : 'echo'];
const given = {
  name: 'echo',
  arguments: isOfficial ? { message: 'hello' } : { text: 'hello' },
};

/** Milliseconds for so many calls. */
async function spent(client: Client, total: number): Promise<number> {
  let left = total;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const { isError } = await client.callTool(given);
      if (isError === true) throw new Error('a call was refused');
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: inFlight }, worker));
  return performance.now() - startedAt;
}

async function connected(args: readonly string[], cwd: string): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' });
  const command = process.execPath;
  await client.connect(
    new StdioClientTransport({ command, args: [...args], cwd, stderr: 'ignore' }),
  );
  return client;
}

/** Serves agents until stdin ends; prints the folder where the bridge lies. */
async function serve(): Promise<void> {
  const subject = await openGate(process.execPath, serverArgs);
  const { gate, registry, rules, pins, base } = subject;
  const access = new AgentAccess({
    registry,
    exposed: () => ['bare'],
    toolSets: new ToolSets(
      { current: { toolSets: new Map() }, onDidChange: () => ({ dispose: () => undefined }) },
      { get: () => undefined, update: () => Promise.resolve() },
    ),
    rules: () => rules.rules,
    pins,
    isTrusted: () => Promise.resolve(true),
    isAnswered: () => Promise.resolve(true),
    startsOnUse: () => true,
    changes: [],
  });
  const endpoint = await AgentEndpoint.open({
    access,
    gate,
    floods: new AgentFloods(() => undefined, { ...agentFloodLimits, calls: Infinity }),
    words: {
      refused: (_, { kind }) => kind,
      unanswered: () => 'unanswered',
      noSuchTool: () => 'no such tool',
      leftOut: () => 'left out',
      waiting: () => 'waiting',
    },
    answerWithinMs: () => 60_000,
    keep: () => Promise.resolve(),
    drafts: new AgentDrafts(),
    folder: base,
    workspaceFolders: () => Promise.resolve([base]),
    version: '1',
    log: { info: () => undefined, warn: () => undefined },
  });
  await copyFile(bridge, path.join(base, 'gateway.js'));
  console.log(base);
  process.stdin.resume();
  await once(process.stdin, 'end');
  await endpoint.close();
  access.dispose();
  await subject.close();
}

/** `TOOLGATE_BENCH_PROFILE=<folder>`: where the window leaves its CPU profile. */
const { TOOLGATE_BENCH_PROFILE: profile } = process.env;
const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];

async function measure(): Promise<Record<string, number>> {
  const [script = ''] = process.argv.slice(1);
  const window = spawn(
    process.execPath,
    [...profiling, script, serverKind, server, bridge, 'serve'],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const [said] = await once(window.stdout, 'data');
  const base = String(said).trim();
  const direct = await connected(serverArgs, base);
  const gateway = path.join(base, 'gateway.js');
  const way = ['--server', 'bare', '--window', String(window.pid)];
  const through = await connected([gateway, ...way], base);
  for (const client of [direct, through]) await spent(client, 500);
  const ms = { direct: 0, agent: 0 };
  // In turns: what else the machine does meets both alike.
  for (let done = 0; done < Number(count); done += block) {
    ms.direct += await spent(direct, block);
    ms.agent += await spent(through, block);
  }
  await Promise.all([direct.close(), through.close()]);
  window.stdin.end();
  await once(window, 'exit');
  return { directMs: ms.direct / Number(count), agentMs: ms.agent / Number(count) };
}

async function main(): Promise<Record<string, number> | undefined> {
  if (count !== 'serve') return measure();
  await serve();
  return undefined;
}

main().then(
  (figures) => {
    if (figures !== undefined) console.log(JSON.stringify(figures));
    process.exit(0);
  },
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

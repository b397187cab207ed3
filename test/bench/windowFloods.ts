import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectAgent } from '../host/agentClients';
import { projectFolder } from '../vscode/paths';
import { provisionNode } from '../vscode/provision';
import { floodNames } from './rows';
import { prefixed, type Figures } from './table';
import { bareServer, configure, startAll, type Scene } from './windowScenes';

// Answers of 64 MiB by each way out of the product, and floods of servers and agents, in a real window.

const large = ['text64', 'image64'];
const message = (rest: object): string => JSON.stringify({ jsonrpc: '2.0', ...rest });
const request = (method: string): string => message({ id: 1, method });
const notification = (name: string, params?: object): string =>
  message({ method: `notifications/${name}`, params });

/** What a server writes without end. */
const lines: Readonly<Record<(typeof floodNames)[number], string>> = {
  garbage: 'zzz',
  batches: `[${'1,'.repeat(200)}1]`,
  elicitation: request('elicitation/create'),
  sampling: request('sampling/createMessage'),
  roots: request('roots/list'),
  pings: request('ping'),
  listChanged: notification('tools/list_changed'),
  updated: notification('resources/updated', { uri: 'a:b' }),
  progress: notification('progress', { progressToken: 0, progress: 1 }).replace(':0', ':TOKEN'),
  logs: notification('message', { level: 'info', data: 'tick' }),
};

const agents = 4;
const listsMs = 100;
const listedMs = 5_000;

/** By the API, to an agent, and by the command line. */
export async function answers(scene: Scene): Promise<Figures> {
  const { ask, server } = scene;
  const figures: Record<string, number> = {};
  await configure(scene, Object.fromEntries(large.map((mode) => [mode, bareServer(server, mode)])));
  await startAll(scene, large.length);
  const { agent } = await bridgeTo(scene, large);
  for (const mode of large) {
    await ask('watch');
    await ask('call', mode);
    Object.assign(figures, prefixed(`api.${mode}`, await ask('watched', `api-${mode}`)));
    await ask('watch');
    await agent.call(`${mode}__echo`, { text: 'hello' });
    Object.assign(figures, prefixed(`agent.${mode}`, await ask('watched', `agent-${mode}`)));
    Object.assign(figures, prefixed(`cli.${mode}`, await ofCommandLine(scene, mode)));
  }
  await agent.close();
  return figures;
}

/** One server after the other, and then agents that list 20,000 tools. */
export async function floods(scene: Scene): Promise<Figures> {
  const { ask, server } = scene;
  const figures: Record<string, number> = {};
  const flooding = Object.entries(lines).map(([name, line]) => {
    const { command, args = [] } = bareServer(server, 'flood');
    return [name, { command, args: [...args, line] }] as const;
  });
  const listed = [['listed', bareServer(server, 'list20k')] as const];
  await configure(scene, Object.fromEntries([...flooding, ...listed]));
  await startAll(scene, flooding.length + 1);
  for (const name of floodNames) {
    Object.assign(figures, prefixed(`flood.${name}`, await ask('flood', name)));
  }
  const { bridge, agent } = await bridgeTo(scene, ['listed']);
  await agent.close();
  const listing = Array.from({ length: agents }, () => listWithoutEnd(bridge));
  await ask('watch');
  await delay(listedMs);
  Object.assign(figures, prefixed('flood.agents', await ask('watched', 'agents')));
  for (const end of listing) await end();
  return figures;
}

async function bridgeTo({ ask, window, workspace }: Scene, servers: readonly string[]) {
  await ask('letIn', servers.join());
  const { userFolder } = window.server;
  const script = path.join(userFolder, 'globalStorage/toolgate.toolgate/agents/gateway.js');
  const bridge = { command: process.execPath, args: [script], cwd: workspace.folder };
  // It is turned away until the window serves agents.
  const connect = () => connectAgent('SDK 1', bridge, 'bench').catch(() => undefined);
  for (;;) {
    const agent = existsSync(script) ? await connect() : undefined;
    if (agent !== undefined) return { bridge, agent };
    await delay(listsMs);
  }
}

/** An agent that asks for the list ten times a second, whatever comes. */
function listWithoutEnd({ command, args, cwd }: Awaited<ReturnType<typeof bridgeTo>>['bridge']) {
  const child = spawn(command, args, { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdout.resume();
  const send = (rest: object): void => {
    if (!child.stdin.writableNeedDrain) child.stdin.write(`${message(rest)}\n`);
  };
  const clientInfo = { name: 'bench', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  send({ id: 0, method: 'initialize', params });
  send({ method: 'notifications/initialized' });
  let id = 0;
  const timer = setInterval(() => send({ id: (id += 1), method: 'tools/list' }), listsMs);
  child.stdin.on('error', () => clearInterval(timer));
  return async () => {
    clearInterval(timer);
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  };
}

/** The program in a process of its own, which tells of its turns and its memory when it ends. */
async function ofCommandLine({ workspace, built }: Scene, mode: string): Promise<Figures> {
  const base = path.dirname(workspace.folder);
  const [told, rules] = [path.join(base, `${mode}.json`), path.join(base, 'rules.json')];
  writeFileSync(rules, JSON.stringify([{ effect: 'allow' }]));
  const program = path.join(projectFolder, 'dist/toolgate.js');
  const given = ['call', mode, 'echo', '--arguments', '{"text":"hello"}', '--allow', rules];
  const args = ['-r', path.join(built, 'programTurns.js'), program, ...given];
  const child = spawn(await provisionNode(), args, {
    cwd: workspace.folder,
    env: { ...process.env, TOOLGATE_BENCH_TURNS: told },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.resume();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`toolgate call ended with ${String(code)}`);
  return JSON.parse(readFileSync(told, 'utf8')) as Figures;
}

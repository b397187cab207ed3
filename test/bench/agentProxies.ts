import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { bridgeProtocol } from '../../src/host/agents/agentProtocol';
import { listenLocally } from '../../src/host/agents/agentSocket';
import { writeWindow } from '../../src/host/agents/agentWindows';
import { lineWriter, takeLines } from './bareLines';

// What stands behind the bridge where there is no gate: `agentProxies.js bare|sdk <folder> <server
// arguments>`, until stdin ends. The bare one is the physical limit of any process between an agent
// and a server: it parses each line, gives its request another id, and passes it on. The other one is
// the official SDK with both its sides, as gateways are made with it. Nothing is decided, asked or
// written down, and nobody is kept out.
const [kind = '', base = '', ...serverArgs] = process.argv.slice(2);

interface Message {
  id?: unknown;
  readonly method?: string;
}

function passOn(agent: Duplex): void {
  const server = spawn(process.execPath, serverArgs, { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<unknown, unknown>();
  const [toServer, toAgent] = [lineWriter(server.stdin), lineWriter(agent)];
  let nextId = 0;
  takeLines(agent, (line) => {
    const message = JSON.parse(line) as Message;
    if (message.id !== undefined) {
      waiting.set(nextId, message.id);
      message.id = nextId++;
    }
    toServer(JSON.stringify(message));
  });
  takeLines(server.stdout, (line) => {
    const message = JSON.parse(line) as Message;
    const own = message.id;
    if (message.method === undefined) message.id = waiting.get(own);
    waiting.delete(own);
    toAgent(JSON.stringify(message));
  });
  agent.on('close', () => server.stdin.end());
}

async function serveBySdk(agent: Duplex): Promise<void> {
  const client = new Client({ name: 'proxy', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: serverArgs, stderr: 'ignore' }),
  );
  serveStdio(
    () => {
      const server = new Server({ name: 'proxy', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/list', () => client.listTools());
      server.setRequestHandler('tools/call', ({ params: { name, arguments: given } }) =>
        client.callTool({ name, ...(given === undefined ? {} : { arguments: given }) }),
      );
      return server;
    },
    { transport: new StdioServerTransport(agent, agent) },
  );
  agent.on('close', () => void client.close());
}

async function main(): Promise<void> {
  const http = createServer();
  http.on('upgrade', (_, agent: Duplex, head) => {
    agent.on('error', () => agent.destroy());
    agent.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${bridgeProtocol}\r\n\r\n`,
    );
    agent.unshift(head);
    if (kind === 'bare') passOn(agent);
    else void serveBySdk(agent);
  });
  const socket = await listenLocally(http);
  await writeWindow(base, {
    protocol: bridgeProtocol,
    pid: process.pid,
    socket: socket.path,
    token: 'none',
    folders: [base],
    startedAt: Date.now(),
  });
  console.log('ready');
  process.stdin.resume();
  await once(process.stdin, 'end');
  await socket.remove();
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { McpClient } from '../../src/core/client';
import { connectHttp } from '../../src/core/http/connectHttp';
import { clientInfo, textOf } from './connections';
import { Person } from './taskScenes';
import { RecordingLog } from './wire';

const modules = path.resolve(__dirname, '../../node_modules/@modelcontextprotocol');
const examples = 'sdk/dist/esm/examples/server';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** Real servers with tasks over Streamable HTTP, and what they answer to one call each. */
const servers = [
  {
    name: 'simpleTaskInteractive of the SDK',
    args: [`${examples}/simpleTaskInteractive.js`],
    port: 'PORT',
    tool: 'confirm_delete',
    given: { filename: 'a.txt' },
    answer: /Deleted 'a\.txt'/,
    asked: 1,
  },
  {
    name: 'simpleStreamableHttp of the SDK',
    args: [`${examples}/simpleStreamableHttp.js`],
    port: 'MCP_PORT',
    tool: 'delay',
    given: { duration: 10 },
    answer: /Completed 10ms delay/i,
    asked: 0,
  },
  {
    name: 'server-everything',
    args: ['server-everything/dist/index.js', 'streamableHttp'],
    port: 'PORT',
    tool: 'simulate-research-query',
    given: { topic: 'python', ambiguous: true },
    answer: /python/,
    asked: 1,
  },
] as const;

describe('A task of a real server over HTTP', () => {
  let child: ChildProcess | undefined;
  let client: McpClient | undefined;
  afterEach(async () => {
    await client?.close();
    client = undefined;
    child?.kill();
    if (child?.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });

  for (const { name, args, port, tool, given, answer, asked } of servers) {
    it(`returns its result: ${name}`, async () => {
      const [file, ...rest] = args;
      const at = await freePort();
      const env = { ...process.env, [port]: String(at) };
      child = spawn(process.execPath, [path.join(modules, file), ...rest], { env });
      await Promise.race(
        [child.stdout, child.stderr].map((input) =>
          once(createInterface({ input: input! }), 'line'),
        ),
      );
      const input = new Person();
      input.content = { confirm: true };
      const log = new RecordingLog();
      const url = `http://localhost:${at}/mcp`;
      for (let tries = 0; client === undefined; tries += 1) {
        client = await connectHttp({ url, clientInfo, log, input }).catch((error: unknown) => {
          if (tries > 20) throw error;
          return undefined;
        });
      }
      const states: string[] = [];
      const onTask = ({ status }: { status: string }) => states.push(status);
      const call = client.callTool(tool, { ...given }, { isTask: true, onTask });
      assert.match(await textOf(call), answer, log.lines.join('\n'));
      assert.equal(input.asked.length, asked);
      assert.ok(states.length > 0, 'it ran as a task');
    });
  }
});

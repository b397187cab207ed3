import assert from 'node:assert/strict';
import path from 'node:path';
import type { ConnectStdioOptions } from '../../src/core/stdio/connectStdio';
import type { ElicitationRequest } from '../../src/core/input/elicitation';
import type { InputHandler } from '../../src/core/input/inputHandler';
import { bundled } from '../servers/bundled';
import { Connections, textOf } from './connections';

const connections = new Connections();
const server = path.resolve(__dirname, '../servers/sdk2.ts');

/** Starts the server of the official SDK 2.x, which speaks both eras unless told otherwise. */
function start(options: Partial<ConnectStdioOptions> = {}, ...args: readonly string[]) {
  const command = process.execPath;
  const limits = { startTimeoutMs: 30_000, probeTimeoutMs: 20_000 };
  const how = { command, args: [bundled(server), ...args], env: {} };
  return connections.toCommand(how, { limits, ...options });
}

class Person implements InputHandler {
  readonly asked: ElicitationRequest[] = [];

  async elicit(request: ElicitationRequest) {
    this.asked.push(request);
    return { action: 'accept', content: { name: 'Ada' } } as const;
  }
}

describe('A server of the official SDK 2', function () {
  this.timeout(60_000);
  afterEach(() => connections.close());

  for (const [era, revision, args] of [
    ['auto', '2026-07-28', []],
    ['auto', '2026-07-28', ['--legacy=reject']],
    ['stateless', '2026-07-28', []],
    ['stateful', '2025-11-25', []],
  ] as const) {
    it(`works in ${revision}: era ${era} ${args.join(' ')}`, async () => {
      const person = new Person();
      const client = await start({ era, input: person }, ...args);
      assert.equal(client.revision, revision);
      assert.equal(client.serverInfo.name, 'sdk2');
      const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
      assert.deepEqual(await names(), ['echo', 'grow', 'ask']);
      assert.equal(await textOf(client.callTool('echo', { text: 'grüße' })), 'grüße');
      assert.deepEqual(await client.readResource('note:///one'), [
        { uri: 'note:///one', text: 'a note' },
      ]);
      await client.ping();

      const changed = new Promise<void>((resolve) => client.onDidChangeTools(() => resolve()));
      await client.callTool('grow', {});
      await changed;
      assert.deepEqual(await names(), ['echo', 'grow', 'ask', 'grown']);

      assert.match(await textOf(client.callTool('ask', {})), /Ada/);
      assert.deepEqual(
        person.asked.map(({ mode, message }) => `${mode}: ${message}`),
        ['form: Who are you?'],
      );
      assert.deepEqual(
        connections.log.lines.filter((line) => !line.startsWith('info')),
        [],
      );
    });
  }
});

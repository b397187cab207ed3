import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { CallOptions, McpClient } from '../../src/core/client';
import { connectHttp } from '../../src/core/http/connectHttp';
import type { TaskHandle } from '../../src/core/tasks/taskState';
import { TaskServer } from '../servers/taskServer';
import { clientInfo, textOf } from './connections';
import { outcome, RecordingLog } from './wire';

/** Starts a task and keeps its handle; the call fails when its connection ends. */
async function started(client: McpClient, options: CallOptions = {}) {
  const order: string[] = [];
  let keep: (handle: TaskHandle) => void = () => undefined;
  const kept = new Promise<TaskHandle>((resolve) => (keep = resolve));
  const call = client.callTool(
    'long',
    {},
    {
      isTask: true,
      keepTask: async (handle) => {
        await Promise.resolve();
        order.push('kept');
        keep(handle);
      },
      onTask: ({ status }) => order.push(status),
      ...options,
    },
  );
  call.catch(() => undefined);
  return { call, order, handle: await kept };
}

describe('A resumed task', () => {
  let server: TaskServer;
  const clients: McpClient[] = [];
  const connect = async () => {
    const client = await connectHttp({ url: server.url, clientInfo, log: new RecordingLog() });
    clients.push(client);
    return client;
  };
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await server.stop();
  });

  for (const era of ['stateful', 'stateless'] as const) {
    it(`returns its result to a later connection: ${era}`, async () => {
      server = await TaskServer.start({ era });
      const first = await connect();
      const { call, order, handle } = await started(first);
      await server.arrival('tasks/get');
      assert.deepEqual(order.slice(0, 2), ['kept', 'working']);
      assert.equal(handle.wire, era);
      assert.equal(handle.ttlMs, 600_000);
      assert.equal(handle.sessionId === undefined, era === 'stateless');
      await first.close();
      assert.match(JSON.stringify(await outcome(call)), /connectionClosed/);
      // A handle survives as JSON.
      const stored: TaskHandle = JSON.parse(JSON.stringify(handle));
      const second = await connect();
      const before = server.count('tasks/get');
      const result = second.resumeTask(stored);
      while (server.count('tasks/get') === before) await second.listTools();
      server.finish();
      assert.equal(await textOf(result), 'result of long');
      assert.equal(server.count('tools/call'), 1);
      assert.equal(server.count('tasks/cancel'), 0);
    });

    it(`is cancelled there, and is lost if the server does not know it: ${era}`, async () => {
      server = await TaskServer.start({ era });
      const first = await connect();
      const { handle } = await started(first);
      await first.close();
      const second = await connect();
      const source = new CancellationTokenSource();
      const resumed = second.resumeTask(handle, { token: source.token });
      source.cancel();
      assert.match(JSON.stringify(await outcome(resumed)), /cancelled/);
      await server.arrival('tasks/cancel');
      server.forget();
      const third = await connect();
      assert.match(JSON.stringify(await outcome(third.resumeTask(handle))), /taskLost/);
    });
  }

  it('is lost on the other transport', async () => {
    server = await TaskServer.start({ era: 'stateful' });
    const client = await connect();
    const { handle } = await started(client);
    const other = client.resumeTask({ ...handle, wire: 'stateless' });
    assert.match(JSON.stringify(await outcome(other)), /taskLost/);
    const odd = client.resumeTask({ ...handle, sessionId: 'no\nheader' });
    assert.match(JSON.stringify(await outcome(odd)), /taskLost/);
  });

  it('keeps its session open only while it runs', async () => {
    server = await TaskServer.start({ era: 'stateful' });
    const client = await connect();
    const { call } = await started(client);
    server.finish();
    await call;
    await client.close();
    assert.equal(server.sessions.size, 0);
    // Without somebody who keeps the task the session ends with the connection, as ever.
    const careless = await connect();
    careless.callTool('long', {}, { isTask: true }).catch(() => undefined);
    await server.arrival('tasks/get');
    await careless.close();
    assert.equal(server.sessions.size, 0);
  });

  it('is not called again if the session is lost meanwhile', async () => {
    server = await TaskServer.start({ era: 'stateful' });
    const client = await connect();
    const { call } = await started(client);
    server.forget();
    assert.match(JSON.stringify(await outcome(call)), /taskLost/);
    assert.equal(server.count('tools/call'), 1);
  });
});

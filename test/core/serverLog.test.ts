import assert from 'node:assert/strict';
import { Connections } from './connections';

describe('A log message of a server', () => {
  const connections = new Connections();
  afterEach(() => connections.close());

  /** The lines that began as messages of the server. */
  const lines = () => connections.log.lines.filter((line) => /^\w+ \[/.test(line));

  it('is in the log of its connection, with severity and name, and never as an own error', async () => {
    const client = await connections.to((server) => {
      server.on('ping', (message) => {
        for (const level of ['debug', 'notice', 'warning', 'error', 'emergency', 'shout', 7]) {
          server.send({ method: 'notifications/message', params: { level, data: { n: 1 } } });
        }
        const params = { level: 'error', logger: 'db', data: 'disk full' };
        server.send({ method: 'notifications/message', params });
        server.reply(message, {});
      });
    });
    await client.ping();
    assert.deepEqual(lines(), [
      'info [debug] {"n":1}',
      'info [notice] {"n":1}',
      'warn [warning] {"n":1}',
      'warn [error] {"n":1}',
      'warn [emergency] {"n":1}',
      'info [info] {"n":1}',
      'info [info] {"n":1}',
      'warn [error] db: disk full',
    ]);
  });

  it('has its own level if the log has levels', async () => {
    const told: string[] = [];
    const { log } = connections;
    Object.assign(log, {
      fromServer: (level: string, text: string) => void told.push(`${level} ${text}`),
    });
    const client = await connections.to((server) => {
      server.on('ping', (message) => {
        for (const level of ['debug', 'notice', 'warning', 'alert', 'shout']) {
          server.send({ method: 'notifications/message', params: { level, data: 'x' } });
        }
        server.reply(message, {});
      });
    });
    await client.ping();
    assert.deepEqual(told, [
      'debug [debug] x',
      'info [notice] x',
      'warning [warning] x',
      'error [alert] x',
      'info [info] x',
    ]);
  });

  it('is logged even if the server fails to start after it', async () => {
    const start = connections.to((server) => {
      server.on('initialize', (message) => {
        const params = { level: 'critical', data: 'no licence' };
        server.send({ method: 'notifications/message', params });
        server.fail(message, -32603, 'cannot start');
      });
    });
    await assert.rejects(start);
    assert.deepEqual(lines(), ['warn [critical] no licence']);
  });
});

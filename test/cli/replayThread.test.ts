import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { replayCommand } from '../../src/cli/replayCommand';
import type { McpClient } from '../../src/core/client';
import type { McpError } from '../../src/core/errors';
import { parsePointerSteps } from '../../src/core/json/jsonPointer';
import { connectReplay } from '../../src/core/recording/connectReplay';
import { readRecording } from '../../src/core/recording/readRecording';
import { connectStdio } from '../../src/core/stdio/connectStdio';
import { RecordingWriter } from '../../src/host/recording/recordings';
import { clientInfo } from '../core/connections';
import { RecordingLog } from '../core/wire';
import { projectRoot, servers } from './program';

const program = path.join(projectRoot, 'dist/toolgate.js');

describe('A server that answers from a recording', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'toolgate-replay-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const replayOf = (recording: string, server = 'demo', speed = 100) =>
    connectReplay({ program, recording, server, speed, clientInfo, log: new RecordingLog() });
  const written = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };

  it('gives the same answers as the recorded server, and is no process', async () => {
    const file = path.join(folder, 'run.mcprecord');
    const writer = await RecordingWriter.open(file, {
      server: 'demo',
      redact: (text) => text,
      omitted: [parsePointerSteps('/nothing') ?? []],
      onBroken: assert.fail,
    });
    const log = Object.assign(new RecordingLog(), {
      exchanged: (direction: 'sent' | 'received', message: unknown) =>
        writer.take(direction, message),
    });
    const real = await connectStdio({ ...servers.demo, env: {}, clientInfo, log });
    const ask = async (client: McpClient): Promise<readonly unknown[]> => {
      const { tools } = await client.listTools();
      const answers: unknown[] = [tools];
      for (const name of ['list_notes', 'show_flower', 'list_notes']) {
        answers.push((await client.callTool(name, {})).content);
      }
      return answers;
    };
    const before = await ask(real);
    await real.close();
    assert.equal(await writer.end(), true);
    const { messages, isCut } = await readRecording(file);
    assert.deepEqual([isCut, messages.length], [false, writer.messages]);
    const replayed = await replayOf(file);
    assert.equal(replayed.pid, undefined);
    assert.deepEqual(await ask(replayed), before);
    await assert.rejects(replayed.callTool('show_flower', { name: 'x' }), (error: McpError) =>
      /was not recorded; the nearest is/.test(error.facts.detail ?? error.message),
    );
    await replayed.close();
  });

  it('does not start from an invalid recording, and says why', async () => {
    const head = '{"mcprecord":1}\n';
    const files: readonly (readonly [string, RegExp])[] = [
      [path.join(folder, 'none.mcprecord'), /cannot be read/],
      [written('wild.mcprecord', '[[['), /is not a recording/],
      [written('empty.mcprecord', head), /has no messages of server/],
      [written('bad.mcprecord', `${head}{}\n{}\n`), /not a message \(line 2\)/],
    ];
    for (const [file, words] of files) {
      await assert.rejects(replayOf(file), (error: { facts: { stderrTail?: string } }) => {
        assert.match(error.facts.stderrTail ?? '', words);
        return true;
      });
    }
  });

  it('stops when it is cancelled while it starts, whatever its recording contains', async () => {
    const silent = { id: 1, method: 'x' };
    const line = JSON.stringify({ at: 1, server: 'demo', to: 'server', message: silent });
    const file = written('silent.mcprecord', `{"mcprecord":1}\n${line}\n`);
    const cancelling = new CancellationTokenSource();
    const starting = connectReplay(
      { program, recording: file, server: 'demo', speed: 1, clientInfo, log: new RecordingLog() },
      cancelling.token,
    );
    cancelling.cancel();
    await assert.rejects(starting, { code: 'cancelled' });
  });

  it('reports an answer that is nested too deeply, and continues', async () => {
    const line = (to: string, message: string): string =>
      `{"at":1,"server":"s","to":"${to}","message":${message}}\n`;
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const asked = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
    const file = written(
      'deep.mcprecord',
      '{"mcprecord":1}\n' +
        line('server', asked(1)) +
        line('client', `{"method":"notifications/x","params":{"deep":${deep}}}`) +
        line('client', `{"jsonrpc":"2.0","id":1,"result":{"deep":${deep}}}`) +
        line('server', asked(2)) +
        line('client', '{"jsonrpc":"2.0","id":2,"result":{}}'),
    );
    const lines: string[] = [];
    const input = Readable.from([`${asked(7)}\n`, `${asked(8)}\n`]);
    await replayCommand([file, 's'], undefined, { input, write: (text) => lines.push(text) });
    const deepError = { code: -32_603, message: 'its answer is nested too deeply' };
    assert.deepEqual(
      lines.map((text): unknown => JSON.parse(text)),
      [
        { jsonrpc: '2.0', id: 7, error: deepError },
        { jsonrpc: '2.0', id: 8, result: {} },
      ],
    );
  });
});

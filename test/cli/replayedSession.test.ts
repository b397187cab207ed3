import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { McpClient } from '../../src/core/client';
import type { ConnectOptions } from '../../src/core/connect';
import { connectHttp } from '../../src/core/http/connectHttp';
import type { ElicitationRequest, ElicitationResult } from '../../src/core/input/elicitation';
import type { InputHandler } from '../../src/core/input/inputHandler';
import { connectReplay } from '../../src/core/recording/connectReplay';
import { recordedLine, recordingEnd, recordingHead } from '../../src/core/recording/recordedLine';
import { connectStdio } from '../../src/core/stdio/connectStdio';
import { RecordingWriter } from '../../src/host/recording/recordings';
import { clientInfo } from '../core/connections';
import { RecordingLog } from '../core/wire';
import { MatrixHttp, servings } from '../servers/matrixHttp';
import { projectRoot, servers } from './program';
import { RawServer } from './rawServer';

const program = path.join(projectRoot, 'dist/toolgate.js');

type Common = Omit<ConnectOptions, 'limits'>;
type GivenCall = readonly [tool: string, given: Record<string, unknown>];

/** The person behind a client, who accepts every question alike. */
class Person implements InputHandler {
  readonly asked: ElicitationRequest[] = [];
  elicit(request: ElicitationRequest): Promise<ElicitationResult> {
    // Each server, and each recording of it, gives its tasks ids of its own.
    const { taskId: _, ...question } = request;
    this.asked.push(question);
    return Promise.resolve({ action: 'accept', content: { name: 'Ann' } });
  }
}

/** Hears what is exchanged, and what the server says of itself. */
class SessionLog extends RecordingLog {
  readonly said: string[] = [];
  exchanged: (direction: 'sent' | 'received', message: unknown) => void = () => undefined;
  fromServer(level: string, text: string): void {
    this.said.push(`${level}: ${text}`);
  }
}

/** All that a person would come to see of a session, one text for each document. */
async function session(
  connect: (common: Common) => Promise<McpClient>,
  calls: readonly GivenCall[],
  log: SessionLog,
): Promise<readonly string[]> {
  const input = new Person();
  const client = await connect({ clientInfo, log, input, logLevel: 'info' });
  const documents: unknown[] = [client.revision, client.serverInfo, client.capabilities];
  documents.push((await client.listTools()).tools);
  for (const [tool, given] of calls) {
    const progress: unknown[] = [];
    const onProgress = (report: unknown): void => void progress.push(report);
    const isTask = tool === 'simulate-research-query';
    documents.push([await client.callTool(tool, given, { onProgress, isTask }), progress]);
  }
  await client.close();
  documents.push(input.asked, log.said);
  return documents.map((each) => JSON.stringify(each));
}

const hashesOf = (documents: readonly string[]): readonly string[] =>
  documents.map((each) => createHash('sha256').update(each).digest('hex'));

describe('A session of every kind of message', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'toolgate-session-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const everything = {
    begin: () => Promise.resolve(),
    connect: (common: Common) => connectStdio({ ...common, ...servers.everything, env: {} }),
    calls: [
      ['simulate-research-query', { topic: 'python', ambiguous: true }],
      ['trigger-long-running-operation', { duration: 0.2, steps: 4 }],
      ['trigger-elicitation-request', {}],
      ['get-tiny-image', {}],
      ['echo', { message: 'once more' }],
    ],
    wanted: [/Research/i, /"progress":4/, /User inputs/, /image\/png/, /once more/],
  } as const;

  const overHttp = (serving: () => Parameters<typeof MatrixHttp.start>[0]) => {
    let host: MatrixHttp | undefined;
    return {
      begin: async () => {
        host = await MatrixHttp.start(serving(), () => undefined);
        return () => host?.stop();
      },
      connect: (common: Common) => connectHttp({ ...common, url: host?.url ?? '' }),
      calls: [
        ['progress', {}],
        ['log', {}],
        ['ask', {}],
        ['image', {}],
        ['fails', {}],
        ['progress', {}],
      ],
      wanted: [/"progress":3/, /said/, /Who are you\?/, /image\/png/, /no such flower/],
    } as const;
  };

  for (const [name, server] of [
    ['server-everything', everything],
    ['a server of the stateful era', overHttp(() => servings.sessions1('2025-06-18', () => {}))],
    ['a server of the stateless era', overHttp(() => servings.bothEras2(() => {}))],
  ] as const) {
    it(`with ${name} returns the same documents in a replay, compared by hash`, async () => {
      const stop = await server.begin();
      const file = path.join(folder, `${name}.mcprecord`);
      const writer = await RecordingWriter.open(file, {
        server: 's',
        redact: (text) => text,
        omitted: [],
        onBroken: assert.fail,
      });
      const log = new SessionLog();
      log.exchanged = (direction, message) => writer.take(direction, message);
      const recorded = await session(server.connect, server.calls, log);
      await stop?.();
      assert.equal(await writer.end(), true);
      for (const wanted of server.wanted) assert.match(recorded.join('\n'), wanted);
      for (const speed of [50, 10_000]) {
        const replayed = await session(
          (common) => connectReplay({ ...common, program, recording: file, server: 's', speed }),
          server.calls,
          new SessionLog(),
        );
        assert.deepEqual(replayed, recorded);
        assert.deepEqual(hashesOf(replayed), hashesOf(recorded));
      }
    });
  }

  it('answers for tasks as the server did, whatever has requested them', async () => {
    const { command, args } = servers.everything;
    const real = new RawServer(command, args);
    const params = {
      name: 'simulate-research-query',
      arguments: { topic: 'beans', ambiguous: false },
      task: { ttl: 60_000 },
    };
    const asTask = async (server: RawServer): Promise<readonly object[]> => {
      const answers: object[] = [await server.handshake()];
      const made = await server.ask('tools/call', params);
      const id = /"taskId":"([^"]+)"/.exec(JSON.stringify(made))?.[1];
      assert.ok(id !== undefined, JSON.stringify(made));
      answers.push(made, await server.ask('tasks/result', { taskId: id }));
      answers.push(await server.ask('tasks/get', { taskId: id }));
      return answers;
    };
    const before = await asTask(real);
    await real.end();
    assert.match(JSON.stringify(before.at(-1)), /"status":"completed"/);
    assert.ok(real.messages.some(({ message }) => /notifications\//.test(JSON.stringify(message))));
    const lines = real.messages.map((each) => recordedLine(each, (text) => text, []));
    const file = path.join(folder, 'tasks.mcprecord');
    const all = [recordingHead(new Date()), ...lines, recordingEnd(lines.length), ''];
    writeFileSync(file, all.join('\n'));
    const replay = new RawServer(process.execPath, [program, 'replay', '--', file, 's']);
    const after = await asTask(replay);
    await replay.end();
    const idOf = (answers: readonly object[]) =>
      /"taskId":"([^"]+)"/.exec(JSON.stringify(answers))?.[1] ?? assert.fail();
    assert.ok(!all.join('').includes(idOf(before)), 'whoever has the id can read the task');
    const withoutId = (answers: readonly object[]) =>
      JSON.stringify(answers).replaceAll(idOf(answers), '');
    assert.equal(withoutId(after), withoutId(before));
  });
});

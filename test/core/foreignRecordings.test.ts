import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { exportedServer } from '../../src/core/recording/inspectorExport';
import { readRecording, serversOfRecording } from '../../src/core/recording/readRecording';
import { Replay } from '../../src/core/recording/recordedServer';
import { RecordingError } from '../../src/core/recording/recordedLine';

const samples = path.resolve(__dirname, '../fixtures/recordings');
const inspector = 'inspector-protocol-everything-2026-11-23T21-31-33.234Z.json';

describe('Messages in recordings of other programs', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'toolgate-foreign-'));
  });
  after(() => rmSync(folder, { recursive: true }));
  const written = (text: string): string => {
    const file = path.join(folder, 'some.json');
    writeFileSync(file, text);
    return file;
  };

  it('name their servers, in their lines or in the file name', async () => {
    for (const sample of [inspector, 'mcporter.ndjson']) {
      assert.deepEqual(await serversOfRecording(path.join(samples, sample)), ['everything']);
    }
    const time = '2026-01-02T03-04-05.678Z';
    assert.equal(exportedServer(`/x/inspector-protocol-my%2Fown-one-${time}.json`), 'my/own-one');
    assert.equal(exportedServer(`/x/inspector-history-pinned-a-${time}.json`), 'a');
    assert.equal(exportedServer(`/x/inspector-protocol-50%-${time}.json`), '50%');
    assert.equal(exportedServer('/x/of a colleague.json'), 'of a colleague');
  });

  it('name no server in a line that takes long to parse, or by unbounded text', async () => {
    const line = (server: string, more: object = {}): string =>
      `${JSON.stringify({
        jsonrpc: '2.0',
        method: 'm',
        ...more,
        _meta: { dir: 'recv', server, ts: '2026-01-02T03:04:05.678Z' },
      })}\n`;
    const lines = [
      line('first'),
      line('large', { params: { text: 'x'.repeat(256 * 1024) } }),
      line(''),
      line('n'.repeat(4_097)),
      line('n'.repeat(4_096)),
      line('last'),
    ];
    const servers = await serversOfRecording(written(lines.join('')));
    assert.deepEqual(servers, ['first', 'n'.repeat(4_096), 'last']);
  });

  it('have answers at their place, and messages of servers as such', async () => {
    const at = (ms: number): string => new Date(ms).toISOString();
    const entry = (ms: number, message: object, more: object = {}) => ({
      id: 'x',
      timestamp: at(ms),
      direction: 'request',
      message: { jsonrpc: '2.0', ...message },
      ...more,
    });
    const answer = { jsonrpc: '2.0', id: 1, result: {} };
    const entries = [
      entry(1_000, { id: 1, method: 'tools/list' }, { response: answer, duration: 20 }),
      entry(1_005, { id: 7, method: 'roots/list' }, { response: { ...answer, id: 7 } }),
      entry(1_010, { method: 'notifications/message' }),
      entry(1_011, { method: 'notifications/initialized' }),
      entry(1_020, { method: 'notifications/progress' }, { origin: 'server' }),
    ];
    const { messages, isOfAnyServer } = await readRecording(written(JSON.stringify(entries)));
    assert.equal(isOfAnyServer, true);
    assert.deepEqual(
      messages.map(({ at: ms, to, message = {} }) => {
        const { method = 'answer' } = Object(message) as { method?: string };
        return `${ms} ${to} ${method}`;
      }),
      [
        '0 server tools/list',
        '5 client roots/list',
        '5 server answer',
        '10 client notifications/message',
        '11 server notifications/initialized',
        '20 client notifications/progress',
        '20 client answer',
      ],
    );
  });

  it('are read, or refused with a reason, whatever they contain', async () => {
    const real = readFileSync(path.join(samples, inspector), 'utf8');
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(1e308, -5, 'client', 'server', null));
    const entries = fc.array(
      fc.record(
        {
          direction: value,
          timestamp: fc.oneof(value, fc.constantFrom('2026-01-01', '+275760-09-13T00:00:00Z')),
          message: fc.oneof(value, fc.record({ id: value, method: value, params: value })),
          response: value,
          duration: value,
          origin: value,
        },
        { requiredKeys: ['direction'] },
      ),
      { minLength: 1, maxLength: 5 },
    );
    const cut = fc.nat(real.length).map((end) => real.slice(0, end));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          entries.map((all) => JSON.stringify(all)),
          cut,
        ),
        async (text) => {
          try {
            const { messages } = await readRecording(written(text));
            assert.ok(messages.every(({ at }) => at >= 0 && Number.isFinite(at)));
            const replay = new Replay(messages);
            replay.answer({ id: 1, method: 'tools/list' });
          } catch (error) {
            if (!(error instanceof RecordingError)) throw error;
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

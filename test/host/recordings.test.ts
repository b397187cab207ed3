import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readRecording } from '../../src/core/recording/readRecording';
import { configHash } from '../../src/host/configuration/configurationHash';
import { type ServerConfig, serverKey } from '../../src/host/configuration/serverConfig';
import { serverFingerprint } from '../../src/host/consent/facts/fingerprints';
import { RecordedServers } from '../../src/host/recording/recordedServers';
import {
  type EndedRecording,
  type Recorded,
  Recordings,
} from '../../src/host/recording/recordings';
import { useFolders } from './testFolders';
import { useWindows } from './windowProcess';
import { assertEach } from '../assertions';

const server = (id: string) => ({ id, label: id });

/** What one window records, and how it is told what is exchanged. */
class RecordingWindow {
  readonly ended: EndedRecording[] = [];
  readonly #heard = new Map<string, Recorded>();
  readonly recordings = new Recordings({
    listen: ({ id }, to) => {
      if (to === undefined) this.#heard.delete(id);
      else this.#heard.set(id, to);
    },
    redact: (text) => text,
  });

  constructor() {
    this.recordings.onDidEnd((ended) => this.ended.push(ended));
  }

  async begin(id: string, file: string): Promise<void> {
    assert.ok(await this.recordings.open(server(id), file, []));
    this.recordings.arm(id);
  }

  exchange(id: string, message: object): void {
    this.#heard.get(id)?.('sent', message);
  }

  get how(): readonly string[] {
    return this.ended.map(({ how }) => how);
  }
}

describe('Recordings of servers', () => {
  const openWindow = useWindows();
  const freshPath = useFolders('run.mcprecord');
  let file: string;
  beforeEach(() => {
    file = freshPath();
  });

  it('replace a link, a pipe or another file, and keep the target of a link', async () => {
    const target = `${file}.target`;
    writeFileSync(target, 'mine');
    const places: readonly (() => unknown)[] = [
      () => symlinkSync(target, file),
      () => execFileSync('mkfifo', [file]),
      () => writeFileSync(file, 'old', { mode: 0o666 }),
    ];
    for (const place of places) {
      const window = new RecordingWindow();
      place();
      await window.begin('s', file);
      window.exchange('s', { id: 1, method: 'ping' });
      await window.recordings.stop();
      assert.deepEqual(window.how, ['whole']);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.equal((await readRecording(file)).messages.length, 1);
      execFileSync('rm', [file]);
    }
    assert.equal(readFileSync(target, 'utf8'), 'mine');
  });

  it('of two windows in one file belong to the later one, and the other reports a failure', async () => {
    const [one, other] = [new RecordingWindow(), new RecordingWindow()];
    await one.begin('s', file);
    one.exchange('s', { id: 1, method: 'one' });
    await other.begin('s', file);
    other.exchange('s', { id: 1, method: 'other' });
    one.exchange('s', { id: 2, method: 'one' });
    await one.recordings.stop();
    await other.recordings.stop();
    assert.deepEqual([one.how, other.how], [['failed'], ['whole']]);
    const { messages, isCut } = await readRecording(file);
    assert.deepEqual(
      [isCut, messages.map(({ message }) => message)],
      [false, [{ id: 1, method: 'other' }]],
    );
  });

  it('without a message delete their own file, never the one of another window', async () => {
    const [one, other] = [new RecordingWindow(), new RecordingWindow()];
    await one.begin('s', file);
    await other.begin('s', file);
    await one.recordings.stop();
    assert.ok(existsSync(file));
    await other.recordings.stop();
    assert.deepEqual([other.how, existsSync(file)], [['empty'], false]);
  });

  it('are not started in a file that is being written, or in a folder', async () => {
    const window = new RecordingWindow();
    await window.begin('s', file);
    await assert.rejects(window.recordings.open(server('t'), file, []));
    assert.equal(await window.recordings.open(server('s'), `${file}2`, []), false);
    await assert.rejects(window.recordings.open(server('u'), path.dirname(file), []));
    assert.equal(window.recordings.isRecording('u'), false);
    await window.recordings.stop();
  });

  it('end once, even with simultaneous stops, and record nothing afterwards', async () => {
    const window = new RecordingWindow();
    await window.begin('s', file);
    window.exchange('s', { id: 1, method: 'ping' });
    await Promise.all([
      window.recordings.end('s'),
      window.recordings.end('s'),
      window.recordings.stop(),
    ]);
    window.exchange('s', { id: 2, method: 'ping' });
    window.recordings.dispose();
    assert.deepEqual([window.how, window.recordings.isRecording('s')], [['whole'], false]);
    assert.equal((await readRecording(file)).messages.length, 1);
  });

  it('that exceed the disk space end once, say so, and keep what they have', async () => {
    // Files of this process may hold a mebibyte: what is written then fails as on a full disk.
    const window = openWindow(
      'fullDiskWindow.ts',
      [file],
      ['sh', '-c', 'ulimit -f 2048; "$0" "$@"'],
    );
    await window.closed;
    const said = JSON.parse(window.said.join()) as { ended: EndedRecording };
    const { messages } = said.ended;
    const ended = { label: 'full', file, messages, how: 'failed' };
    assert.deepEqual(said, { told: 500, ended, isHeard: false });
    const kept = await readRecording(file);
    assert.ok(kept.isCut && kept.messages.length > 20 && kept.messages.length <= messages);
  });

  it('that were not ended are read as truncated', async () => {
    const window = new RecordingWindow();
    await window.begin('s', file);
    window.exchange('s', { id: 1, method: 'ping' });
    await window.recordings.end('s');
    const lines = readFileSync(file, 'utf8').split('\n');
    for (const kept of [lines.slice(0, 2), lines.slice(0, 1)]) {
      writeFileSync(file, `${kept.join('\n')}\n`);
      assert.equal((await readRecording(file)).isCut, true);
    }
  });
});

describe('Recorded servers', () => {
  const recordedIn = (stored: unknown) =>
    new RecordedServers({
      memento: { get: () => stored, update: () => Promise.resolve() },
      program: '/program.js',
    });

  it('share no permission and no trust with a configured server of the same entry', () => {
    const recorded = recordedIn([]);
    const id = recorded.add({ file: '/w/run.mcprecord', server: 'tickets' });
    const [config] = recorded.configs;
    assert.ok(config);
    assert.equal(config.id, id);
    const { transport } = config;
    assert.equal(transport.kind, 'stdio');
    const { recording, ...process } = transport;
    assert.ok(recording);
    const alike: readonly ServerConfig[] = [
      { ...config, source: { kind: 'setting' } },
      { ...config, source: { kind: 'setting' }, transport: process },
      { ...config, id: 'tickets', source: { kind: 'setting' } },
    ];
    for (const other of alike) {
      assert.notEqual(serverKey(other), serverKey(config));
      assert.notEqual(serverFingerprint(other), serverFingerprint(config));
    }
    assert.notEqual(configHash({ ...config, transport: process }), configHash(config));
    recorded.add({ file: '/w/other.mcprecord', server: 'tickets' });
    const [later] = recorded.configs;
    assert.ok(later);
    assert.equal(recorded.configs.length, 1);
    assert.notEqual(serverFingerprint(later), serverFingerprint(config));
  });

  it('include only complete ones, whatever is stored', () => {
    const good = { file: '/w/a.mcprecord', server: '__proto__' };
    const long = 'x'.repeat(5_000);
    for (const stored of [undefined, null, 7, {}, 'x', [null, 7, [], { file: '/w/a' }]]) {
      assert.deepEqual(recordedIn(stored).configs, []);
    }
    const mixed = [{ ...good, file: 'a' }, good, good, { ...good, server: long }, { server: 's' }];
    assertEach(recordedIn(mixed).configs, ({ id }) => id, ['__proto__ (recorded)']);
    const many = Array.from({ length: 1_000 }, (_, index) => ({ ...good, server: `s${index}` }));
    assert.equal(recordedIn(many).configs.length, 50);
  });
});

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { SecretValues } from '../../src/host/secrets/secretValues';
import { ServerLogs } from '../../src/ui/servers/serverLogs';
import { assertEach } from '../assertions';

interface Recorder {
  readonly name: string;
  readonly lines: string[];
  readonly isDisposed: () => boolean;
  level: vscode.LogLevel;
  /** Resolves with the next line that is a warning. */
  nextWarning(): Promise<string>;
}

describe('The logs of servers', () => {
  const recorders: Recorder[] = [];
  const secrets = new SecretValues();
  let logs: ServerLogs;

  function makeChannel(name: string) {
    let isDisposed = false;
    let onWarning: ((line: string) => void) | undefined;
    const recorder: Recorder = {
      name,
      lines: [],
      isDisposed: () => isDisposed,
      level: vscode.LogLevel.Info,
      nextWarning: () => new Promise((resolve) => (onWarning = resolve)),
    };
    recorders.push(recorder);
    const write = (level: string) => (line: string) => {
      recorder.lines.push(`${level} ${line}`);
      if (level === 'warn') onWarning?.(line);
    };
    return {
      trace: write('trace'),
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      show: () => void recorder.lines.push('shown'),
      dispose: () => {
        isDisposed = true;
      },
      get logLevel() {
        return recorder.level;
      },
    };
  }

  const named = (name: string): Recorder => {
    const recorder = recorders.find((r) => r.name === name);
    assert.ok(recorder, `no channel ${name}`);
    return recorder;
  };

  beforeEach(() => {
    recorders.length = 0;
    logs = new ServerLogs(secrets, makeChannel);
  });
  afterEach(() => logs.dispose());

  it('have one channel per server, created on first use, and one for the extension', () => {
    assertEach(recorders, (r) => r.name, ['Toolgate']);
    const log = logs.of({ id: 'a', label: 'A' });
    assert.equal(logs.of({ id: 'a', label: 'A' }), log);
    assertEach(recorders, (r) => r.name, ['Toolgate', 'Toolgate: A']);
  });

  it('are disposed with the server, and then accept no more lines', () => {
    const log = logs.of({ id: 'a', label: 'A' });
    logs.of({ id: 'b', label: 'B' });
    logs.keepOnly(new Set(['b']));
    log.info('late');
    log.error('late');
    log.show();
    assertEach(recorders, (r) => r.isDisposed(), [false, true, false]);
    assert.deepEqual(named('Toolgate: A').lines, []);
    assert.notEqual(logs.of({ id: 'a', label: 'A' }), log);
  });

  it('show stderr as stderr and not as an error, with visible escape sequences', () => {
    const log = logs.of({ id: 'a', label: 'A' });
    log.stderr('\u001B[31mready\u202E');
    log.warn('');
    log.error('x'.repeat(9_000));
    const [stderr, empty, long = ''] = named('Toolgate: A').lines;
    assert.deepEqual([stderr, empty], ['info [stderr] \\u{001B}[31mready\\u{202E}', 'warn ']);
    assert.equal(long.length, 'error '.length + 4_000);
  });

  it('contain no secret, even if a line is cut in the middle of it', () => {
    secrets.add('known-secret');
    const log = logs.of({ id: 'a', label: 'A' });
    log.info('with known-secret');
    log.stderr('known-secret');
    log.error(`${'x'.repeat(3_995)}known-secret`);
    const lines = named('Toolgate: A').lines.join('\n');
    assert.match(lines, /^info with \(secret\)\ninfo \[stderr\] \(secret\)\nerror x+/);
    assert.doesNotMatch(lines, /known/);
  });

  it('contain messages only while the channel is at Trace', () => {
    const log = logs.of({ id: 'a', label: 'A' });
    const recorder = named('Toolgate: A');
    log.trace('sent', '{"secret":0}');
    assert.equal(log.isTracing(), false);
    recorder.level = vscode.LogLevel.Trace;
    assert.equal(log.isTracing(), true);
    log.trace('sent', '{"id":0}');
    log.trace('received', '{}');
    assert.deepEqual(recorder.lines, ['trace --> {"id":0}', 'trace <-- {}']);
  });

  it('omit lines of a flood and say how many, but omit no error', async () => {
    const log = logs.of({ id: 'a', label: 'A' });
    const recorder = named('Toolgate: A');
    const told = recorder.nextWarning();
    for (let line = 0; line < 100_000; line++) log.stderr('flood');
    log.error('it broke');
    assert.equal(recorder.lines.length, 501);
    assert.equal(recorder.lines.at(-1), 'error it broke');
    assert.equal(await told, 'Lines left out: 99500.');
    log.info('calm again');
    assert.equal(recorder.lines.at(-1), 'info calm again');
  });
});

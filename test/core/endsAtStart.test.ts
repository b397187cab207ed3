import assert from 'node:assert/strict';
import type { ServerCommand } from '../servers/scripted';
import { Connections, receivedBy } from './connections';
import { outcome } from './wire';

const node = (source: string): ServerCommand => ({
  command: process.execPath,
  args: ['-e', source],
  env: {},
});
const shell = (text: string): ServerCommand => ({
  command: '/bin/sh',
  args: ['-c', text],
  env: {},
});

describe('A program that exits before it answers', () => {
  const connections = new Connections();
  afterEach(() => connections.close());
  const starts = () =>
    connections.log.lines.filter((line) => line.includes('started process')).length;

  describe('and has not read the era probe', () => {
    before(function () {
      // Elsewhere the system does not tell what a process has read.
      if (process.platform !== 'linux') this.skip();
    });

    for (const [how, command] of [
      ['without a word', node('process.exit(3)')],
      ['with its own reason', node('console.error("No API key."); process.exit(3)')],
      ['by an exception', node('throw new Error("No API key.")')],
      ['some time later', node('setTimeout(() => process.exit(3), 300)')],
      ['in order', node('setTimeout(() => {}, 50)')],
      ['by a signal', node('process.kill(process.pid, "SIGKILL")')],
      ['with its stdin closed before', shell('exec <&-; exit 3')],
      ['below a shell', shell(`"${process.execPath}" -e 'process.exit(3)'; exit $?`)],
    ] as const) {
      it(`${how}, is started once (R-018)`, async () => {
        assert.match(String(await outcome(connections.toCommand(command))), /^exitedEarly/);
        assert.equal(starts(), 1);
        assert.match(connections.log.lines.join('\n'), /ended with .*, not having read/);
      });
    }

    it('is probed again at the next start, which may succeed', async () => {
      const options = { rememberedEra: 'stateless' } as const;
      const ended = outcome(connections.toCommand(node('process.exit(3)'), options));
      assert.match(String(await ended), /^exitedEarly/);
      assert.equal(starts(), 1);
    });
  });

  for (const [how, words] of [
    ['without a word', ''],
    ['with words that say nothing of it', 'Server listening on stdio'],
    ['with a crash', 'panic: invalid memory address or nil pointer dereference'],
    ['with words of it', 'unexpected request server/discover, expected initialize'],
  ] as const) {
    it(`at the probe, ${how}, is started once more without it (R-018)`, async () => {
      const script = `(server) => server.on('server/discover', () => {
        process.stderr.write(${JSON.stringify(words)}, () => process.exit(7));
      })`;
      const learned: string[] = [];
      const client = await connections.to(script, {
        onDidLearnEra: (era) => learned.push(era),
      });
      assert.deepEqual(learned, ['stateful']);
      const methods = (await receivedBy(client)).map(({ method }) => method);
      assert.deepEqual(methods.slice(0, 2), ['initialize', 'notifications/initialized']);
      assert.equal(starts(), 2);
    });
  }

  it('at the probe, which it reads late, is started once more (R-018)', async () => {
    const client = await connections.to(async (server) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      server.on('server/discover', () => process.exit(7));
    });
    assert.equal(client.revision, '2025-11-25');
    assert.equal(starts(), 2);
  });

  it('has the output of each run in a section of its log', async () => {
    const { log } = connections;
    log.stderr = (line) => log.lines.push(`stderr ${line}`);
    const script = `(server) => {
      server.on('server/discover', () => {
        process.stderr.write('first\\nwords', () => process.exit(7));
      });
      server.on('initialize', () => {
        process.stderr.write('second', () => process.exit(8));
      });
    }`;
    const connecting = connections.to(script);
    assert.match(String(await outcome(connecting)), /^exitedEarly/);
    const told = log.lines.map((line) => line.replace(/process \d+/, 'process N'));
    assert.deepEqual(
      told.map((line) => /^info started process N|.*/.exec(line)?.[0]),
      [
        'info started process N',
        'stderr first',
        'stderr words',
        'info process N ended with exit code 7',
        'info it ended at the question which era it speaks; started once more without it',
        'info started process N',
        'stderr second',
        'info process N ended with exit code 8',
      ],
    );
  });
});

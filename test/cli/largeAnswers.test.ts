import assert from 'node:assert/strict';
import path from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { CliOutput } from '../../src/cli/cliOutput';
import { SecretValues } from '../../src/host/secrets/secretValues';
import { projectRoot, runCommand, useWorkspaces } from './program';

const bench = path.join(projectRoot, 'test/bench/server.mjs');
const large = 64 * 1024 * 1024;

/** Takes no more before it has told that it did, and tells so a round later. */
class SlowReader {
  readonly parts: string[] = [];
  isWaiting = false;
  early = 0;

  write(text: string): boolean {
    if (this.isWaiting) this.early += 1;
    this.parts.push(text);
    this.isWaiting = true;
    return false;
  }

  once(_: 'drain', listener: () => void): void {
    void nextRound().then(() => {
      this.isWaiting = false;
      listener();
    });
  }
}

describe('toolgate call with an answer of 64 MiB', () => {
  const workspace = useWorkspaces();

  for (const [mode, member] of [
    ['text64', 'text'],
    ['image64', 'data'],
  ] as const) {
    it(`writes it in small parts, each after the previous one was read: ${mode}`, async () => {
      const folder = workspace({
        '.vscode/mcp.json': { servers: { s: { command: process.execPath, args: [bench, mode] } } },
        'rules.json': [{ effect: 'allow' }],
      });
      const reader = new SlowReader();
      const given = ['call', 's', 'echo', '--arguments', '{"text":""}', '--allow', 'rules.json'];
      const { code, stderr } = await runCommand(folder, given, {}, { out: reader });
      assert.deepEqual([code, stderr], [0, '']);
      const longest = Math.max(...reader.parts.map(({ length }) => length));
      assert.ok(longest <= 512 * 1024, `${longest} characters at once`);
      assert.equal(reader.early, 0);
      const { content } = JSON.parse(reader.parts.join(''));
      assert.equal(content[0][member].length, large);
    });
  }

  it('passes no command to a CI runner, whatever the boundaries of the parts', async () => {
    const text = JSON.stringify('a ##vso[task.setvariable x]y ##[group]');
    for (let cut = 0; cut <= text.length; cut += 1) {
      let written = '';
      const stdout = { write: (part: string) => void (written += part) };
      const output = new CliOutput({ stdout, stderr: stdout }, new SecretValues(), {});
      await output.reportJsonPieces([text.slice(0, cut), text.slice(cut)]);
      assert.doesNotMatch(written, /##/);
      assert.equal(JSON.parse(written), JSON.parse(text));
    }
  });
});

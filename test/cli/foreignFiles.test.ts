import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { runProgram, servers, useWorkspaces } from './program';

const workspace = useWorkspaces();
const callFile = (expect: object) => ({
  calls: { echo: { server: 'everything', tool: 'echo', arguments: { message: 'hi' }, expect } },
});

describe('Special files in a checkout', () => {
  it('are not read as settings: a link to a device is refused by name, and nothing runs', async () => {
    const folder = workspace({ '.vscode/mcp.json': { servers: {} }, 'a.mcpcall': callFile({}) });
    symlinkSync('/dev/zero', path.join(folder, '.vscode/settings.json'));
    const { code, stderr } = await runProgram(folder, ['test']);
    assert.match(stderr, /settings\.json cannot be read/);
    assert.equal(code, 2);
  });

  it('have a limit of values, and an error if they exceed it', async () => {
    const many = `[${'1,'.repeat(130_000)}1]`;
    const config = { '.vscode/mcp.json': { servers: {} } };
    const folder = workspace({ ...config, 'a.mcpcall': callFile({}), 'many.json': many });
    for (const option of ['--allow', '--environments']) {
      const { code, stderr } = await runProgram(folder, ['test', option, 'many.json']);
      assert.deepEqual(
        [code, /many\.json contains too many values/.test(stderr)],
        [2, true],
        stderr,
      );
    }
  });

  it('are not read as expected answers or call files: pipes without a writer do not block', async () => {
    const folder = workspace({
      '.vscode/mcp.json': { servers: { everything: servers.everything } },
      'a.mcpcall': callFile({ answer: 'pipes/0' }),
    });
    mkdirSync(path.join(folder, 'pipes'));
    execFileSync('mkfifo', [path.join(folder, 'pipes/0'), path.join(folder, 'b.mcpcall')]);
    const { code, stdout } = await runProgram(folder, 'test --reporter json --max-risk readOnly');
    assert.match(stdout, /pipes\/0/);
    assert.equal(code, 1);
  });
});

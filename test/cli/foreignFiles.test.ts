import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
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

  it('are not written: no report, recording, result or configuration follows a link', async () => {
    const folder = workspace({
      '.mcp.json': { mcpServers: { everything: servers.everything } },
      'a.mcpcall': callFile({}),
    });
    const outside = workspace({});
    const file = path.join(outside, 'mine');
    writeFileSync(file, 'mine');
    symlinkSync(file, path.join(folder, 'report'));
    symlinkSync(outside, path.join(folder, 'folder'));
    symlinkSync(path.join(outside, 'dangling'), path.join(folder, 'dangling'));
    const alias = path.join(workspace({}), 'alias');
    symlinkSync(folder, alias);
    const image = ['call', 'everything', 'get-tiny-image', '--max-risk', 'readOnly'];
    for (const line of [
      ['test', '--output', 'junit=report'],
      ['test', '--output', 'json=dangling'],
      ['test', '--output', `junit=${alias}/report`],
      ['test', '--output', 'tap=folder/below/report.tap'],
      ['test', '--record', 'folder/all.mcprecord'],
      ['test', '--journal', 'folder/journal'],
      [...image, '--save', 'folder/images'],
      ['config', 'add', 'other', '--command', 'node other.mjs', '--to', 'folder/.mcp.json'],
    ]) {
      const { code, stderr } = await runProgram(folder, line);
      assert.match(stderr, /its path contains a link/, line.join(' '));
      assert.notEqual(code, 0, line.join(' '));
    }
    assert.deepEqual(readdirSync(outside), ['mine']);
    assert.equal(readFileSync(file, 'utf8'), 'mine');
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { scripted } from '../servers/scripted';
import { runCommand, useWorkspaces } from './program';

const workspace = useWorkspaces();

describe('An answer file of several calls', () => {
  const server = scripted((own) => {
    own.tools = [{ name: 'say', inputSchema: { type: 'object' } }];
    own.on('tools/call', (message) =>
      own.text(message, JSON.stringify(message.params?.['arguments'])),
    );
  });
  const callOf = (text: string, answer = 'x.json') => ({
    server: 's',
    tool: 'say',
    arguments: { text },
    expect: { answer },
  });
  const folderOf = (files: Readonly<Record<string, unknown>>) =>
    workspace({ '.mcp.json': { mcpServers: { s: server } }, ...files });
  const run = (folder: string, ...parameters: readonly string[]) =>
    runCommand(folder, ['test', '--max-risk', 'destructive', ...parameters]);
  const answerIn = (folder: string, name = 'x.json') =>
    readFileSync(path.join(folder, name), 'utf8');
  const refusal = /Not updated: another call of this run uses this file\./;

  it('keeps the answer of the first call, and the others fail', async () => {
    const folder = folderOf({ 'a.mcpcall': { calls: { a: callOf('one'), b: callOf('two') } } });
    for (const _ of ['written', 'passed']) {
      const { code, stdout } = await run(folder, '--update');
      assert.equal(code, 1);
      assert.match(stdout, /✓ a .*\n.*✗ b/);
      assert.match(stdout, refusal);
      assert.match(answerIn(folder), /one/);
    }
  });

  it('is shared by calls of several files, if their answers are the same', async () => {
    const folder = folderOf({
      'a.mcpcall': callOf('one'),
      'b.mcpcall': callOf('one'),
      'c.mcpcall': callOf('two'),
    });
    const { code, stdout } = await run(folder, '--update');
    assert.deepEqual([code, stdout.match(/✗/g)?.length, refusal.test(stdout)], [1, 1, true]);
    assert.equal((await run(folder, 'a.mcpcall', 'b.mcpcall')).code, 0);
  });

  it('gets the folders of its path', async () => {
    const folder = folderOf({ 'a.mcpcall': callOf('one', 'sub/own/x.json') });
    assert.equal((await run(folder, '--update')).code, 0);
    assert.match(answerIn(folder, 'sub/own/x.json'), /one/);
    assert.equal((await run(folder)).code, 0);
  });
});

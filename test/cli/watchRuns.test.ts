import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { watchRuns } from '../../src/cli/watchRuns';
import { runCommand, startProgram, useWorkspaces } from './program';

const serverAnswering = (answer: string): string => `
  import { createInterface } from 'node:readline';
  import { writeFileSync } from 'node:fs';
  const results = {
    initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
    'tools/list': { tools: [{ name: 'say', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: '${answer}' }] },
  };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    // What a server writes while it is called is no reason to call it again.
    if (method === 'tools/call') writeFileSync('log.json', String(Math.random()));
    const result = results[method];
    const outcome = result === undefined ? { error: { code: -32601, message: '' } } : { result };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
  });
`;
const callNamed = (name: string, text: string) =>
  JSON.stringify({
    calls: {
      [name]: { server: 's', tool: 'say', expect: { values: { '/content/0/text': text } } },
    },
  });

describe('toolgate test --watch', () => {
  const workspace = useWorkspaces();
  const folderOf = () =>
    workspace({
      '.mcp.json': { mcpServers: { s: { command: process.execPath, args: ['s.mjs'] } } },
      's.mjs': serverAnswering('one'),
      'a.mcpcall': callNamed('first', 'one'),
    });

  it('runs again when a call file, a server or a related file changes, and only then, until it is cancelled', async () => {
    const folder = folderOf();
    const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
    const parameters = [
      'test',
      '--watch',
      '--max-risk',
      'destructive',
      '--output',
      'json=report.json',
    ];
    const program = startProgram(folder, parameters);
    const runs = async (count: number, ...texts: readonly string[]) => {
      for (const text of texts) await program.says(text);
      await program.saysOften('Waiting for changes', count);
    };
    await runs(1, '✓ first');
    write('a.mcpcall', callNamed('second', 'two'));
    await runs(2, 'Changed: a.mcpcall', '✗ second');
    write('s.mjs', serverAnswering('two'));
    await runs(3, 'Changed: s.mjs', '✓ second');
    write('a.mcpcall', '{ "calls": ');
    await runs(4, 'Enter a value.');
    write('a.mcpcall', callNamed('third', 'two'));
    await runs(5, '✓ third');
    write('b.mcpcall', callNamed('fourth', 'two'));
    await runs(6, 'Changed: b.mcpcall', '✓ fourth');
    program.child.kill('SIGINT');
    const { code, stdout, stderr } = await program.ended;
    assert.equal(code, 130, stderr);
    assert.equal(stdout.match(/ms\)$/gm)?.length, 6);
    assert.doesNotMatch(stderr, /MaxListeners/);
  });

  it('does not run again because --update wrote the answer into the call file', async () => {
    const folder = workspace({
      '.mcp.json': { mcpServers: { s: { command: process.execPath, args: ['s.mjs'] } } },
      's.mjs': serverAnswering("' + Math.random() + '"),
      'a.mcpcall': callNamed('first', 'one'),
    });
    const program = startProgram(folder, [
      'test',
      '--watch',
      '--update',
      '--max-risk',
      'destructive',
    ]);
    await program.saysOften('Waiting for changes', 1);
    writeFileSync(path.join(folder, 'b.mcpcall'), callNamed('second', 'two'));
    await program.saysOften('Waiting for changes', 2);
    program.child.kill('SIGINT');
    const { code, stderr } = await program.ended;
    assert.equal(code, 130, stderr);
    assert.deepEqual(stderr.match(/Changed: .*/g), ['Changed: b.mcpcall']);
  });

  it('reports invalid arguments at once, and cannot be combined with output to a file', async () => {
    const folder = folderOf();
    const said = async (...parameters: readonly string[]) => {
      const { code, stdout, stderr } = await runCommand(folder, ['test', '--watch', ...parameters]);
      assert.deepEqual([code, stdout], [2, ''], stderr);
      return stderr;
    };
    assert.match(await said('nowhere'), /There is no file nowhere/);
    assert.match(await said('--journal', 'journal'), /--watch cannot be combined with --journal/);
    assert.match(await said('--record', 'a.mcprecord'), /or --record/);
  });

  it('cancels the next run if the cancellation comes before its session exists', async () => {
    const file = path.join(workspace({ a: '1' }), 'a');
    const watched = { own: [file], beside: new Map(), written: new Set<string>() };
    for (const moment of ['look', 'run']) {
      let cancel = (): void => undefined;
      const cancelled: number[] = [];
      let [looks, runs] = [0, 0];
      const output = { notify: () => writeFileSync(file, String(Math.random())) };
      const code = await watchRuns({
        folder: path.dirname(file),
        output,
        look: () => {
          looks += 1;
          if (looks === 2 && moment === 'look') cancel();
          return Promise.resolve(watched);
        },
        runOnce: (onCancel) => {
          runs += 1;
          const count = runs;
          if (count === 2) cancel();
          onCancel(() => cancelled.push(count));
          return Promise.resolve(0);
        },
        onCancel: (given) => (cancel = given),
      });
      assert.equal(code, 130);
      assert.equal(runs, moment === 'look' ? 1 : 2);
      assert.equal(cancelled.at(-1), runs);
    }
  });
});

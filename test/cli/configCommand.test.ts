import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand, useWorkspaces } from './program';

const workspace = useWorkspaces();
const textOf = (folder: string, name = '.vscode/mcp.json') =>
  readFileSync(path.join(folder, name), 'utf8');

describe('toolgate config', () => {
  it('lists configured servers without their secrets, and starts none', async () => {
    const folder = workspace({
      '.vscode/mcp.json': {
        servers: {
          tickets: { command: 'no-such-program', args: ['--api-key', 'KEY-12345678'] },
          docs: { url: 'https://user:PASS-1234@example.com/mcp' },
        },
      },
    });
    const { code, stdout } = await runCommand(folder, ['config']);
    assert.equal(code, 0);
    assert.match(stdout, /^- tickets {2}\.vscode\/mcp\.json {2}no-such-program --api-key /m);
    assert.match(stdout, /^- demo {2}demo {2}/m);
    const { servers } = JSON.parse((await runCommand(folder, ['config', 'list', '--json'])).stdout);
    assert.deepEqual(
      servers.map(({ server }: { server: string }) => server),
      ['tickets', 'docs', 'demo'],
    );
    assert.doesNotMatch(stdout, /PASS-1234/);
  });

  it('adds and removes a server, and leaves the rest of the file unchanged', async () => {
    const before = '{\n\t// ours\n\t"servers": {\n\t\t"old": { "command": "old" }\n\t}\n}\n';
    const folder = workspace({ '.vscode/mcp.json': before });
    const add = ['config', 'add', 'tickets', '--command', 'API_KEY=KEY-12345678 node s.mjs'];
    const { code, stdout, stderr } = await runCommand(folder, add);
    assert.deepEqual([code, stdout], [0, 'Added tickets to .vscode/mcp.json\n'], stderr);
    assert.match(stderr, /set TOOLGATE_INPUT_tickets_api_key\./i);
    assert.match(textOf(folder), /\/\/ ours/);
    assert.doesNotMatch(textOf(folder), /KEY-12345678/);
    const again = await runCommand(folder, add);
    assert.deepEqual([again.code, /already/.test(again.stderr)], [1, true]);
    const wrong = await runCommand(folder, ['config', 'remove', 'ticket']);
    assert.deepEqual([wrong.code, /Did you mean "tickets"/.test(wrong.stderr)], [2, true]);
    assert.equal((await runCommand(folder, ['config', 'remove', 'tickets'])).code, 0);
    assert.doesNotMatch(textOf(folder), /"tickets":/);
    assert.match(textOf(folder), /\/\/ ours[^]*"old": \{ "command": "old" \}/);
  });

  it('writes a new file in the format of its name', async () => {
    const folder = workspace({});
    const add = ['config', 'add', 'docs', '--url', 'https://example.com/mcp', '--to', '.mcp.json'];
    assert.equal((await runCommand(folder, add)).code, 0);
    assert.deepEqual(JSON.parse(textOf(folder, '.mcp.json')), {
      mcpServers: { docs: { url: 'https://example.com/mcp' } },
    });
    assert.match((await runCommand(folder, ['config'])).stdout, /^- docs {2}\.mcp\.json {2}https/m);
  });

  it('writes no password of a URL', async () => {
    const folder = workspace({});
    const url = 'https://user:pw@example.com/mcp';
    const { stderr } = await runCommand(folder, ['config', 'add', 'docs', '--url', url]);
    assert.match(stderr, /set TOOLGATE_INPUT_docs_password\./);
    const { servers } = JSON.parse(textOf(folder));
    assert.deepEqual(servers, {
      docs: { url: 'https://user:${input:docs-password}@example.com/mcp' },
    });
  });

  it('imports the servers of another client, with inputs in place of secrets', async () => {
    const folder = workspace({
      '.cursor/mcp.json': {
        mcpServers: {
          tickets: { command: 'node', args: ['s.mjs'], env: { API_KEY: 'KEY-12345678' } },
        },
      },
    });
    const listed = await runCommand(folder, ['config', 'import']);
    assert.match(listed.stdout, /^- Cursor [^]* {4}tickets {2}node s\.mjs$/m);
    const { code, stdout } = await runCommand(folder, ['config', 'import', 'cursor']);
    assert.deepEqual([code, stdout], [0, 'Added tickets to .vscode/mcp.json\n']);
    assert.match(textOf(folder), /"API_KEY": "\$\{input:/);
    assert.doesNotMatch(textOf(folder), /KEY-12345678/);
    const none = await runCommand(folder, ['config', 'import', 'curser']);
    assert.deepEqual([none.code, /Did you mean "cursor"/.test(none.stderr)], [2, true]);
  });

  it('refuses what it cannot do, and then writes nothing', async () => {
    const folder = workspace({ 'other.json': '{}', '.vscode/mcp.json': '[1]' });
    symlinkSync(path.join(folder, 'other.json'), path.join(folder, 'link.json'));
    const given = ['--command', 'node s.mjs'];
    for (const parameters of [
      ['config', 'ad'],
      ['config', 'add', 'a'],
      ['config', 'remove'],
      ['config', 'remove', 'a', ...given],
      ['config', 'add', 'a', ...given],
      ['config', 'add', 'a', ...given, '--to', 'link.json'],
      ['config', 'add', '', ...given, '--to', 'other.json'],
    ]) {
      const { code, stderr } = await runCommand(folder, parameters);
      assert.deepEqual([code, stderr.startsWith('toolgate: ')], [2, true], parameters.join(' '));
    }
    assert.equal(textOf(folder, 'other.json') + textOf(folder), '{}[1]');
    writeFileSync(path.join(folder, 'broken.json'), '{ "servers": ');
    await runCommand(folder, ['config', 'add', 'a', ...given, '--to', 'broken.json']);
    assert.equal(textOf(folder, 'broken.json'), '{ "servers": ');
    assert.ok(!existsSync(path.join(folder, '.mcp.json')));
  });

  it('changes a file in UTF-8 only, and keeps its byte order mark', async () => {
    const text = '{ "servers": { "a": { "command": "caf\u00e9" } } }';
    const folder = workspace({});
    const change = (...parameters: readonly string[]) =>
      runCommand(folder, ['config', ...parameters, '--to', 'own.json']);
    const bytesOf = () => readFileSync(path.join(folder, 'own.json'));
    const others = [Buffer.from(text, 'latin1'), Buffer.from(`\ufeff${text}`, 'utf16le')];
    for (const bytes of others) {
      writeFileSync(path.join(folder, 'own.json'), bytes);
      for (const parameters of [
        ['add', 'b', '--command', 'node b.mjs'],
        ['remove', 'a'],
      ]) {
        const { code, stdout, stderr } = await change(...parameters);
        assert.deepEqual([code, stdout], [2, ''], stderr);
        assert.match(stderr, /^toolgate: own\.json is not written: .*not in UTF-8\./m);
        assert.ok(bytesOf().equals(bytes));
      }
    }
    writeFileSync(path.join(folder, 'own.json'), `\ufeff${text}`);
    assert.equal((await change('add', 'b', '--command', 'node b.mjs')).code, 0);
    assert.match(bytesOf().toString(), /^\ufeff\{[^]*caf\u00e9[^]*"b"/);
    assert.equal((await change('remove', 'a')).code, 0);
    assert.match(bytesOf().toString(), /^\ufeff\{[^]*"b"/);
  });

  it('removes a server in either format, also if the file has both', async () => {
    const text = '{"servers":{"a":{"command":"x"}},"mcpServers":{"b":{"command":"y"}}}';
    for (const [name, left] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const folder = workspace({ '.vscode/mcp.json': text });
      assert.equal((await runCommand(folder, ['config', 'remove', name])).code, 0);
      assert.deepEqual(
        [name, left].map((each) => textOf(folder).includes(`"${each}"`)),
        [false, true],
      );
    }
  });

  it('removes a server with its line and no comment of another one', async () => {
    const [head, a, b, tail] = [
      '{\n  "servers": {\n',
      '    "a": { "command": "x" },\n',
      '    // of b\n    "b": { "command": "y" } // still of b\n',
      '  }\n}\n',
    ];
    const folder = workspace({ '.vscode/mcp.json': head + a + b + tail });
    assert.equal((await runCommand(folder, ['config', 'remove', 'a'])).code, 0);
    assert.equal(textOf(folder), head + b + tail);
  });

  it('loses no server when several are added at once', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const folder = workspace({});
    const ends = await Promise.all(
      names.map((name) => runCommand(folder, ['config', 'add', name, '--command', 'node s.mjs'])),
    );
    assert.deepEqual(
      ends.map(({ code, stderr }) => [code, stderr]),
      names.map(() => [0, '']),
    );
    assert.deepEqual(Object.keys(JSON.parse(textOf(folder)).servers).toSorted(), names);
  });

  it('removes nothing from a file with errors', async () => {
    const text = '{ "servers": { "a": { "command": "x" }';
    const folder = workspace({ '.vscode/mcp.json': text });
    const { code, stderr } = await runCommand(folder, ['config', 'remove', 'a']);
    assert.deepEqual([code, /JSON object/.test(stderr), textOf(folder)], [2, true, text]);
  });
});

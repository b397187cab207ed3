import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { scripted } from '../servers/scripted';
import { runCommand, useWorkspaces } from './program';

const workspace = useWorkspaces();

/** Names each of the files that it is asked to name, by another member. */
const builds = scripted((server) => {
  server.tools = [{ name: 'run', inputSchema: { type: 'object' } }];
  server.on('tools/call', (message) => {
    const names = JSON.parse(JSON.stringify(message.params?.['arguments'] ?? {}));
    const [logPath, logFile, logfile] = names.files ?? [];
    const content = [{ type: 'text', text: 'built' }];
    server.reply(message, { content, structuredContent: { logPath }, _meta: { logFile }, logfile });
  });
});

describe('toolgate call --tail-log', () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index} \u001b[31m`);
  const run = async (folder: string, files: readonly string[]) => {
    const words = ['call', 'builds', 'run', `files:=${JSON.stringify(files)}`];
    const options = ['--max-risk', 'destructive', '--tail-log', 'logs'];
    const { code, stderr, stdout } = await runCommand(folder, [...words, ...options]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /"built"/);
    return stderr;
  };

  it('shows the last lines of the files in the folder that a result names', async () => {
    const folder = workspace({
      '.mcp.json': { mcpServers: { builds } },
      'logs/a.log': lines.join('\n'),
      'logs/b.log': 'only\r\ntwo\n',
    });
    const told = await run(folder, [path.join(folder, 'logs/a.log'), 'b.log', 'gone.log']);
    assert.match(told, /a\.log:\ntoolgate: line 10 [^]*line 29/);
    assert.deepEqual([told.includes('line 9 '), told.includes('\u001b')], [false, false]);
    assert.match(told, /b\.log:\ntoolgate: only\ntoolgate: two\n/);
    assert.match(told, /gone\.log cannot be read: ENOENT/);
    assert.match(await run(folder, []), /The result names no log file\./);
  });

  it('reads no file outside the folder, also behind a link', async () => {
    const folder = workspace({
      '.mcp.json': { mcpServers: { builds } },
      'logs/a.log': 'a',
      'logs-2/key': 'private',
    });
    symlinkSync(path.join(folder, 'logs-2/key'), path.join(folder, 'logs/link'));
    const told = await run(folder, [path.join(folder, 'logs-2/key'), 'link', '../logs-2/key']);
    assert.equal(told.match(/is not in logs\./g)?.length, 3, told);
    assert.doesNotMatch(told, /private/);
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { clientFiles, draftsFromClientFile, type Machine } from '../../src/host/adding/clientFiles';

const pathsOf = (machine: Machine): string[] =>
  clientFiles(machine).map((file) => `${file.client}: ${file.path}`);

describe('The files of other clients', () => {
  it('are searched where each system has them', () => {
    const linux = pathsOf({ platform: 'linux', userHome: '/home/ann', env: {}, folders: ['/w'] });
    assert.deepEqual(linux, [
      'Claude Desktop: /home/ann/.config/Claude/claude_desktop_config.json',
      'Claude Code: /home/ann/.claude.json',
      'Claude Code: /w/.mcp.json',
      'Cursor: /home/ann/.cursor/mcp.json',
      'Cursor: /w/.cursor/mcp.json',
      'Windsurf: /home/ann/.codeium/windsurf/mcp_config.json',
      'VS Code: /home/ann/.config/Code/User/mcp.json',
      'VS Code: /home/ann/.config/Code - Insiders/User/mcp.json',
      'VS Code: /home/ann/.config/VSCodium/User/mcp.json',
      ...['Code', 'Code - Insiders', 'VSCodium', 'Cursor'].map(
        (editor) =>
          `Cline: /home/ann/.config/${editor}/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
      ),
      'Copilot: /home/ann/.copilot/mcp-config.json',
      'Copilot: /w/.github/mcp.json',
      'Continue: /home/ann/.continue/config.json',
      'Zed: /home/ann/.config/zed/settings.json',
      'Gemini CLI: /home/ann/.gemini/settings.json',
      'Gemini CLI: /w/.gemini/settings.json',
    ]);
    const mac = pathsOf({ platform: 'darwin', userHome: '/Users/ann', env: {}, folders: [] });
    assert.equal(
      mac[0],
      'Claude Desktop: /Users/ann/Library/Application Support/Claude/claude_desktop_config.json',
    );
    assert.ok(mac.includes('Zed: /Users/ann/.config/zed/settings.json'));
    const windows = pathsOf({
      platform: 'win32',
      userHome: 'C:\\Users\\ann',
      env: { APPDATA: 'D:\\data' },
      folders: [],
    });
    assert.equal(windows[0], 'Claude Desktop: D:\\data\\Claude\\claude_desktop_config.json');
    assert.ok(windows.includes('Cursor: C:\\Users\\ann\\.cursor\\mcp.json'));
  });

  it('of Claude Code contain the servers of the user and of the open folder', () => {
    const text = readFileSync(path.join(__dirname, '../fixtures/clients/claude.json'), 'utf8');
    const names = (folders: readonly string[]) =>
      draftsFromClientFile(text, folders).map(({ name }) => name);
    assert.deepEqual(names([]), ['sentry']);
    assert.deepEqual(names(['/work/garden']), ['sentry', 'plants']);
    assert.deepEqual(names(['__proto__', '/elsewhere']), ['sentry']);
  });

  it('of Claude Code are found by the path of the folder in any spelling of Windows', () => {
    const of = (command: string) => ({ mcpServers: { [command]: { command } } });
    const projects = { 'C:/Users/ann/P': of('a'), 'C:\\Users\\ann\\q': of('b') };
    const names = (platform: NodeJS.Platform) =>
      draftsFromClientFile(
        JSON.stringify({ projects }),
        ['c:\\Users\\ann\\p', 'c:\\Users\\ann\\q'],
        platform,
      ).map(({ name }) => name);
    assert.deepEqual(names('win32'), ['a', 'b']);
    assert.deepEqual(names('linux'), []);
  });

  it('keep the numbers of servers of a folder as they are written', () => {
    const entry = '{"command":"x","env":{"CHANNEL_ID":1234567890123456789}}';
    const text = `{"projects":{"/w":{"mcpServers":{"a":${entry}}}}}`;
    const [draft] = draftsFromClientFile(text, ['/w']);
    assert.deepEqual(draft?.entry.env, { CHANNEL_ID: '1234567890123456789' });
  });

  it('with other content return nothing', () => {
    for (const text of ['', '{', '[]', '{"projects": 1}', '{"theme": "dark"}', '\u0000\u0001']) {
      assert.deepEqual(draftsFromClientFile(text, ['/w']), [], text);
    }
  });
});

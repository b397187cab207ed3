import assert from 'node:assert/strict';
import { scripted } from '../servers/scripted';
import { runCommand, useWorkspaces } from './program';

const workspace = useWorkspaces();

describe('The variable of an input', () => {
  const server = scripted((own) => {
    own.tools = [{ name: 'say', inputSchema: { type: 'object' } }];
    own.on('tools/call', (message) => own.text(message, 'said'));
  });
  const id = 't-api.key';
  const variable = '${input:t-api.key}';
  const folderOf = (env: object) =>
    workspace({
      '.vscode/mcp.json': {
        servers: { s: { ...server, env } },
        inputs: [{ id, type: 'promptString' }],
      },
      'a.mcpcall': { server: 's', tool: 'say', arguments: { text: variable } },
    });

  it('is named as a shell can set it, in each message that asks for it', async () => {
    const folder = folderOf({});
    const missing = [
      await runCommand(folder, ['call', 's', 'say', `text=${variable}`]),
      await runCommand(folder, ['test', '--pass-input', id]),
      await runCommand(folderOf({ KEY: variable }), ['ping', 's']),
    ];
    for (const { stdout, stderr } of missing) {
      assert.match(stdout + stderr, /[ (]TOOLGATE_INPUT_t_api_key[.)]/);
    }
    const add = ['config', 'add', 't', '--command', 'API_KEY=KEY-12345678 node s.mjs'];
    assert.match((await runCommand(folder, add)).stderr, /set TOOLGATE_INPUT_t_api_key\./i);
  });

  it('has a value under this name', async () => {
    const given = { TOOLGATE_INPUT_t_api_key: 'a-key-of-mine' };
    const { code, stderr } = await runCommand(folderOf({ KEY: variable }), ['ping', 's'], given);
    assert.equal(code, 0, stderr);
  });
});

import assert from 'node:assert/strict';
import path from 'node:path';
import {
  mergeConfigurations,
  parseMcpJson,
  isToolgateBridge,
} from '../../src/host/configuration/configuration';
import type { ConfigSource } from '../../src/host/configuration/serverConfig';
import { app, file, inApp, told } from './configurationCases';
import { assertEach, assertNone } from '../assertions';

const storage = '/home/me/.config/Code/User/globalStorage/toolgate.toolgate/agents/gateway.js';
const shared: ConfigSource = {
  kind: 'workspaceFile',
  path: path.join(app.path, '.mcp.json'),
  folder: app.path,
};

describe('Toolgate’s own bridge in a configuration', () => {
  it('is recognized by the file that it starts, in any form', () => {
    const starts: readonly (readonly [string, ...string[]])[] = [
      ['node', storage],
      ['/usr/bin/node', '--no-warnings', storage, '--server', 'files'],
      ['node', '/home/me/.vscode/extensions/toolgate.toolgate-0.1.0/dist/gateway.js'],
      ['node', '/home/me/.vscode/extensions/Toolgate.Toolgate-12.0.1-linux-x64/dist/gateway.js'],
      ['node', 'C:\\Users\\me\\AppData\\Code\\toolgate.toolgate\\agents\\gateway.js'],
      ['node.exe', 'file:///C:/Users/me/globalStorage/toolgate.toolgate/agents/gateway.js'],
      ['sh', '-c', `exec node "${storage}" --server files`],
      ['cmd', '/c', `node ${storage}`],
      ['env', 'A=1', 'node', storage],
      [storage],
    ];
    assertNone(starts, ([command, ...args]) => !isToolgateBridge({ command, args }));
  });

  it('is not confused with similar entries', () => {
    const starts: readonly (readonly [string, ...string[]])[] = [
      ['node', '/work/gateway.js'],
      ['node', '/work/other.toolgate/agents/gateway.js'],
      ['node', '/work/my-toolgate.toolgate/agents/gateway.js'],
      ['node', '/work/toolgate.toolgate/agents/gateway.json'],
      ['node', '/x/toolgate.toolgate-0.1.0/dist/demoServer.js'],
      ['node', '/x/toolgate.toolgate-0.1.0/dist/gateway.js.map'],
      ['node', ''],
    ];
    assertNone(starts, ([command, ...args]) => isToolgateBridge({ command, args }));
    assert.equal(isToolgateBridge({}), false);
  });

  it('is ignored as a server with a message at its entry, and frees its name', () => {
    const bridge = { type: 'stdio', command: 'node', args: [storage] };
    const servers = { a: { command: 'a' }, toolgate: bridge };
    const read = parseMcpJson(JSON.stringify({ mcpServers: servers }), shared, inApp);
    assertEach(read.servers, ({ id }) => id, ['a']);
    assert.deepEqual(told(read.problems), ['ownBridge mcpServers/toolgate']);
    assert.ok(read.problems[0]?.offset !== undefined);
    const later = parseMcpJson('{"servers":{"toolgate":{"command":"b"}}}', file, inApp);
    const merged = mergeConfigurations([read, later]);
    assertEach(merged.servers, ({ id }) => id, ['a', 'toolgate']);
    assert.deepEqual(told(merged.problems), ['ownBridge mcpServers/toolgate']);
  });
});

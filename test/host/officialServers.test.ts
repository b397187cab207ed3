import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mergeConfigurations, parseMcpJson } from '../../src/host/configuration/configuration';
import type { Gate } from '../../src/host/calls/gate';
import { SteeredConsent } from './steeredConsent';
import { SteeredServers } from './steeredServers';
import { gateWith } from './steeredGate';

const root = path.resolve(__dirname, '../..');
const mcpJson = `{
  // As a person writes it.
  "servers": {
    "everything": { "command": "\${env:NODE}", "args": ["\${workspaceFolder}/node_modules/.bin/mcp-server-everything"] },
    "files": { "command": "\${env:NODE}", "args": ["\${workspaceFolder}/node_modules/.bin/mcp-server-filesystem", "\${env:FILES}"] },
  },
}`;

describe('The official servers, from mcp.json to the answer', () => {
  const files = mkdtempSync(path.join(tmpdir(), 'files-'));
  let servers: SteeredServers;
  let gate: Gate;
  before(async () => {
    servers = new SteeredServers();
    const folder = { name: 'main', path: root };
    const parsed = parseMcpJson(
      mcpJson,
      { kind: 'workspaceFile', path: path.join(root, '.vscode/mcp.json'), folder: root },
      {
        workspaceFolders: [folder],
        folder,
        userHome: tmpdir(),
        env: { NODE: process.execPath, FILES: files },
        readFile: () => assert.fail('no file'),
      },
    );
    const merged = mergeConfigurations([parsed]);
    assert.deepEqual(merged.problems, []);
    servers.registry.setConfiguration(merged.servers, merged.problems);
    await Promise.all(merged.servers.map(({ id }) => servers.registry.start(id)));
    const steered = new SteeredConsent();
    gate = gateWith(steered, {
      registry: servers.registry,
      confirm: () => Promise.resolve({ kind: 'run' }),
    });
  });
  after(async () => {
    await servers.end();
    rmSync(files, { recursive: true });
  });

  const call = (server: string, tool: string, given: Record<string, unknown>) =>
    gate.call({ server, tool, arguments: given, origin: 'api' });

  it('answer calls from mcp.json, with structured content that matches its schema', async () => {
    writeFileSync(path.join(files, 'note.txt'), 'remember the milk');
    const outcomes = [
      await call('everything', 'echo', { message: 'hello' }),
      await call('everything', 'get-structured-content', { location: 'Chicago' }),
      await call('files', 'read_text_file', { path: path.join(files, 'note.txt') }),
      await call('files', 'read_text_file', { path: '/etc/passwd' }),
    ];
    const seen = outcomes.map((outcome) => {
      if (outcome.kind !== 'result' && outcome.kind !== 'toolError') return outcome;
      const [first] = outcome.result.content;
      const text = first?.type === 'text' ? first.text.slice(0, 30) : '';
      return [outcome.kind, text, outcome.violations, outcome.missingStructuredContent];
    });
    assert.deepEqual(seen, [
      ['result', 'Echo: hello', [], false],
      ['result', '{"temperature":36,"conditions"', [], false],
      ['result', 'remember the milk', [], false],
      ['toolError', 'Access denied - path outside a', [], false],
    ]);
  });
}).timeout(30_000);

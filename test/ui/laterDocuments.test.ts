import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Script } from '../servers/scripted';
import { settings } from '../../src/ids';
import { set, useWindow } from './realWindow';

const long = 'long '.repeat(10_000);

const script: Script = (server) => {
  const inputSchema = { type: 'object' };
  server.tools = ['say', 'tell'].map((name) => ({ name, inputSchema }));
  server.on('tools/call', (message) => {
    server.text(message, message.params?.['name'] === 'say' ? 'word' : 'long '.repeat(10_000));
  });
};

const textOf = async (uri: vscode.Uri): Promise<string> =>
  Buffer.from(await vscode.workspace.fs.readFile(uri)).toString('utf8');

/** In the real extension, as another one calls a tool. */
describe('Documents of answers that were never opened', () => {
  const { extension } = useWindow({ hasAnswers: false });
  const call = (tool: string) => extension.api.callTool({ server: 'talker', tool, arguments: {} });

  before(async () => {
    await set(settings.rules, [{ effect: 'allow', server: 'talker' }]);
    await extension.configure({ talker: extension.scriptedEntry(script) });
    await extension.api.start('talker');
  });
  after(() => set(settings.rules, undefined));

  for (const [tool, expected] of [
    ['say', 'word'],
    ['tell', long],
  ] as const) {
    it(`are created on first use: an answer of ${expected.length} characters`, async () => {
      const outcome = await call(tool);
      assert.equal(outcome.kind, 'result');
      assert.ok(Object.keys(outcome).includes('document'));
      const { document } = outcome;
      assert.ok(document !== undefined);
      assert.equal(document.path.split('/').at(-1), `${tool}.mcptxt`);
      assert.equal(await textOf(document), expected);
      // The same each time, also in a copy.
      assert.equal({ ...outcome }.document, document);
    });
  }

  it('are created even after hundreds of other calls, while the outcome is referenced', async () => {
    const first = await call('say');
    for (let calls = 0; calls < 520; calls += 1) await call('say');
    assert.equal(first.kind, 'result');
    assert.ok(first.document !== undefined);
    assert.equal(await textOf(first.document), 'word');
  });
});

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { RememberedResources } from '../../src/host/resources/serverLists';
import { resourceLenses } from '../../src/ui/resources/liveDocuments';
import { eventually } from '../waiting';
import { resultsOf } from './resultCommands';

const scheme = 'toolgate-reopened';

describe('The document of a resource that was open when the window closed', () => {
  const stored = new Map<string, unknown>();
  const memory = {
    get: (key: string) => stored.get(key),
    update: async (key: string, value: unknown) => void stored.set(key, value),
  };
  const remembered = () => new RememberedResources(memory, (text) => text);
  let reads = 0;
  const newSession = () =>
    resultsOf(scheme, {
      remembered: remembered(),
      registry: {
        find: () => undefined,
        client: () => ({
          readResource: async (uri) => {
            reads += 1;
            return { contents: [{ uri, mimeType: 'application/json', text: '{"depth":1}' }] };
          },
        }),
      },
    }).results;
  let results: ReturnType<typeof newSession>;
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    results.dispose();
  });
  const textOf = async (uri: vscode.Uri) =>
    Buffer.from(await vscode.workspace.fs.readFile(uri)).toString();
  const activeUri = () => vscode.window.activeTextEditor?.document.uri;

  it('says what to do without reading, until it is read again', async () => {
    results = newSession();
    await results.resources.open('garden', 'a://pond');
    const uri = activeUri();
    assert.equal(uri?.path, '/garden/resources/a-pond/pond.mcpjson');
    await eventually(
      async () => remembered().all.length,
      (count) => count === 1,
    );
    results.dispose();
    results = newSession();
    assert.match(await textOf(uri), /Not read again since the window was opened/);
    assert.ok(JSON.parse(await textOf(uri)).includes('Resource: a://pond'));
    assert.equal(reads, 1);
    for (const [kind, title] of [
      ['gone', 'Start Server “garden”'],
      ['still', 'Read Again'],
    ] as const) {
      const { resources } = results;
      const facts = { resources, stateOf: () => ({ kind }), labelOf: String };
      const [lens] = resourceLenses(uri, facts);
      assert.equal(lens?.command?.title, title);
    }
    const document = results.resources.of(uri);
    assert.deepEqual([document?.serverId, document?.uri], ['garden', 'a://pond']);
    assert.equal(document?.readAt, undefined);
    const read: unknown[] = [];
    results.resources.onDidRead((resource) => read.push(resource));
    await results.resources.open('garden', 'a://pond');
    assert.deepEqual(read, [{ serverId: 'garden', uri: 'a://pond' }]);
    assert.deepEqual(JSON.parse(await textOf(uri)), { depth: 1 });
    assert.equal(typeof results.resources.of(uri)?.readAt, 'number');
  });

  it('is removed when its tab is closed', async () => {
    results = newSession();
    await results.resources.open('garden', 'a://other');
    await eventually(
      async () => remembered().all.map(({ uri }) => uri),
      (uris) => uris.includes('a://other'),
    );
    const uri = activeUri();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await eventually(
      async () => remembered().all.length,
      (count) => count === 0,
    );
    results.dispose();
    results = newSession();
    assert.ok(uri);
    await assert.rejects(textOf(uri));
  });
});

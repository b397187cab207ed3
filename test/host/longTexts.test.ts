import assert from 'node:assert/strict';
import { withoutEntry } from '../../src/host/adding/configurationEdits';
import { findDraftSecrets } from '../../src/host/adding/draftSecrets';
import { draftsFromJson } from '../../src/host/adding/jsonDrafts';
import { moveEntry } from '../../src/host/adding/movedEntry';
import { parseMcpJson } from '../../src/host/configuration/configuration';
import { startFacts } from '../../src/host/consent/trust/startFacts';

/** A search that begins again at each character would take hours. */
const length = 900_000;

/** Repeats the text up to the length. */
function long(text: string): string {
  return text.repeat(Math.ceil(length / text.length));
}

describe('A text of a megabyte in a configuration', () => {
  it('does not hold up the question whether its server may start', () => {
    const headers = { 'X-Place': `\${PLACE:-a://${long(':+')}}` };
    const text = JSON.stringify({
      mcpServers: { far: { type: 'http', url: 'http://a', headers } },
    });
    const source = { kind: 'workspaceFile', path: '/w/.mcp.json', folder: '/w' } as const;
    const { servers } = parseMcpJson(text, source, {
      workspaceFolders: [],
      userHome: '/home/me',
      env: {},
      readFile: () => '',
    });
    assert.equal(servers.length, 1);
    const facts = servers.flatMap((server) => startFacts(server));
    assert.ok(facts.some(({ name }) => name === 'X-Place'));
  });

  it('does not hold up the search for secrets in an address', () => {
    const entry = { type: 'http', url: `http://a/${long('?')}&token=abcd1234` } as const;
    const found = findDraftSecrets({ name: 'far', entry, inputs: [], notes: [] });
    assert.deepEqual(
      found.map(({ name, value }) => [name, value]),
      [['token', 'abcd1234']],
    );
  });

  it('does not hold up what is made of copied JSON', () => {
    const copied = [
      { name: `a/b${long('-')}c`, remotes: [{ type: 'sse', url: 'http://a' }] },
      { name: `a/b${long('!')}\n`, remotes: [{ type: 'sse', url: 'http://a' }] },
    ];
    const drafts = copied.flatMap((value) => draftsFromJson(JSON.stringify(value)));
    assert.deepEqual(
      drafts.map(({ name }) => name),
      ['b', 'b'],
    );
  });

  it('does not hold up the move of its entry', () => {
    const text = JSON.stringify({ command: 'node', args: [long('${config:'), '${config:a.b}'] });
    const { impossible } = moveEntry(text, {
      server: 'near',
      from: 'vscode',
      to: { format: 'mcpServers' },
      isFree: () => true,
    });
    assert.deepEqual(impossible, ['${config:a.b}']);
  });

  it('does not hold up the removal of an entry behind it', () => {
    const text = `{"servers":{${long(' ')}"a":{},"b":{}}}`;
    assert.equal(withoutEntry(text, ['servers', 'b']), text.replace(',"b":{}', ''));
  });
});

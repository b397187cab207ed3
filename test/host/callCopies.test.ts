import assert from 'node:assert/strict';
import {
  toCallFileText,
  toCurlText,
  toJsonRpcText,
  toTypeScriptText,
} from '../../src/host/callFiles/callCopies';
import type { Revision } from '../../src/core/types';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import { assertNone } from '../assertions';

const call = { server: 'weather', tool: "look's up", arguments: { place: '$HOME `id` "x"' } };
const source = { kind: 'setting' } as const;
const http: ServerConfig = {
  id: 'weather',
  label: 'weather',
  source,
  transport: {
    kind: 'http',
    url: 'https://ada:hunter2@example.org/mcp?api_key=hunter2&x=1#here',
    headers: { Authorization: 'Bearer hunter2' },
  },
};
const stdio: ServerConfig = {
  id: 'weather',
  label: 'weather',
  source,
  transport: {
    kind: 'stdio',
    command: 'node',
    args: ['a b.js'],
    env: { TOKEN: 'hunter2', GONE: null },
  },
};

describe('A copied call', () => {
  it('is a call file that reads back as the same call', () => {
    assert.deepEqual(JSON.parse(toCallFileText(call)), call);
  });

  it('is a request in the revision of the server', () => {
    const request = JSON.parse(toJsonRpcText(call, { config: http, revision: '2026-07-28' }));
    assert.equal(request.params['_meta']['io.modelcontextprotocol/protocolVersion'], '2026-07-28');
    assert.deepEqual(JSON.parse(toJsonRpcText(call)), {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: call.tool, arguments: call.arguments },
    });
  });

  it('contains no values of headers, URLs or environments', () => {
    const all = [http, stdio].flatMap((config) => [
      toCurlText(call, { config }) ?? '',
      toTypeScriptText(call, { config }),
    ]);
    assertNone(all, (text) => text.includes('hunter2'));
    assert.equal(all.filter((text) => text !== '').length, 3);
  });

  it('contains no environment variable that arguments and URLs name', () => {
    const pieces = [{ reference: '${env:MY_TOKEN}', value: 'hunter2' }];
    const program: ServerConfig = {
      ...stdio,
      transport: { kind: 'stdio', command: 'node', args: ['hunter2'], env: {} },
      written: [{ part: 'argument', name: 0, pieces }],
    };
    const address: ServerConfig = {
      ...http,
      transport: { kind: 'http', url: 'https://example.org/hunter2', headers: {} },
      written: [{ part: 'address', pieces: [{ text: 'https://example.org/' }, ...pieces] }],
    };
    const texts = [
      toTypeScriptText(call, { config: program }),
      toTypeScriptText(call, { config: address }),
      toCurlText(call, { config: address }) ?? '',
    ];
    assert.ok(!texts.join('\n').includes('hunter2'), texts.join('\n'));
    assert.match(texts[0] ?? '', /args: \["\$\{env:MY_TOKEN\}"\]/);
  });

  it('reads no variable that every shell has, whatever its headers and its query are named', () => {
    const url = 'https://example.org/mcp?path=1&_home=2&1=3&mcp_x=4';
    const transport = { kind: 'http', url, headers: { User: 'ann' } } as const;
    const config: ServerConfig = { ...http, transport };
    const names = ['MCP_PATH', 'MCP_HOME', 'MCP_1', 'MCP_X', 'MCP_USER'];
    const curl = toCurlText(call, { config, revision: '2026-07-28' }) ?? '';
    assert.deepEqual(
      [...curl.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name),
      names,
    );
    const program = toTypeScriptText(call, { config });
    assert.deepEqual(
      [...program.matchAll(/env\["(\w+)"\]/g)].map(([, name]) => name),
      names,
    );
  });

  it('is quoted for a shell', () => {
    assert.equal(
      toCurlText(call, { config: http, revision: '2025-11-25' }),
      [
        'curl "https://example.org/mcp?api_key=${MCP_API_KEY}&x=${MCP_X}" \\',
        "  -H 'Content-Type: application/json' \\",
        "  -H 'Accept: application/json, text/event-stream' \\",
        "  -H 'MCP-Protocol-Version: 2025-11-25' \\",
        '  -H "Authorization: ${MCP_AUTHORIZATION}" \\',
        '  -H "Mcp-Session-Id: ${MCP_SESSION_ID}" \\',
        `  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look'\\''s up","arguments":{"place":"$HOME \`id\` \\"x\\""}}}'`,
        '',
      ].join('\n'),
    );
    assert.equal(toCurlText(call, { config: stdio }), undefined);
    const named = toCurlText({ ...call, tool: 'größe' }, { config: http, revision: '2026-07-28' });
    assert.match(named ?? '', /'Mcp-Name: =\?base64\?Z3LDtsOfZQ==\?='/);
  });

  it('mirrors arguments into headers where the server requires it (R-205)', () => {
    const mirrored = (name: string) => ({ type: 'string', 'x-mcp-header': name });
    const inputSchema = {
      type: 'object',
      properties: { place: mirrored('Place'), unit: mirrored('Unit'), day: mirrored('Day') },
    };
    const given = { ...call, arguments: { place: 'Köln', unit: '' } };
    const headersIn = (revision: Revision) =>
      toCurlText(given, { config: http, revision, inputSchema })
        ?.split('\n')
        .filter((line) => line.includes('Mcp-Param-'));
    // A header without a value ends in a semicolon for cURL.
    const expected = [
      "  -H 'Mcp-Param-Place: =?base64?S8O2bG4=?=' \\",
      "  -H 'Mcp-Param-Unit;' \\",
    ];
    assert.deepEqual(headersIn('2026-07-28'), expected);
    assert.deepEqual(headersIn('2025-11-25'), []);
  });
});

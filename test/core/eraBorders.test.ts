import assert from 'node:assert/strict';
import { eventOf, resultFor, sendEvents, sendJson } from '../servers/httpServer';
import type { Received } from '../servers/httpServer';
import { Connections, textOf } from './connections';
import { useHttpClients, stateless } from './reached';

const { connected } = useHttpClients();

// What one era defines means nothing in the other, even where a server uses its words.

const annotated = (name: string, annotation: string) => ({
  name,
  inputSchema: {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': annotation } },
  },
});
const tools = [annotated('good', 'Region'), annotated('bad', 'Re gion')];
const names = (list: readonly { readonly name: string; readonly callable: boolean }[]) =>
  list.filter(({ callable }) => callable).map(({ name }) => name);

describe('In the stateful era', () => {
  const connections = new Connections();
  afterEach(() => connections.close());

  it('a result of another type is a normal result (R-086)', async () => {
    const client = await connections.to((server) => {
      server.on('tools/call', (message) =>
        server.reply(message, {
          resultType: 'input_required',
          requestState: 's',
          content: [{ type: 'text', text: 'done' }],
        }),
      );
    });
    assert.equal(await textOf(client.callTool('a', {})), 'done');
  });

  it('no request has a header or metadata of the stateless era, and annotations of headers are ignored (R-163, R-204)', async () => {
    const { server, client } = await connected({
      take: (request, response) => {
        if (request.message.method === 'server/discover') response.writeHead(405).end();
        else if (request.message.method === 'tools/list') {
          sendJson(response, resultFor(request, { tools }));
        } else return false;
        return true;
      },
    });
    assert.deepEqual(names((await client.listTools()).tools), ['good', 'bad']);
    await client.callTool('bad', { region: 'north' });
    const [, ...after] = server.received;
    const foreign = ({ headers, message }: Received) => [
      ...Object.keys(headers).filter((name) => /^mcp-(?:method|name|param)/.test(name)),
      ...Object.keys(Object(message.params?.['_meta'])),
    ];
    assert.ok(server.log.includes('POST tools/call'));
    assert.deepEqual(after.flatMap(foreign), []);
  });
});

describe('In the stateless era', () => {
  const connections = new Connections();
  afterEach(() => connections.close());

  it('annotations of headers are ignored over stdio (R-203)', async () => {
    const client = await connections.to((server) => {
      server.speakStateless();
      const inputSchema = {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Re gion' } },
      };
      server.tools = [{ name: 'bad', inputSchema }];
    });
    assert.deepEqual(names((await client.listTools()).tools), ['bad']);
  });

  it('the result of an answered question is read again, and never cached (R-399)', async () => {
    const client = await connections.to((server) => {
      server.speakStateless();
      let reads = 0;
      server.on('resources/read', (message) => {
        const { uri, requestState } = message.params ?? {};
        if (requestState === undefined) {
          server.reply(message, { resultType: 'input_required', requestState: 's' });
          return;
        }
        reads += 1;
        server.reply(message, { contents: [{ uri, text: `${reads}` }], ttlMs: 60_000 });
      });
    });
    const read = async () => (await client.readResource('x:y')).contents[0]?.text;
    assert.deepEqual([await read(), await read()], ['1', '2']);
  });

  it('an answer ends its stream, and an open stream is closed by the client (R-152)', async () => {
    const { server, client } = await connected(
      stateless({
        'tools/call': (request, response) =>
          sendEvents(response, eventOf(resultFor(request, { content: [] }))),
      }),
    );
    assert.deepEqual((await client.callTool('a', {})).content, []);
    const call = await server.arrival(({ message }) => message.method === 'tools/call');
    await call.closed;
  });
});

import {
  completable,
  fromJsonSchema,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

// Resources by the official SDK 2.x over stdio, of both eras. The tool `grow` changes the counter and
// tells of it, `plant` registers one more resource and one more prompt.
const nothing = fromJsonSchema({ type: 'object', properties: {} });
const done = async () => ({ content: [{ type: 'text' as const, text: 'done' }] });

function newServer(): McpServer {
  let count = 1;
  const server = new McpServer(
    { name: 'resources2', version: '1' },
    { capabilities: { resources: { subscribe: true, listChanged: true }, completions: {} } },
  );
  const { server: low } = server;
  server.registerResource('counter', 'count:///one', { mimeType: 'text/plain' }, async (uri) => ({
    contents: [{ uri: uri.href, text: String(count) }],
  }));
  const beds = new ResourceTemplate('garden:///{bed}/{plant}', {
    list: undefined,
    complete: {
      bed: (value) => ['north', 'south'].filter((bed) => bed.startsWith(value)),
      plant: (_, context) => [`${context?.arguments?.['bed'] ?? 'no'} rose`],
    },
  });
  server.registerResource('bed', beds, { title: 'A bed' }, async (uri, variables) => ({
    contents: [{ uri: uri.href, text: JSON.stringify(variables) }],
  }));
  server.registerTool('grow', { inputSchema: nothing }, async () => {
    count += 1;
    await low.sendResourceUpdated({ uri: 'count:///one' });
    return done();
  });
  server.registerTool('plant', { inputSchema: nothing }, async () => {
    server.registerResource('planted', 'count:///planted', {}, async (uri) => ({
      contents: [{ uri: uri.href, text: 'planted' }],
    }));
    server.registerPrompt('planted', {}, () => ({ messages: [] }));
    return done();
  });
  const argsSchema = z.object({
    bed: completable(z.string(), (value) =>
      ['north', 'south'].filter((bed) => bed.startsWith(value)),
    ),
    plant: completable(z.string(), (_, context) => [`${context?.arguments?.['bed'] ?? 'no'} rose`]),
  });
  server.registerPrompt('water', { argsSchema }, ({ bed, plant }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Water ${plant} in ${bed}` } }],
  }));
  // The SDK keeps no books on who subscribed in the stateful era.
  low.setRequestHandler('resources/subscribe', async () => ({}));
  low.setRequestHandler('resources/unsubscribe', async () => ({}));
  return server;
}

serveStdio(newServer);

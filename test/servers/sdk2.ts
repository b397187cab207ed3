import { inputRequired, McpServer, fromJsonSchema } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

// A server of the official SDK 2.x over stdio, of both eras: `--legacy=reject` leaves the newer.
const schema = (properties: Record<string, object>) =>
  fromJsonSchema({ type: 'object', properties, required: Object.keys(properties) });

function newServer(): McpServer {
  const server = new McpServer(
    { name: 'sdk2', version: '2.0.0', title: 'SDK 2' },
    { capabilities: { tools: { listChanged: true }, resources: {}, logging: {} } },
  );
  server.registerTool(
    'echo',
    { description: 'Echoes', inputSchema: schema({ text: { type: 'string' } }) },
    async (args) => ({ content: [{ type: 'text', text: String(Object(args).text) }] }),
  );
  server.registerTool('grow', { description: 'Adds a tool', inputSchema: schema({}) }, async () => {
    server.registerTool('grown', { inputSchema: schema({}) }, async () => ({ content: [] }));
    return { content: [{ type: 'text', text: 'grown' }] };
  });
  server.registerTool(
    'ask',
    { description: 'Asks the person', inputSchema: schema({}) },
    async (_args, context) => {
      const answers = context.mcpReq.inputResponses;
      if (answers !== undefined) {
        return { content: [{ type: 'text', text: JSON.stringify(answers) }] };
      }
      return inputRequired({
        inputRequests: {
          name: inputRequired.elicit({
            message: 'Who are you?',
            requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
          }),
        },
      });
    },
  );
  server.registerResource('note', 'note:///one', {}, async (uri) => ({
    contents: [{ uri: uri.href, text: 'a note' }],
  }));
  return server;
}

const legacy = process.argv.includes('--legacy=reject') ? 'reject' : 'serve';
serveStdio(newServer, { legacy });

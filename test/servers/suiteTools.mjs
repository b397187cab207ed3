// The tools that the official suite expects of a server, over stdio, for the endpoint for agents to pass on.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';
const text = (said) => ({ type: 'text', text: said });
const image = { type: 'image', data: png, mimeType: 'image/png' };
const embedded = (uri, mimeType, said) => ({
  type: 'resource',
  resource: { uri, mimeType, text: said },
});
const answers = {
  test_simple_text: { content: [text('This is a simple text response for testing.')] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    content: [
      embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ],
  },
  test_multiple_content_types: {
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: {
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  },
  test_tool_with_progress: { content: [text('done')] },
};

const server = new Server({ name: 'suite', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.keys(answers).map((name) => ({
    name,
    description: `The suite calls ${name}.`,
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true, openWorldHint: false },
  })),
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendNotification }) => {
  const { _meta: meta } = params;
  const progressToken = meta?.progressToken;
  if (params.name === 'test_tool_with_progress' && progressToken !== undefined) {
    for (const progress of [0, 50, 100]) {
      const report = { progressToken, progress, total: 100 };
      await sendNotification({ method: 'notifications/progress', params: report });
    }
  }
  return answers[params.name];
});
await server.connect(new StdioServerTransport());

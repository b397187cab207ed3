/**
 * The demo server that ships with Toolgate: a garden of notes in memory. It reads and writes no
 * files and opens no connections. It speaks MCP over stdio in the client's revision, and exits at
 * the end of its input.
 */
import {
  fromJsonSchema,
  Server,
  type CallToolResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { behaviourTools } from './behaviourTools';
import { contentTools } from './contentTools';
import { Arguments, type DemoTool, type DemoCall } from './demoTool';
import { addingTools, readingTools, removingTools, Garden } from './gardenTools';
import { findResource, resources } from './resources';

function newServer(tools: readonly DemoTool[]): Server {
  const server = new Server(
    { name: 'toolgate-demo', title: 'Notes garden', version: '1.0.0' },
    {
      capabilities: { tools: {}, resources: {} },
      instructions: 'A garden of notes to try Toolgate with. Nothing here is real; break anything.',
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: tools.map((tool) => tool.definition) }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools.find(({ definition }) => definition.name === params.name);
    if (tool === undefined) return errorAnswer(`There is no tool called "${params.name}".`);
    const result = await run(tool, params.arguments ?? {}, runningCall(context));
    return server.projectCallToolResult(result, tool.definition.outputSchema);
  });
  server.setRequestHandler('resources/list', () => ({
    resources: resources.map(({ listing }) => listing),
  }));
  server.setRequestHandler('resources/read', ({ params }) => ({
    contents: [findResource(params.uri).contents],
  }));
  return server;
}

async function run(
  tool: DemoTool,
  given: Record<string, unknown>,
  call: DemoCall,
): Promise<CallToolResult> {
  const inputSchema: Record<string, unknown> = tool.definition.inputSchema;
  const schema = fromJsonSchema(inputSchema);
  const checked = await schema['~standard'].validate(given);
  if (checked.issues !== undefined) {
    return errorAnswer(checked.issues.map((issue) => issue.message).join('\n'));
  }
  try {
    return await tool.run(new Arguments(given), call);
  } catch (error) {
    return errorAnswer(error instanceof Error ? error.message : String(error));
  }
}

function runningCall({ mcpReq }: ServerContext): DemoCall {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  return {
    signal: mcpReq.signal,
    reportProgress: async (progress, total, message) => {
      if (progressToken === undefined) return;
      const params = { progressToken, progress, total, message };
      await mcpReq.notify({ method: 'notifications/progress', params });
    },
  };
}

function errorAnswer(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

// One garden per process, so that a probe of the client and the connection see the same notes.
const garden = new Garden();
const tools = [
  ...readingTools(garden),
  ...addingTools(garden),
  ...removingTools(garden),
  ...contentTools,
  ...behaviourTools,
];
serveStdio(() => newServer(tools));

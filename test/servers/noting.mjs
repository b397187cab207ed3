// A stdio server of the official SDK that writes down what each call gives it before it answers:
//   node noting.mjs <file>            answers every call
//   node noting.mjs <file> <number>   kills who started it in the moment when this call comes
import { appendFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [, , file, killsAt = 'never'] = process.argv;
let calls = 0;
const inputSchema = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
};
const server = new Server({ name: 'noting', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [{ name: 'note', inputSchema }],
}));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
  const text = String(params.arguments?.text);
  appendFileSync(file, `${text}\n`);
  calls += 1;
  if (calls === Number(killsAt)) process.kill(process.ppid, 'SIGKILL');
  return { content: [{ type: 'text', text }] };
});
await server.connect(new StdioServerTransport());

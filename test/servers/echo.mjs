import { createInterface } from 'node:readline';

// A server with one tool, for tests of what is around a call; a tenth of the official ones' time to start.

const inputSchema = {
  type: 'object',
  properties: { message: { type: 'string' } },
  required: ['message'],
};
const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema }] }),
  'tools/call': ({ arguments: { message } }) => ({
    content: [{ type: 'text', text: `Echo: ${message}` }],
  }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params);
  const answer = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});

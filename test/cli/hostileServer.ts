/** A server as a script, which says `words` wherever it can, and answers calls with their argument `message`. */
export function hostileServer(words: string) {
  const code = `
    const words = ${JSON.stringify(words)};
    console.error('on stderr ' + words);
    const schema = { type: 'object', properties: { message: { type: 'string' } } };
    const tools = ['say', 'refuse', words].map((name) => ({ name, description: words, inputSchema: schema }));
    const answers = {
      initialize: () => ({ result: {
        protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: words, version: '1' } } }),
      'tools/list': () => ({ result: { tools } }),
      'tools/call': ({ name, arguments: { message = '' } = {} }) =>
        name === 'refuse'
          ? { error: { code: -32000, message: message + words } }
          : { result: { content: [{ type: 'text', text: message + words }] } },
    };
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const answer = answers[method]?.(params) ?? { error: { code: -32601, message: 'no' } };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });`;
  return { command: process.execPath, args: ['-e', code] };
}

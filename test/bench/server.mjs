// The least server that the measured clients can talk to: no SDK, answers built once, so that what
// is measured is the client. `node server.mjs <mode>` speaks stdio; with a second argument `http`
// it serves Streamable HTTP on a free loopback port and prints that port.
import { createServer } from 'node:http';

const [mode = 'echo', transport = 'stdio'] = process.argv.slice(2);
const bigBytes = 64 * 1024 * 1024;

const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const outputSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    count: { type: 'integer', minimum: 0 },
    items: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
  },
  required: ['id', 'count'],
};

function tool(index, withOutput) {
  return {
    name: `tool_${index}`,
    title: `Tool number ${index}`,
    description: `Does the thing with number ${index} and tells what came of it, in one sentence.`,
    inputSchema: schema,
    annotations: { readOnlyHint: index % 3 === 0, destructiveHint: index % 3 === 1 },
    ...(withOutput ? { outputSchema } : {}),
  };
}

const plainTools = { list20: 20, list10k: 10_000, list20k: 20_000 }[mode];
const tools =
  plainTools !== undefined
    ? Array.from({ length: plainTools }, (_, i) => tool(i, false))
    : mode === 'list1kOutput'
      ? Array.from({ length: 1_000 }, (_, i) => tool(i, true))
      : [{ name: 'echo', inputSchema: schema }];
const listResult = JSON.stringify({ tools });

function bigResult() {
  if (mode === 'text64' || mode === 'sseText64') {
    const line = 'The quick brown fox jumps over the lazy dog. ';
    const text = line.repeat(Math.ceil(bigBytes / line.length)).slice(0, bigBytes);
    return JSON.stringify({ content: [{ type: 'text', text }] });
  }
  if (mode === 'image64') {
    const data = Buffer.alloc((bigBytes / 4) * 3, 0x5a).toString('base64');
    return `{"content":[{"type":"image","data":"${data}","mimeType":"image/png"}]}`;
  }
  if (mode === 'rows64' || mode === 'sseRows64') {
    const rows = [];
    for (let id = 0, bytes = 0; bytes < bigBytes; id += 1) {
      rows.push(
        JSON.stringify({ id, name: `row ${id}`, price: (id % 1000) / 4, inStock: id % 3 > 0 }),
      );
      bytes += rows.at(-1).length + 1;
    }
    return `{"content":[],"structuredContent":{"rows":[${rows.join(',')}]}}`;
  }
  if (mode === 'long64') {
    // Few values, each of which is too short to be taken out by itself.
    const text = 'The quick brown fox. '.repeat(3_200);
    const rows = Array.from({ length: 1_000 }, (_, id) => JSON.stringify({ id, text }));
    return `{"content":[],"structuredContent":{"rows":[${rows.join(',')}]}}`;
  }
  return undefined;
}
const big = bigResult();
const notification =
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"tick"}}\n';

/** The result of a request as JSON text, or undefined where there is nothing to answer. */
function answer(message) {
  const { method, params, id } = message;
  if (id === undefined) return undefined;
  const ok = (result) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
  switch (method) {
    case 'initialize':
      return ok(
        JSON.stringify({
          protocolVersion: '2025-11-25',
          capabilities: {
            tools: { listChanged: true },
            resources: { subscribe: true },
            logging: {},
          },
          serverInfo: { name: 'bare', version: '1' },
        }),
      );
    case 'tools/list':
      return ok(listResult);
    case 'tools/call':
      return ok(
        big ??
          `{"content":[{"type":"text","text":${JSON.stringify(params.arguments?.text ?? '')}}]}`,
      );
    case 'ping':
      return ok('{}');
    default:
      return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"no"}}`;
  }
}

/** Writes the second argument as a line for ever, from the first call on, which it never answers. */
function flood({ params: { _meta: meta } }) {
  const line = transport.replace('TOKEN', JSON.stringify(meta?.progressToken ?? 0));
  const chunk = `${line}\n`.repeat(Math.ceil(65_536 / line.length));
  const more = () => {
    while (process.stdout.write(chunk));
    process.stdout.once('drain', more);
  };
  more();
}

function serveStdio() {
  let rest = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    let out = '';
    for (const line of lines) {
      const message = JSON.parse(line);
      if (mode === 'notify50k' && message.method === 'tools/call') {
        // In slices of one pipe-full each, as a chatty server would write them.
        for (let i = 0; i < 50; i++) process.stdout.write(notification.repeat(1_000));
      }
      if (mode === 'flood' && message.method === 'tools/call') return flood(message);
      const text = answer(message);
      if (mode === 'wait20' && message.method === 'tools/call') {
        // As one that asks a service over the network.
        setTimeout(() => process.stdout.write(text + '\n'), 20);
      } else if (text !== undefined) out += text + '\n';
    }
    if (out !== '') process.stdout.write(out);
  });
  process.stdin.on('end', () => process.exit(0));
}

function serveHttp() {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const text = answer(JSON.parse(Buffer.concat(chunks).toString()));
      if (text === undefined) {
        response.writeHead(202).end();
        return;
      }
      if (mode.startsWith('sse')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('event: message\ndata: ');
        response.write(text);
        response.end('\n\n');
        return;
      }
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    });
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}

if (transport === 'http') serveHttp();
else serveStdio();

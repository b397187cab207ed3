import { pathToFileURL } from 'node:url';
import { Server } from './scriptedServer.mjs';

// A stdio server whose behaviour a test writes beside its assertions: `node scripted.mjs <script>`,
// where <script> is the text of a function that gets the server, or a module that exports it.

const server = new Server((text) => process.stdout.write(text));
const source = process.argv[2] ?? '() => {}';
const script = await import(
  source.endsWith('.mjs')
    ? pathToFileURL(source).href
    : `data:text/javascript,export default ${encodeURIComponent(source)}`
);
await script.default(server);

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) server.take(JSON.parse(line));
});
process.stdin.on('end', () => {
  if (server.leavesAtEnd) process.exit(0);
});

// A stdio server that a test steers by calling its tool `steer`; no library, so that it starts fast.
// Every message it receives is appended to the file that JOURNAL names, one method a line.
//   node steered.mjs                 polite
//   node steered.mjs exit            writes to stderr and exits before the handshake
//   node steered.mjs silent          never answers
//   node steered.mjs stubborn        polite, but ignores the end of stdin and SIGTERM
//   node steered.mjs unlistable      its tools cannot be listed
import { appendFileSync, existsSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const mode = process.argv[2];
const journal = process.env['JOURNAL'];
const note = (line) => journal && appendFileSync(journal, `${line}\n`);
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const announce = () => send({ method: 'notifications/tools/list_changed' });

const anything = { type: 'object' };
const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
let tools = [
  { name: 'steer', inputSchema: anything },
  { name: 'echo', inputSchema: number, annotations: { readOnlyHint: true } },
  { name: 'structured', inputSchema: anything, outputSchema: number },
  { name: 'oddSchema', inputSchema: { type: 'object', properties: { a: { $ref: '#/none' } } } },
  { name: 'oddOutput', inputSchema: anything, outputSchema: { type: 'nothing' } },
  { name: 'never', inputSchema: anything },
  { name: 'refused', inputSchema: anything },
  { name: 'progressing', inputSchema: anything },
  { name: 'unusable', inputSchema: null },
];
// Ends on every start after the first, once DIE_AGAIN names a file that is there.
if (process.env['DIE_AGAIN'] && existsSync(process.env['DIE_AGAIN'])) process.exit(5);
let heldLists;
let listFailure = mode === 'unlistable' ? 'out of order' : undefined;
let onList = () => {};

note(`started ${process.pid}`);
if (mode === 'exit') {
  process.stderr.write('the database is locked\n');
  process.exitCode = 3;
  process.stdin.destroy();
}
if (mode === 'stubborn') {
  process.stdin.on('end', () => note('end of stdin'));
  process.on('SIGTERM', () => note('SIGTERM'));
  setInterval(() => {}, 1_000);
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'steered', version: '1' },
  }),
  ping: () => ({}),
};

function list(id) {
  onList();
  if (heldLists !== undefined) heldLists.push(id);
  else if (listFailure === undefined) send({ id, result: { tools } });
  else send({ id, error: { code: -32603, message: listFailure } });
}

function steer(id, wish) {
  if (wish.tools !== undefined) tools = [tools[0], ...wish.tools];
  if (wish.failLists !== undefined) listFailure = wish.failLists || undefined;
  if (wish.announceAtEachList === true) onList = announce;
  if (wish.announceAtEachList === false) onList = () => {};
  if (wish.holdLists === true) heldLists = [];
  for (let count = 0; count < (wish.announce ?? 0); count++) announce();
  for (let count = 0; count < (wish.garbage ?? 0); count++) process.stdout.write('hello\n');
  if (wish.stderrLines !== undefined) process.stderr.write('noise\n'.repeat(wish.stderrLines));
  if (wish.fork === true) {
    const source = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6)';
    const child = spawn(process.execPath, ['-e', source], { stdio: 'ignore' });
    note(`forked ${child.pid}`);
  }
  if (wish.die !== undefined) {
    process.stderr.write('out of memory\n');
    process.exit(wish.die);
  }
  send({ id, result: { content: [{ type: 'text', text: String(process.pid) }] } });
  if (wish.holdLists === false) {
    const held = heldLists ?? [];
    heldLists = undefined;
    for (const waiting of held) list(waiting);
  }
}

function call(id, { name, arguments: given, _meta: meta }) {
  note(`called ${name} ${JSON.stringify(given)}`);
  const text = { content: [{ type: 'text', text: JSON.stringify(given) }] };
  if (name === 'steer') steer(id, given ?? {});
  else if (name === 'structured') send({ id, result: { ...text, ...given } });
  else if (name === 'oddOutput') send({ id, result: { ...text, structuredContent: 1 } });
  else if (name === 'refused') send({ id, error: { code: -32000, message: 'not today' } });
  else if (name === 'progressing') {
    const progressToken = meta?.progressToken;
    send({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } });
    if (given?.isHeld !== true) send({ id, result: text });
  } else if (name !== 'never') send({ id, result: text });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  note(method);
  if (mode === 'silent') return;
  if (method === 'tools/call') call(id, params);
  else if (method === 'tools/list') list(id);
  else if (id !== undefined) send({ id, result: answers[method]?.(params) ?? {} });
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { bundled } from '../servers/bundled';

const run = promisify(execFile);
const mib = 1024 * 1024;
/** As a person reads it: line ends, quotes and letters that JSON and UTF-8 write in several bytes. */
const line = `${'"The quick brown fox" jumps over the lazy dog. Größe: 12 € \\ '.repeat(4)}\n`;
const lines = Math.floor((250 * mib) / Buffer.byteLength(JSON.stringify(line)));

/** A thousand small objects as JSON. */
const rows = Array.from({ length: 1_000 }, (_, id) =>
  JSON.stringify({ id, name: `row ${id}`, price: id / 4, inStock: id % 3 > 0 }),
).join(',');
const rowBatches = Math.floor((64 * mib) / rows.length);

/** Speaks MCP over stdio, and answers a call with a line of nearly 256 MiB. */
const server = `
const line = ${JSON.stringify(line)};
const rows = ${JSON.stringify(rows)};
const escaped = JSON.stringify(line).slice(1, -1);
const send = (id, result) =>
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (text) => {
  const { id, method } = JSON.parse(text);
  if (method === 'initialize') {
    const serverInfo = { name: 'largest', version: '1' };
    send(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
  } else if (method === 'tools/list') {
    send(id, { tools: ['book', 'rows'].map((name) => ({ name, inputSchema: { type: 'object' } })) });
  } else if (method === 'tools/call' && JSON.parse(text).params.name === 'rows') {
    process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[],"structuredContent":[');
    for (let left = ${rowBatches}; left > 0; left -= 1) process.stdout.write(rows + ',');
    process.stdout.write('0]}}\\n');
  } else if (method === 'tools/call') {
    process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[{"type":"text","text":"');
    const batch = escaped.repeat(1000);
    for (let left = ${lines}; left > 0; left -= 1000)
      process.stdout.write(left >= 1000 ? batch : escaped.repeat(left));
    process.stdout.write('"}]}}\\n');
  } else if (id !== undefined) {
    const error = { code: -32601, message: 'no' };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error }) + '\\n');
  }
}).on('close', () => process.exit(0));
`;

const window = () => bundled(path.join(__dirname, 'largestAnswer.ts'));

interface Kept {
  readonly names: readonly string[];
  readonly size: number;
  readonly lines: number;
  readonly beginningLines: number;
  readonly isOnDisk: boolean;
  readonly sha256: string;
  readonly grownMiB: number;
  readonly stallMs: number;
}

describe('The largest accepted answer', () => {
  it('is written from the pipe to disk byte for byte, and memory holds little more than the answer', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'toolgate-largest-'));
    try {
      const script = path.join(folder, 'server.cjs');
      await writeFile(script, server);
      const { stdout } = await run(process.execPath, [window(), script, folder]);
      const { grownMiB, stallMs, ...kept } = JSON.parse(stdout) as Kept;
      const hash = createHash('sha256');
      const batch = line.repeat(1_000);
      for (let left = lines; left > 0; left -= 1_000) {
        hash.update(left >= 1_000 ? batch : line.repeat(left));
      }
      const size = lines * Buffer.byteLength(line);
      assert.deepEqual(kept, {
        names: ['book.mcptxt', 'book-beginning.mcptxt'],
        size,
        lines: lines + 1,
        beginningLines: kept.beginningLines,
        isOnDisk: true,
        sha256: hash.digest('hex'),
      });
      assert.ok(kept.beginningLines > 1_000, `${kept.beginningLines} lines at first`);
      const sizeMiB = size / mib;
      console.log(
        `        ${sizeMiB.toFixed(0)} MiB: ${grownMiB} MiB of memory, longest stall ${stallMs} ms`,
      );
      assert.ok(grownMiB < sizeMiB * 1.5, `${grownMiB} MiB for a text of ${sizeMiB} MiB`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('of rows opens in less than four times its own memory, which a parsed value would need', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'toolgate-largest-'));
    try {
      const script = path.join(folder, 'server.cjs');
      await writeFile(script, server);
      const { stdout } = await run(process.execPath, [window(), script, folder, 'rows']);
      const { grownMiB, stallMs, names, size, sha256 } = JSON.parse(stdout) as Kept;
      const hash = createHash('sha256').update('[');
      for (let left = rowBatches; left > 0; left -= 1) hash.update(`${rows},`);
      assert.deepEqual(
        [names, size, sha256],
        [
          ['rows.mcpjson', 'rows-beginning.mcpjson'],
          rowBatches * (rows.length + 1) + 3,
          hash.update('0]').digest('hex'),
        ],
      );
      const sizeMiB = size / mib;
      console.log(
        `        ${sizeMiB.toFixed(0)} MiB: ${grownMiB} MiB of memory, longest stall ${stallMs} ms`,
      );
      assert.ok(grownMiB < sizeMiB * 4, `${grownMiB} MiB for rows of ${sizeMiB} MiB`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is held twice for another extension, as bytes and as text, with little garbage', async () => {
    const script = path.join(__dirname, '../bench/server.mjs');
    const handing = bundled(path.join(__dirname, 'handedAnswer.ts'));
    const { stdout } = await run(process.execPath, [handing, script, 'text64']);
    const { length, grownBytes } = JSON.parse(stdout) as { length: number; grownBytes: number };
    assert.equal(length, 64 * mib);
    console.log(`        ${(grownBytes / mib).toFixed(0)} MiB of memory for a text of 64 MiB`);
    assert.ok(grownBytes < length * 2.4, `${grownBytes} bytes for a text of ${length}`);
  });
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toParts } from '../../src/core/content/content';
import type { Part } from '../../src/core/content/contentParts';
import { LineCount, textBeginning } from '../../src/core/content/textKind';
import { ResultStore } from '../../src/host/results/resultStore';
import {
  filesOfPart,
  isSpooled,
  ResultSpool,
  WindowFolder,
  type SpooledPart,
} from '../../src/host/results/resultSpool';
import { bundled } from '../servers/bundled';
import { eventually } from '../waiting';
import { assertEach } from '../assertions';

const mib = 1024 * 1024;
const hashOf = (...pieces: Uint8Array[]): string => {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
};

/** Every file below, with forward slashes. */
function filesBelow(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .map((found) => path.relative(root, path.join(found.parentPath, found.name)));
}

async function slicesOf(part: SpooledPart): Promise<Uint8Array[]> {
  const slices: Uint8Array[] = [];
  // Each is good until the next.
  for await (const slice of part.slices()) slices.push(Uint8Array.from(slice));
  return slices;
}

describe('Large parts of results', () => {
  let root: string;
  let folder: WindowFolder;
  let errors: unknown[];
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'toolgate-spool-'));
    folder = new WindowFolder(path.join(root, 'results'));
    errors = [];
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const spool = (aboveBytes = 2 * mib) =>
    new ResultSpool({
      folder,
      aboveBytes: () => aboveBytes,
      onError: (error) => errors.push(error),
    });
  const partsOf = (...content: (string | Uint8Array)[]): readonly Part[] =>
    toParts(
      {
        content: content.map((item) =>
          typeof item === 'string'
            ? { type: 'text', text: Buffer.from(item) }
            : { type: 'image', data: item, mimeType: 'image/png' },
        ),
        isError: false,
      },
      { title: 'tool' },
    );
  function spooled(part: Part | undefined): SpooledPart {
    assert.ok(part !== undefined && isSpooled(part));
    return part;
  }

  it('are written to disk byte for byte, and are read whole or in parts', async () => {
    for (const bytes of [
      randomBytes(5 * mib + 1),
      randomBytes(3 * mib),
      randomBytes(2 * mib + 1),
    ]) {
      const [kept] = spool().spool(partsOf(bytes));
      const part = spooled(kept);
      const expected = hashOf(bytes);
      assert.equal(hashOf(await part.read()), expected, 'before it is written');
      assert.equal(hashOf(...(await slicesOf(part))), expected, 'before, in pieces');
      await part.spooled.settled;
      assert.equal(part.spooled.isOnDisk, true);
      assert.equal(hashOf(await part.read()), expected, 'from disk');
      assert.equal(hashOf(...(await slicesOf(part))), expected, 'from disk, in pieces');
    }
  });

  it('stay in memory up to the limit', () => {
    const parts = partsOf('x'.repeat(2 * mib), Buffer.alloc(2 * mib));
    assert.deepEqual(spool().spool(parts), parts);
    assert.deepEqual(filesBelow(root), []);
  });

  it('are readable for this user only, under names that no server chose', async () => {
    const [kept] = spool().spool(partsOf(randomBytes(3 * mib)));
    await spooled(kept).spooled.settled;
    const [file = ''] = filesBelow(root);
    assert.match(file, /^results[/\\][\w-]+\.\d+\.[\da-f-]{36}[/\\]1$/);
    if (process.platform === 'win32') return;
    const modes = [file, path.dirname(file)].map((name) => statSync(path.join(root, name)).mode);
    assertEach(modes, (mode) => (mode & 0o777).toString(8), ['600', '700']);
  });

  it('have their lines counted as an editor does, and begin with whole lines', async () => {
    const line = 'grüße 🙂\n';
    const [kept] = spool().spool(partsOf(line.repeat(250_000)));
    const part = spooled(kept);
    assert.equal(part.spooled.lines, undefined);
    await part.spooled.settled;
    assert.equal(part.spooled.lines, 250_001);
    const beginning = Buffer.from((await part.beginning?.read()) ?? '').toString();
    assert.equal(beginning === line.repeat(10_000).slice(0, -1), true);
    assert.equal(part.beginning?.lines, 10_000);
    assertEach(filesOfPart(part), ({ name }) => name, ['tool.mcptxt', 'tool-beginning.mcptxt']);
  });

  it('of JSON begin with syntax colors, because nothing marks the missing end as an error', () => {
    const [kept] = spool().spool(partsOf(`["${'x'.repeat(3 * mib)}"]`));
    assertEach(filesOfPart(spooled(kept)), ({ name }) => name, [
      'tool.mcpjson',
      'tool-beginning.mcpjson',
    ]);
  });

  it('are deleted from disk when the store drops them, before or after they are written', async () => {
    const store = new ResultStore({ budgetBytes: 4 * mib, isOpen: () => false });
    const add = (kept: readonly Part[]): void => {
      store.addCall('tool', { serverId: 's', createdAt: 0, files: kept.flatMap(filesOfPart) });
    };
    const first = spool().spool(partsOf(randomBytes(3 * mib)));
    add(first);
    await spooled(first[0]).spooled.settled;
    assert.equal(filesBelow(root).length, 1);
    const second = spool().spool(partsOf(randomBytes(3 * mib)));
    add(second);
    add(partsOf(Buffer.alloc(10)));
    await spooled(second[0]).spooled.settled;
    store.dispose();
    await assert.rejects(async () => spooled(first[0]).read(), /not kept/);
    // Removing goes on behind.
    await eventually(
      () => filesBelow(root),
      ({ length }) => length === 0,
    );
  });

  it('stay in memory if nothing can be written, with a message', async () => {
    writeFileSync(path.join(root, 'results'), 'a file where the folder should be');
    const bytes = randomBytes(3 * mib);
    const part = spooled(spool().spool(partsOf(bytes))[0]);
    await part.spooled.settled;
    assert.deepEqual([part.spooled.isOnDisk, errors.length], [false, 1]);
    assert.equal(hashOf(await part.read()), hashOf(bytes));
  });

  it('are deleted when the window closes', async () => {
    await spooled(spool().spool(partsOf(randomBytes(3 * mib)))[0]).spooled.settled;
    folder.dispose();
    assert.deepEqual(readdirSync(path.join(root, 'results')), []);
  });

  it('of a killed window are deleted by the next, those of an open one are not', async () => {
    const results = path.join(root, 'results');
    const start = async () => {
      const script = bundled(path.join(__dirname, 'spoolWindow.ts'));
      const child = spawn(process.execPath, [script, results], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [said] = (await once(child.stdout, 'data')) as [Buffer];
      assert.equal(said.toString().trim(), 'on disk');
      return child;
    };
    const [dead, living] = await Promise.all([start(), start()]);
    try {
      const exited = once(dead, 'exit');
      dead.kill('SIGKILL');
      await exited;
      assert.equal(filesBelow(root).length, 2);
      await folder.sweep();
      const left = readdirSync(results);
      assertEach(left, (name) => name.split('.')[1], [String(living.pid)]);
      assert.equal(filesBelow(root).length, 1);
    } finally {
      living.kill('SIGKILL');
    }
  });

  it('of other machines stay for a month, and unknown files forever', async () => {
    const results = path.join(root, 'results');
    const id = '01234567-89ab-cdef-0123-456789abcdef';
    for (const name of [`other.1.${id}`, `old.1.${id}`, 'notes']) {
      mkdirSync(path.join(results, name), { recursive: true });
    }
    const longAgo = Date.now() / 1000 - 31 * 24 * 60 * 60;
    for (const name of [`old.1.${id}`, 'notes']) {
      utimesSync(path.join(results, name), longAgo, longAgo);
    }
    await folder.sweep();
    assert.deepEqual(readdirSync(results).toSorted(), ['notes', `other.1.${id}`]);
  });
});

describe('The beginning of a text', () => {
  const beginningOf = (text: string): string => {
    const { bytes, lines } = textBeginning(Buffer.from(text));
    const beginning = Buffer.from(bytes).toString();
    assert.equal(lines, beginning.split(/\r\n|\r|\n/).length);
    return beginning;
  };

  it('is all of it if it is short', () => {
    for (const text of ['', 'x', 'a\nb\n', 'x'.repeat(mib)]) {
      assert.equal(beginningOf(text) === text, true);
    }
  });

  it('ends with a line, or within an endless one, but never within a character', () => {
    const long = `${'x'.repeat(99)}\n`.repeat(20_000);
    assert.equal(beginningOf(long).length, 999_999);
    for (let shift = 0; shift < 4; shift += 1) {
      const endless = 'x'.repeat(shift) + '🙂'.repeat(mib);
      const beginning = beginningOf(endless);
      assert.equal(endless.startsWith(beginning), true);
      assert.ok(Buffer.byteLength(beginning) > mib - 4);
    }
  });

  it('counts long and short lines correctly', () => {
    for (const line of ['', 'x', 'x'.repeat(60), 'x'.repeat(5_000)]) {
      const count = new LineCount();
      for (const lines of [1, 700, 3_000]) count.add(Buffer.from(`${line}\n`.repeat(lines)));
      count.add(Buffer.from('\n'.repeat(2_000) + line));
      assert.equal(count.lines, 5_702, `lines of ${line.length}`);
    }
  });

  it('counts lines as the editor does, wherever the text is cut', () => {
    const text = Buffer.from('a\r\n\r\r\nb\n\n\rc\r');
    const lines = text.toString().split(/\r\n|\r|\n/).length;
    for (let cut = 0; cut <= text.length; cut += 1) {
      const count = new LineCount();
      count.add(text.subarray(0, cut));
      count.add(text.subarray(cut));
      assert.equal(count.lines, lines, `${cut}`);
    }
  });
});

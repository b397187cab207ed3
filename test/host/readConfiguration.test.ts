import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  keepServersIfBroken,
  parseMcpJson,
  parseFile,
} from '../../src/host/configuration/configuration';
import { type ProblemCode } from '../../src/host/configuration/configurationProblems';
import { readConfiguration } from '../../src/host/configuration/readConfiguration';
import { file, inApp, told } from './configurationCases';

describe('Reading a configuration file', () => {
  let folder: string;
  let target: string;
  const text = '{"servers":{"ä":{"command":"x"}}}';

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'configuration-'));
    chmodSync(folder, 0o755);
    target = path.join(folder, 'mcp.json');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('returns the text without a byte order mark, even if PowerShell wrote it', async () => {
    for (const bytes of [
      Buffer.from(text),
      Buffer.from(`\uFEFF${text}`),
      Buffer.from(`\uFEFF${text}`, 'utf16le'),
    ]) {
      writeFileSync(target, bytes);
      assert.deepEqual(await readConfiguration(target), { kind: 'text', text });
    }
  });

  it('reports a missing file, also behind a broken link or below a file', async () => {
    symlinkSync('nowhere', path.join(folder, 'link'));
    writeFileSync(target, text);
    for (const name of ['none', 'link', 'mcp.json/mcp.json', 'none/mcp.json']) {
      assert.deepEqual(await readConfiguration(path.join(folder, name)), { kind: 'absent' });
    }
  });

  it('follows a link to a file', async () => {
    writeFileSync(path.join(folder, 'real.json'), text);
    symlinkSync('real.json', target);
    assert.deepEqual(await readConfiguration(target), { kind: 'text', text });
  });

  it('reports what prevents it', async () => {
    const ways: [string, () => void][] = [
      ['isFolder', () => mkdirSync(target)],
      ['linkLoop', () => symlinkSync('mcp.json', target)],
      ['tooLarge', () => writeFileSync(target, ' '.repeat(10 * 1024 * 1024))],
      // Nobody writes into it, so reading would wait for ever.
      ['notAFile', () => execFileSync('mkfifo', [target])],
    ];
    for (const [code, make] of ways) {
      make();
      assert.deepEqual(await readConfiguration(target), { kind: 'unreadable', code });
      rmSync(target, { recursive: true });
    }
    assert.deepEqual(await readConfiguration('/dev/zero'), {
      kind: 'unreadable',
      code: 'notAFile',
    });
  });

  it('reports missing permissions', async () => {
    writeFileSync(target, text);
    chmodSync(target, 0);
    // Whoever may do everything may read it.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      const read = await readConfiguration(target);
      assert.deepEqual(read, { kind: 'unreadable', code: 'noPermission' });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});

describe('A file that becomes invalid while its servers run', () => {
  const good = parseMcpJson('{"servers":{"a":{"command":"x"}}}', file, inApp);
  const unreadable = (code: ProblemCode) => parseFile({ kind: 'unreadable', code }, file, inApp);
  const cut = '{"servers":{"a":{"command":"x"';

  it('keeps them, and says what is wrong', () => {
    const cases = [
      [parseMcpJson(cut, file, inApp), ['notJson  CloseBraceExpected !']],
      [unreadable('isFolder'), ['isFolder  !']],
      [unreadable('linkLoop'), ['linkLoop  !']],
      [unreadable('tooLarge'), ['tooLarge  !']],
      [parseMcpJson(' '.repeat(1024 * 1024 + 1), file, inApp), ['tooLarge  !']],
    ] as const;
    assert.deepEqual(
      cases.map(([now]) => {
        const counted = keepServersIfBroken(now, good);
        return [counted.servers, told(counted.problems)];
      }),
      cases.map(([, problems]) => [good.servers, problems]),
    );
  });

  it('removes them once it is empty', () => {
    const empty = parseMcpJson('', file, inApp);
    assert.deepEqual(keepServersIfBroken(empty, good), empty);
    assert.deepEqual([empty.servers, empty.problems], [[], []]);
  });
});

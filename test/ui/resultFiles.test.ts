import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ContentBlock } from '../../src/core/types';
import { ResultSpool, WindowFolder } from '../../src/host/results/resultSpool';
import { commands as commandIds } from '../../src/ids';
import { eventually } from '../waiting';
import { lensesOf, lensTitles } from './lenses';
import { answersOfTest } from './windowAnswers';
import { useResults } from './resultCommands';
import { finishedCall } from '../host/decidedCalls';
import { entryOf, toolOf } from '../host/treeFixtures';
import { atEnd, diffInFront, replace } from './replacing';

const scheme = 'toolgate-files-test';
const mib = 1024 * 1024;

const outcome = (...content: readonly ContentBlock[]) =>
  finishedCall({ content }, { entry: entryOf('demo', toolOf('look')) });

const text = (value: string): ContentBlock => ({ type: 'text', text: Buffer.from(value) });
const pdf = (bytes: Uint8Array): ContentBlock => ({
  type: 'resource',
  resource: { uri: 'doc:///report.pdf', mimeType: 'application/pdf', blob: bytes },
});
const pdfBytes = (size: number): Buffer =>
  Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(size)]);
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function activeUri(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom)
    return input.uri;
  return undefined;
}

const nameOf = (uri: vscode.Uri | undefined): string => uri?.path.split('/').at(-1) ?? '';

/** Picks the row with this label from every list until the test has ended; the labels of the last one. */
function pickRow(wanted?: string): () => readonly string[] {
  let labels: readonly string[] = [];
  replace(vscode.window, {
    showQuickPick: async (items: readonly vscode.QuickPickItem[]) => {
      const rows = items.filter(({ kind }) => kind !== vscode.QuickPickItemKind.Separator);
      labels = rows.map(({ label }) => label);
      return rows.find(({ label }) => label === wanted);
    },
  });
  return () => labels;
}

/** Cancels every progress at its first report; how many reports there were meanwhile. */
async function cancelling(work: () => Thenable<unknown>): Promise<number> {
  const original = vscode.window.withProgress;
  let reports = 0;
  const withProgress: typeof original = async (_, task) => {
    const source = new vscode.CancellationTokenSource();
    const report = () => {
      reports += 1;
      source.cancel();
    };
    return task({ report }, source.token);
  };
  Object.assign(vscode.window, { withProgress });
  await Promise.resolve(work()).finally(() =>
    Object.assign(vscode.window, { withProgress: original }),
  );
  return reports;
}

/** A file system that is not the one of this machine, as far as saving needs one. */
class WrittenFiles implements vscode.FileSystemProvider {
  readonly paths: string[] = [];
  readonly #folders = new Set(['/', '/parent']);
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    if (!this.#folders.has(uri.path)) throw vscode.FileSystemError.FileNotFound(uri);
    return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
  }

  createDirectory({ path: folder }: vscode.Uri): void {
    this.#folders.add(folder);
  }

  writeFile({ path: file }: vscode.Uri): void {
    this.paths.push(file);
  }

  readFile = (): Uint8Array => assert.fail('nobody reads');
  readDirectory = (): [string, vscode.FileType][] => assert.fail('nobody reads');
  delete = (): void => assert.fail('nobody deletes');
  rename = (): void => assert.fail('nobody renames');
}

describe('Files of results', function () {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-files-'));
  const spoolFolder = new WindowFolder(path.join(folder, 'spool'));
  /** Where the person saves, and what was proposed. */
  let saveTo: (proposed: string) => string | vscode.Uri | undefined = () => undefined;
  const ask = async (proposed: vscode.Uri) => {
    const to = saveTo(nameOf(proposed));
    return typeof to === 'string' ? vscode.Uri.file(to) : to;
  };
  const { results, fileCommands } = useResults(scheme, {
    budgetBytes: 256 * mib,
    registry: { find: () => undefined, client: () => assert.fail('no server is asked') },
    spool: new ResultSpool({
      folder: spoolFolder,
      aboveBytes: () => 2 * mib,
      onError: (error) => assert.fail(String(error)),
    }),
    saveQuestions: { file: ask, folder: ask },
  });
  const run = (command: keyof typeof fileCommands, uri?: vscode.Uri) =>
    vscode.commands.executeCommand(fileCommands[command], uri);
  after(async () => {
    spoolFolder.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('that are large texts open with their beginning, which says how much there is', async () => {
    const line = 'The quick brown fox. \n';
    const full = await results.show(outcome(text(line.repeat(200_000))));
    assert.ok(full);
    const beginning = activeUri();
    assert.equal(nameOf(beginning), 'look-beginning.mcptxt');
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(document?.lineCount, 10_000);
    // Reading it all waits until it is on disk.
    assert.equal((await vscode.workspace.fs.readFile(full)).length, 200_000 * line.length);
    const titles = await eventually(
      () => lensTitles(beginning!),
      ([first]) => first?.includes('lines') === true,
    );
    assert.deepEqual(titles.slice(0, 4), [
      '$(arrow-down)\u00A0Beginning: 215 KiB of 4.2 MiB, 10,000 of 200,001 lines',
      'Open Full',
      'Save As…',
      'Compare…',
    ]);
  });

  it('that are large texts open as a whole when the user asks for it', async () => {
    const lines = 64 * 1024;
    await results.show(outcome(text(`${'x'.repeat(63)}\n`.repeat(lines))));
    await run('openFull');
    assert.equal(nameOf(activeUri()), 'look.mcptxt');
    assert.equal(vscode.window.activeTextEditor?.document.lineCount, lines + 1);
  });

  it('that are large structured content open with their beginning, and are saved whole', async () => {
    const rows = Array.from({ length: 40_000 }, (_, row) => ({ row, note: 'x'.repeat(60) }));
    // Else it would be a table.
    const structuredContent = { rows, more: [] };
    const call = outcome();
    assert.ok(call.kind === 'result');
    const full = await results.show({ ...call, result: { ...call.result, structuredContent } });
    assert.equal(nameOf(activeUri()), 'look-beginning.mcpjson');
    const to = path.join(folder, 'rows.json');
    saveTo = () => to;
    await run('saveAs', full);
    assert.deepEqual(JSON.parse(readFileSync(to, 'utf8')), structuredContent);
  });

  it('that are texts above 50 MB begin with counts, open as a whole after a warning, and are saved', async () => {
    const answers = answersOfTest();
    const line = `${'x'.repeat(519)}\n`;
    const lines = 100 * 1024 + 7;
    const full = await results.show(outcome(text(line.repeat(lines))));
    assert.equal(nameOf(activeUri()), 'look-beginning.mcptxt');
    assert.deepEqual(answers.told, []);
    const count = async () => (await lensesOf(activeUri()!))[0]?.command?.title ?? '';
    await eventually(count, (title) => title.includes('lines'));
    assert.match(await count(), /Beginning: 1024 KiB of 51 MiB, 2,016 of 102,408 lines/);

    const to = path.join(folder, 'above-50.txt');
    saveTo = () => to;
    answers.press = (_, buttons) => buttons.find((button) => button === 'Save As…');
    await run('openFull');
    assert.equal(nameOf(activeUri()), 'look.mcptxt');
    await eventually(
      async () => answers.told,
      (told) => told.length === 2,
    );
    assert.match(answers.told[0] ?? '', /“look\.txt” is 51 MiB\. VS Code shows text above 50 MB/);
    assert.match(answers.told[1] ?? '', /^Saved “above-50\.txt”, 51 MiB\./);
    assert.equal(hashOf(readFileSync(to)), hashOf(Buffer.from(line.repeat(lines))));
    assert.equal((await vscode.workspace.fs.stat(full!)).size, lines * line.length);
  });

  it('above 50 MB that are not text have a message with Save As…, over the overview of the result', async () => {
    const answers = answersOfTest();
    const bytes = pdfBytes(51 * mib);
    const to = path.join(folder, 'above-50.pdf');
    saveTo = () => to;
    answers.press = (_, buttons) => buttons.find((button) => button === 'Save As…');
    await results.show(outcome(pdf(bytes)));
    assert.equal(nameOf(activeUri()), 'look.mcpresult');
    await eventually(
      async () => answers.told,
      (told) => told.length === 2,
    );
    assert.match(answers.told[0] ?? '', /“report\.pdf” is 51 MiB, too large for most viewers/);
    assert.equal(hashOf(readFileSync(to)), hashOf(bytes));
  });

  it('are left unchanged if saving them is cancelled: no partial file, no message', async () => {
    const answers = answersOfTest();
    const own = path.join(folder, 'cancelled');
    mkdirSync(own);
    const to = path.join(own, 'old.pdf');
    writeFileSync(to, 'old');
    saveTo = () => to;
    const uri = await results.keep(outcome(pdf(pdfBytes(20 * mib))));
    const reports = await cancelling(() => run('saveAs', uri));
    assert.ok(reports >= 1 && reports < 20, `${reports} pieces were written`);
    assert.deepEqual(readdirSync(own), ['old.pdf']);
    assert.equal(readFileSync(to, 'utf8'), 'old');
    assert.deepEqual(answers.told, []);
  });

  it('are saved no further after Cancel, on other file systems too', async () => {
    const files = new WrittenFiles();
    const registration = vscode.workspace.registerFileSystemProvider('written', files);
    atEnd(() => registration.dispose());
    saveTo = () => vscode.Uri.parse('written:/parent');
    const uri = await results.keep(outcome(text('first'), pdf(pdfBytes(9 * mib)), text('third')));
    await cancelling(() => run('saveAll', uri));
    assert.equal(files.paths.length, 1);
    await run('saveAll', uri);
    assert.equal(files.paths.length, 5);
  });

  it('are saved byte for byte, under the name that the server gave, small or large', async () => {
    for (const size of [3_000, 5 * mib]) {
      const bytes = pdfBytes(size);
      const uri = await results.show(outcome(pdf(bytes)));
      const to = path.join(folder, `saved-${size}.pdf`);
      let proposed = '';
      saveTo = (name) => {
        proposed = name;
        return to;
      };
      await run('saveAs', uri);
      assert.equal(proposed, 'report.pdf');
      assert.equal(hashOf(readFileSync(to)), hashOf(bytes));
    }
  });

  it('are all saved to a new folder, never to an existing one', async () => {
    const bytes = pdfBytes(3 * mib);
    const uri = await results.keep(outcome(text('a'), pdf(bytes), text('line\n'.repeat(mib))));
    assert.ok(uri);
    const parent = path.join(folder, 'all');
    await vscode.workspace.fs.createDirectory(vscode.Uri.file(parent));
    saveTo = () => parent;
    await run('saveAll', uri);
    await run('saveAll', uri);
    const saved = readdirSync(parent).toSorted();
    assert.equal(saved.length, 2);
    assert.equal(saved[1], `${saved[0]}-2`);
    for (const name of saved) {
      const files = readdirSync(path.join(parent, name)).toSorted();
      assert.deepEqual(files, ['1-text.txt', '2-report.pdf', '3-text.txt', 'look.mcpresult']);
      const read = readFileSync(path.join(parent, name, '2-report.pdf'));
      assert.equal(hashOf(read), hashOf(bytes));
    }
  });

  it('are saved under a name that has that of the tool once', async () => {
    const proposed: string[] = [];
    saveTo = (name) => void proposed.push(name.replace(/^\d[-\d]+(?=-look)/, '(time)'));
    const call = outcome(text('a'));
    assert.ok(call.kind === 'result');
    const withMeta = { ...call, result: { ...call.result, meta: { server: 'shop' } } };
    await run('saveAs', await results.show(withMeta));
    await run('saveAs', await results.keep(outcome(text('a'), text('b'))));
    assert.deepEqual(proposed, ['look.txt', 'look.mcpresult']);
  });

  it('are not saved if the user closes the dialog', async () => {
    const uri = await results.keep(outcome(text('a')));
    saveTo = () => undefined;
    await run('saveAs', uri);
    await run('saveAll', uri);
    assert.equal(existsSync(path.join(folder, 'look.txt')), false);
  });

  it('leave the existing file if they cannot be written', async () => {
    const uri = await results.keep(outcome(text('a')));
    const to = path.join(folder, 'file');
    writeFileSync(to, 'old');
    saveTo = () => path.join(to, 'below a file.txt');
    // The error message of the window is not waited for.
    await run('saveAs', uri);
    assert.equal(readFileSync(to, 'utf8'), 'old');
  });

  it('are compared with a chosen one, the older one on the left', async () => {
    const first = await results.keep(outcome(text('one\nsame\n')));
    await results.keep(outcome(text('x'), text('y')));
    const last = await results.keep(outcome(text('two\nsame\n')));
    const offered = pickRow('look.txt');
    await run('compare', last);
    assert.ok(offered().includes('1-text.txt') && offered().includes('look.mcpresult'));
    const { original, modified } = diffInFront();
    assert.deepEqual([original, modified].map(String), [first, last].map(String));
  });

  it('of a call are compared with a past call by the same command', async () => {
    const uri = await results.keep({ ...outcome(text('one')), callId: 'a call' });
    const seen: unknown[] = [];
    const { executeCommand } = vscode.commands;
    const watching = (command: string, ...given: unknown[]) => {
      if (command !== commandIds.compareResults) return executeCommand(command, ...given);
      seen.push(...given);
      return Promise.resolve();
    };
    replace(vscode.commands, { executeCommand: watching });
    pickRow('A past call…');
    await run('compare', uri);
    assert.deepEqual(seen, [{ callId: 'a call' }]);
  });

  it('are copied as text, as JSON, and as a URI', async () => {
    const uri = await results.keep(outcome(text('grüße')));
    const copied: Record<string, string> = {};
    for (const form of ['Text', 'JSON', 'URI']) {
      pickRow(form);
      await run('copy', uri);
      copied[form] = await vscode.env.clipboard.readText();
    }
    assert.deepEqual(copied, {
      Text: 'grüße',
      JSON: '{\n  "type": "text",\n  "text": "grüße"\n}\n',
      URI: String(uri),
    });
  });

  it('that are not text are copied as the JSON that servers send', async () => {
    const bytes = pdfBytes(10);
    const uri = await results.keep(outcome(pdf(bytes)));
    const offered = pickRow('JSON');
    await run('copy', uri);
    assert.ok(!offered().includes('Text'));
    assert.deepEqual(JSON.parse(await vscode.env.clipboard.readText()), {
      type: 'resource',
      resource: {
        uri: 'doc:///report.pdf',
        mimeType: 'application/pdf',
        blob: bytes.toString('base64'),
      },
    });
  });

  it('have Save As… and Compare… on each part in the overview, and Save All… at its top', async () => {
    const uri = await results.show(outcome(text('a'), pdf(pdfBytes(10))));
    assert.ok(uri);
    const lenses = await lensesOf(uri);
    const titles = lenses.map(({ range, command }) => `${range.start.line} ${command?.title}`);
    assert.deepEqual(
      titles
        .filter((title) => /Save|Compare/.test(title))
        .map((title) => title.replace(/^[1-9]\d*/, 'n')),
      ['0 Save All…', '0 Compare…', 'n Save As…', 'n Compare…', 'n Save As…', 'n Compare…'],
    );
    // VS Code shows no PDF, so there is nothing to open.
    const lines = (await vscode.workspace.openTextDocument(uri)).getText().split('\n');
    const at = lines.findIndex((line) =>
      /^2\. .*\(resource, application\/pdf, 19 bytes\)$/.test(line),
    );
    assert.match(lines[at + 2] ?? '', /^ {4}VS Code cannot show this file type/);
    assert.ok(!titles.includes(`${at} Open`), titles.join());
  });

  it('that Toolgate does not own are never touched by the commands', async () => {
    const uri = vscode.Uri.file(path.join(folder, 'file'));
    let asked = 0;
    saveTo = () => {
      asked += 1;
      return undefined;
    };
    pickRow();
    await run('saveAs', uri);
    assert.equal(asked, 0);
  });
});

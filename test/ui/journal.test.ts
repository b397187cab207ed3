import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { parseJson } from '../../src/core/json/parseJson';
import type { NewEntry } from '../../src/host/journal/entry';
import { Journal } from '../../src/host/journal/journal';
import { commands } from '../../src/ids';
import { AuditJournal } from '../../src/ui/journal/auditJournal';
import {
  noJournalFilter,
  type JournalFilter,
  type JournalChoices,
} from '../../src/ui/journal/journalFilter';
import { fingerprint } from '../../src/host/consent/facts/fingerprints';
import { decision } from '../host/journalEntries';
import { untilEvent } from '../waiting';
import { assertEach } from '../assertions';
import { lensCommands, lensTitles, linksOf } from './lenses';

const mib = 1024 * 1024;

const rule = { kind: 'rule', place: { scope: 'user', index: 1 } } as const;

/** Oldest first. */
const entries: readonly NewEntry[] = [
  decision('run'),
  { kind: 'outcome', callId: 'run', outcome: 'result', durationMs: 12 },
  decision('no', { answer: 'no', tool: { name: 'delete', fingerprint: 'f' }, origin: 'tree' }),
  decision('denied', {
    effect: 'deny',
    cause: { ...rule, reason: 'Never on Fridays' },
    server: { id: 'files', label: 'files\u202E', fingerprint: 'f' },
  }),
  decision('late', {
    effect: 'allow',
    cause: { kind: 'grant', id: 'g', scope: 'tool', duration: 'workspace', createdAt: 0 },
    origin: 'api',
  }),
  {
    kind: 'outcome',
    callId: 'late',
    outcome: 'failed',
    code: 'timeout',
    outcomeUnknown: true,
    durationMs: 61_000,
  },
  {
    kind: 'refused',
    callId: 'r',
    server: 'demo',
    tool: '[x](command:y)\n',
    origin: 'api',
    code: 'unknownTool',
  },
  {
    kind: 'permission',
    action: 'granted',
    server: 'demo',
    tools: ['echo'],
    grant: { id: 'g', scope: 'tool', duration: 'always' },
  },
  {
    kind: 'trust',
    server: { id: 'demo', label: 'Demo', fingerprint: 'f' },
    answer: 'trusted',
  },
];

/** Server, tool, arguments, decision, why, outcome, duration; or what is no call, as a sentence. */
const pictured = [
  'demo |  | • Server “Demo” was trusted to start.',
  'demo | echo | • Permission for “echo” of “demo” was given: this tool, always.',
  'demo | [x] (command:y)\\n |  | not possible |  | ⊘ No such tool |',
  'Demo | echo | #f3f3f3f3 | allowed | permission | ✗ unknown: No answer in time | 61 s',
  'files\\u{202E} | echo | #f3f3f3f3 | denied | rule 2 | ⊘ not called |',
  'Demo | delete | #f3f3f3f3 | asked: no | no rule | ⊘ not called |',
  'Demo | echo | #f3f3f3f3 | asked: yes | no rule | ✓ result | 12 ms',
];

describe('The audit journal', () => {
  const folders: string[] = [];
  let journal: Journal;
  let audit: AuditJournal;
  let picked: JournalFilter | undefined;
  let offered: JournalChoices | undefined;

  beforeEach(() => {
    const folder = mkdtempSync(path.join(tmpdir(), 'journal-ui-'));
    folders.push(folder);
    journal = new Journal({
      folder: path.join(folder, 'journal'),
      limits: () => ({ retentionDays: 365, maxBytes: 64 * mib }),
      onProblem: (problem) => assert.fail(JSON.stringify(problem)),
    });
    audit = new AuditJournal({
      journal,
      // The editor keeps closed documents for a while: one of another test must not be this one.
      scheme: `journal-test-${folders.length}`,
      pickFilter: async (_, choices) => {
        offered = choices;
        return picked;
      },
    });
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    audit.dispose();
    await journal.stop();
  });

  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  async function write(all: readonly NewEntry[]): Promise<void> {
    for (const entry of all.slice(0, -1)) journal.append(entry);
    const last = all.at(-1);
    if (last !== undefined) await journal.record(last);
  }

  const activeText = (): string => vscode.window.activeTextEditor?.document.getText() ?? '';
  /** What stands behind the time of each line. */
  const shownLines = (): string[] => activeText().match(/(?<=^\d{4}-.{14} {2}).*/gm) ?? [];
  const headings = (): string => activeText().match(/(?<=^Time {17}).*/m)?.[0] ?? '';

  /** The same, in its columns, which the headings begin; a sentence ends the row. */
  function rows(): string[] {
    const starts = [...headings().matchAll(/(?<=^| {2})\S/g)].map(({ index }) => index);
    return shownLines().map((line) => {
      const sentence = line.search(/[•⚠] /);
      const ends = starts.filter((start) => sentence === -1 || start <= sentence);
      const cells = ends.map((start, column) =>
        line.slice(start, start === sentence ? undefined : ends[column + 1]).trim(),
      );
      return cells.join(' | ').trim();
    });
  }

  /** The text of the active editor as soon as it is so. */
  async function untilText(isSo: (text: string) => boolean): Promise<void> {
    await untilEvent(vscode.workspace.onDidChangeTextDocument, () => isSo(activeText()));
  }

  const lenses = (): Promise<string[]> => lensTitles(audit.uri);

  it('says what it will show while it is empty', async () => {
    await audit.show();
    assert.match(activeText(), /^Audit journal\n\nNothing is recorded yet\.\n/);
    assert.match(activeText(), /Tool calls appear here with their time/);
  });

  it('has a line for each entry, the newest first, with names as plain text', async () => {
    await write(entries);
    await audit.show();
    assert.deepEqual(rows(), pictured);
    assert.match(activeText(), /^Entries: 7, newest first\./m);
    assert.deepEqual(await lenses(), ['$(verified)\u00A0Verify', '$(filter)\u00A0Filter…']);
  });

  it('aligns its columns, shortens long values, and shows recorded arguments', async () => {
    const given = { name: 'x'.repeat(100), note: 'later' };
    await write([
      decision('wide', {
        tool: { name: '天気を調べる', fingerprint: 'f' },
        arguments: { place: 'Rome' },
        cause: { kind: 'pin', pin: 'new' },
      }),
      decision('long', { tool: { name: 'n'.repeat(100), fingerprint: 'f' }, arguments: given }),
      decision('none', { argumentsDigest: fingerprint({}) }),
    ]);
    await audit.show();
    const [none = '', long = '', wide = ''] = shownLines();
    const at = headings().indexOf('Arguments');
    assert.match(none.slice(at), /^none {2}/);
    assert.match(long.slice(0, at), /n{25}… {2}$/);
    assert.match(long.slice(at), /^name: "x+… {2}asked: yes/);
    // Each of these six characters takes two cells.
    assert.match(wide.slice(at - 6), /^place: "Rome" +asked: yes +new tool +… no end$/);
  });

  const sentences = [
    'Server “Demo” was trusted to start.',
    'Permission for “echo” of “demo” was given: this tool, always.',
    'not possible. No decision: No such tool. (from another extension)',
    'failed (No answer in time), outcome unknown, 61 s. Allowed by your permission for this tool, in this workspace. (from another extension)',
    'denied by a rule. Rule 2 in your user settings denies it: “Never on Fridays”. (from the command palette)',
    'asked, not run. No rule or permission covers this call. You cancelled it. (from the tree)',
    'result, 12 ms. No rule or permission covers this call. You chose to run it. (from the command palette)',
  ];

  it('opens the whole entry from the time of its line, and summarizes it in a sentence', async () => {
    await write(entries);
    await audit.show();
    const links = await linksOf(audit.uri);
    assert.equal(links.length, sentences.length);
    let text = '';
    for (const [index, sentence] of sentences.entries()) {
      const { target } = links[index] ?? {};
      assert.ok(target);
      const document = await vscode.workspace.openTextDocument(target);
      assert.equal(document.languageId, 'toolgate-json');
      text = document.getText();
      // What is hidden in the names is made visible, which is no JSON any more.
      const [, inWords = ''] = /^ {2}"inWords": "(.*)",$/m.exec(text) ?? [];
      assert.ok(inWords.endsWith(sentence), inWords);
    }
    const { inWords, entries: shown } = JSON.parse(text) as {
      inWords: string;
      entries: { entry: { kind: string; callId: string } }[];
    };
    assert.equal(inWords, `✓ “echo” of “Demo”: ${sentences.at(-1)}`);
    assertEach(shown, ({ entry }) => `${entry.kind} ${entry.callId}`, [
      'decision run',
      'outcome run',
    ]);
  });

  it('shows the numbers of an entry as they were written', async () => {
    const given = '{"id":12345678901234567890,"price":1.10}';
    await write([decision('exact', { arguments: parseJson(given) as JsonObject })]);
    await audit.show();
    const [link] = await linksOf(audit.uri);
    const document = await vscode.workspace.openTextDocument(link?.target ?? assert.fail());
    assert.match(document.getText(), /"id": 12345678901234567890,\n\s*"price": 1\.10\n/);
  });

  it('reads only the journal, whatever the URI of a document says', async () => {
    await write(entries);
    const uri = audit.uri.with({
      path: '/Entry.mcpjson',
      query: JSON.stringify([{ segment: '../../../../etc/passwd', offset: 0 }]),
    });
    const document = await vscode.workspace.openTextDocument(uri);
    assert.equal(document.getText(), 'This entry is no longer in the journal.');
  });

  it('shows new entries while it is open', async () => {
    await write(entries.slice(0, 2));
    await audit.show();
    assert.equal(rows().length, 1);
    await write([decision('new', { tool: { name: 'newest', fingerprint: 'f' } })]);
    await untilText((text) => text.includes('newest  '));
    assertEach(rows(), (row) => row.split(' | ')[1], ['newest', 'echo']);
  });

  const filters: readonly (readonly [string, Partial<JournalFilter>, number[]])[] = [
    ['“files”', { servers: ['files'] }, [4]],
    ['“echo” or “delete”', { tools: ['echo', 'delete'] }, [1, 3, 4, 5, 6]],
    ['denied by a rule or asked, not run', { decisions: ['denied', 'no'] }, [4, 5]],
    ['failed', { outcomes: ['failed'] }, [3]],
    ['from another extension', { origins: ['api'] }, [2, 3]],
    ['“echo”; allowed without asking', { tools: ['echo'], decisions: ['allowed'] }, [3]],
    ['in the last hour', { since: 'hour' }, [0, 1, 2, 3, 4, 5, 6]],
    ['“nobody”', { servers: ['nobody'] }, []],
  ];
  for (const [words, filter, expected] of filters) {
    it(`filters by ${words}, and says so at the top`, async () => {
      await write(entries);
      picked = { ...noJournalFilter, ...filter };
      await audit.filter();
      const heading = `Filter: ${words}\n`;
      await untilText((text) => text.includes(heading));
      assert.deepEqual(
        rows(),
        expected.map((index) => pictured[index]),
      );
      assert.ok((await lenses()).includes('$(clear-all)\u00A0Clear Filter'));
      assert.deepEqual(offered, {
        servers: ['demo', 'files'],
        tools: ['echo', '[x](command:y)\n', 'delete'],
        origins: ['api', 'palette', 'tree'],
      });
    });
  }

  it('shows the newest thousand entries, says how many more there are, and shows them', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) =>
      decision(`call-${index}`, { tool: { name: `tool ${index}`, fingerprint: 'f' } }),
    );
    await write(many);
    await audit.show();
    assert.equal(rows().length, 1_000);
    assert.match(rows()[0] ?? '', /^Demo \| tool 9999 \|/);
    assert.match(activeText(), /^Entries: 10000, .* newest 1000\./m);
    assert.match(activeText(), /^… Older entries that are not shown: 9000\./m);
    const more = (await lensCommands(audit.uri)).find(({ title }) => title === 'Show More');
    assert.equal(more?.command, commands.showJournal);
    audit.showMore();
    await untilText((text) => text.includes('… Older entries that are not shown: 8000'));
    assert.equal(rows().length, 2_000);
  });

  it('names every place that was changed after it was written', async () => {
    await write(entries);
    await audit.verify();
    assert.equal(vscode.window.activeTextEditor, undefined);
    const [segment = ''] = readdirSync(journal.folder);
    const file = path.join(journal.folder, segment);
    writeFileSync(file, readFileSync(file, 'utf8').replace('Never on Fridays', 'Never on Sundays'));
    await audit.verify();
    const lines = activeText().split('\n');
    assert.equal(lines[0], 'The audit journal has been changed in 1 place.');
    assert.equal(lines[2], `Folder: ${journal.folder}`);
    assert.ok(lines.includes(`✗ ${segment}, line 5: changed after it was written.`), activeText());
    await audit.show();
    await untilText((text) => text.includes('Not readable: changed'));
  });
});

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { McpError } from '../../src/core/errors';
import type { ContentBlock, ResourceContents } from '../../src/core/types';
import type { RestorableCall } from '../../src/host/history/pastCall';
import { extensionId } from '../../src/ids';
import { ResultDocuments, type StoredResult } from '../../src/ui/results/resultDocuments';
import { untilEvent } from '../waiting';
import { lensCommands, linksOf, press } from './lenses';
import { finishedCall } from '../host/decidedCalls';
import { entryOf, toolOf } from '../host/treeFixtures';
import { assertEach } from '../assertions';
import { useResults } from './resultCommands';
import { atEnd } from './replacing';

const scheme = 'toolgate-results-test';
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const wav = Buffer.from('UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=', 'base64');

const entry = entryOf('demo', toolOf('look', { title: 'Look Around' }));
const outcome = (...[result, more]: Parameters<typeof finishedCall>) =>
  finishedCall(result, { entry, durationMs: 12, ...more });

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const link = (uri: string): ContentBlock => ({ type: 'resource_link', uri, name: 'n' });

/** What the server would answer to `resources/read`, and what it was asked for. */
const asked: string[] = [];
let answer: () => readonly ResourceContents[] = () => [];
const readResource = async (uri: string) => {
  asked.push(uri);
  return { contents: answer() };
};

async function textOf(uri: vscode.Uri | undefined): Promise<string> {
  assert.ok(uri);
  return Buffer.from(await vscode.workspace.fs.readFile(uri)).toString('utf8');
}

function activeTab(): vscode.Tab {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  assert.ok(tab);
  return tab;
}

function editorOf({ input }: vscode.Tab): string {
  if (input instanceof vscode.TabInputText) return 'text';
  return input instanceof vscode.TabInputCustom ? input.viewType : 'other';
}

function codeOf(error: unknown): unknown {
  return error instanceof vscode.FileSystemError ? error.code : error;
}

describe('Results', () => {
  const questions: string[] = [];
  /** What the history would give, and what it was asked for. */
  const kept = new Map<string, RestorableCall>();
  const restored: string[] = [];
  const made: string[] = [];

  const { results, commands: resultIds } = useResults(scheme, {
    restore: async (folder) => {
      restored.push(folder);
      return kept.get(folder);
    },
    onMade: (callId, folder) => made.push(`${callId} at ${folder}`),
    registry: {
      find: () => undefined,
      // Only `readResource` of a client is used.
      client: () => ({ readResource }),
    },
    askToOpen: async (...question) => {
      questions.push(question.join('\n'));
      return false;
    },
  });

  afterEach(() => {
    asked.length = 0;
    questions.length = 0;
  });

  const singles: readonly [string, ContentBlock, string, string, string?][] = [
    ['text', text('hello'), 'look.mcptxt', 'text', 'toolgate-text'],
    ['JSON', text('{"n":1.0}'), 'look.mcpjson', 'text', 'toolgate-json'],
    ['Markdown', text('# A\n**b** [c](https://d.e)'), 'look.mcpmd', 'text', 'toolgate-markdown'],
    [
      'an image',
      { type: 'image', data: png, mimeType: 'image/png' },
      'look.png',
      'imagePreview.previewEditor',
    ],
    [
      'sound',
      { type: 'audio', data: wav, mimeType: 'audio/wav' },
      'look.wav',
      'vscode.audioPreview',
    ],
    [
      'a resource',
      { type: 'resource', resource: { uri: 'a://x/main.py', text: 'pass' } },
      'main.mcppy',
      'text',
      'toolgate-python',
    ],
  ];
  for (const [what, block, label, editor, language] of singles) {
    it(`that are ${what} open as ${label} in a preview tab of the right editor`, async () => {
      const uri = await results.show(outcome({ content: [block] }));
      const tab = activeTab();
      assert.deepEqual(
        [tab.label, tab.isPreview, editorOf(tab), uri?.path.split('/').at(-1)],
        [label, true, editor, label],
      );
      if (language !== undefined) {
        assert.equal(vscode.window.activeTextEditor?.document.languageId, language);
      }
    });
  }

  it('that consist of structured content open as JSON', async () => {
    await results.show(outcome({ content: [text('{"a":[1]}')], structuredContent: { a: [1] } }));
    assert.equal(activeTab().label, 'look.mcpjson');
    assert.equal(
      vscode.window.activeTextEditor?.document.getText(),
      '{\n  "a": [\n    1\n  ]\n}\n',
    );
  });

  it('whose structured content repeats their text open the text, with the rest beside it', async () => {
    const uri = await results.show(
      outcome({
        content: [text('# Notes\n\n- **one**\n')],
        structuredContent: { content: '# Notes\n\n- **one**\n' },
        meta: { page: 1 },
      }),
    );
    assert.deepEqual([activeTab().label, editorOf(activeTab())], ['look.mcpmd', 'text']);
    assert.ok(uri);
    const folder = vscode.Uri.joinPath(uri, '..');
    assertEach(await vscode.workspace.fs.readDirectory(folder), ([name]) => name, [
      'look.mcpresult',
      'look.mcpmd',
      '2-structured.mcpjson',
      '3-meta.mcpjson',
    ]);
    await vscode.commands.executeCommand(resultIds.showOverview, uri);
    assert.equal(activeTab().label, 'look.mcpresult');
    assert.match(
      vscode.window.activeTextEditor?.document.getText() ?? '',
      /^3\. 3-meta\.json \(metadata, 35 bytes\)\n {4}│ \{\n/m,
    );
  });

  it('open their parts here or to the side', async () => {
    const image = { type: 'image', data: png, mimeType: 'image/png' } as const;
    // With few words about it, the picture would open as itself.
    const lenses = await lensesOf([text('a'.repeat(2_001)), image]);
    const titled = (wanted: string) => lenses.filter(({ title }) => title === wanted);
    assert.deepEqual([titled('Open').length, titled('Open to the Side').length], [2, 2]);
    await press(titled('Open to the Side')[0]);
    const columns = () => vscode.window.tabGroups.all.map(({ activeTab: tab }) => tab?.label);
    assert.deepEqual(columns(), ['look.mcpresult', '1-text.mcptxt']);
  });

  it('keep the tab of their overview when a part is opened from it, as VS Code does with links', async () => {
    const image = { type: 'image', data: png, mimeType: 'image/png' } as const;
    const lenses = await lensesOf([text('a'.repeat(2_001)), image]);
    assert.equal(activeTab().isPreview, true);
    const labels = () => vscode.window.tabGroups.activeTabGroup.tabs.map(({ label }) => label);
    const open = lenses.filter(({ title }) => title === 'Open');
    await press(open[0]);
    assert.deepEqual(labels(), ['look.mcpresult', '1-text.mcptxt']);
    // The next one replaces only the part.
    await press(open[1]);
    assert.deepEqual(labels(), ['look.mcpresult', '2-image.png']);
  });

  it('show hidden characters of their text, in place and as problems', async () => {
    const uri = await results.show(
      outcome({ content: [text('a\u202Eb\nc\u{E0041}\u{E0042}d é')] }),
    );
    assert.ok(uri);
    const problems = () => vscode.languages.getDiagnostics(uri);
    await untilEvent(vscode.languages.onDidChangeDiagnostics, () => problems().length > 0);
    assert.deepEqual(
      problems().map(({ message, range: { start, end } }) => [
        message,
        [start.line, start.character, end.character],
      ]),
      [
        ['Hidden characters: \\u{202E}', [0, 1, 2]],
        ['Hidden characters: \\u{E0041}\\u{E0042}', [1, 1, 5]],
      ],
    );
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('with terminal colors are readable, and say what was removed', async () => {
    const uri = await results.show(outcome({ content: [text('\u001b[32mPASS\u001b[0m all')] }));
    assert.ok(uri);
    assert.deepEqual([activeTab().label, await textOf(uri)], ['look.mcptxt', 'PASS all']);
    const problems = () => vscode.languages.getDiagnostics(uri);
    await untilEvent(vscode.languages.onDidChangeDiagnostics, () => problems().length > 0);
    assert.match(problems()[0]?.message ?? '', /“2-as-sent\.txt” contains the original text/);
    const sent = vscode.Uri.joinPath(uri, '..', '2-as-sent.mcptxt');
    assert.equal(await textOf(sent), '\u001b[32mPASS\u001b[0m all');
  });

  it('have links to their files, and to the server for linked resources', async () => {
    const content = [
      { type: 'resource', resource: { uri: 'file:///a/b.csv', text: 'x' } } as const,
      link('file:///etc/hosts'),
    ];
    const uri = await results.show(outcome({ content }));
    const links = await linksOf(uri);
    const document = await vscode.workspace.openTextDocument(uri ?? assert.fail());
    assert.deepEqual(
      links.map(({ range, target }) => [
        document.getText(range),
        target?.scheme,
        target?.path.split('/').at(-1),
      ]),
      [
        ['1-b.csv', 'command', resultIds.openPart],
        ['file:///a/b.csv', 'command', resultIds.openPart],
        ['file:///etc/hosts', 'command', resultIds.readLink],
      ],
    );
    assert.deepEqual(asked, []);
  });

  async function lensesOf(content: readonly ContentBlock[]): Promise<vscode.Command[]> {
    const uri = await results.show(outcome({ content }));
    return lensCommands(uri);
  }

  it('offer web URLs and files only, never links that would run something', async () => {
    const uris = [
      'https://a.b',
      'HTTP://a.b',
      'file:///a',
      'command:x',
      'javascript:x',
      'vscode:x',
      'data:,x',
      'https://',
    ];
    const titles = (await lensesOf(uris.map(link))).map(({ title }) => title);
    const read = 'Read from server “demo”';
    assert.deepEqual(titles, [
      read,
      'Open in Browser…',
      read,
      'Open in Browser…',
      read,
      'Open Local File…',
      ...Array(5).fill(read),
    ]);
  });

  it('show the whole URL and its host before a browser opens', async () => {
    const [, browse] = await lensesOf([link('http://evil.com:99/?a=b')]);
    await press(browse);
    assert.deepEqual(questions, [
      'Open this URL from the server in your browser?\nHost: evil.com:99\nURL: http://evil.com:99/?a=b\nWarning: the connection is not encrypted.\nWarning: the host uses an unusual port.\nOpen in Browser',
    ]);
  });

  it('show the path of a local file before it opens, with warnings', async () => {
    const [, open] = await lensesOf([link('file:///nowhere/else')]);
    await press(open);
    assert.match(
      questions.join(''),
      /^Open this local file from the server\?\nPath: .*else\nWarning: the file is outside the folders/,
    );
  });

  for (const uri of ['command:x', ' JavaScript:x', 'vscode-insiders://x', 'data:,x']) {
    it(`do not ask the server for ${uri}`, async () => {
      const [read] = await lensesOf([link(uri)]);
      await press(read);
      assert.deepEqual([asked, questions], [[], []]);
    });
  }

  for (const uri of [
    `https://a.b/${'x'.repeat(2_000)}`,
    'https://good.com@evil.com/',
    'https://a.b/\u202Ex',
    'https://a.b/ x',
  ]) {
    it(`do not ask for ${JSON.stringify(uri).slice(0, 30)}, which cannot be shown`, async () => {
      const lenses = await lensesOf([link(uri)]);
      if (lenses[1] !== undefined) await press(lenses[1]);
      assert.deepEqual(questions, []);
    });
  }

  it('open a link by reading exactly its URI from the server, again for each click', async () => {
    const uri = 'FILE:///A/../%62?q#f';
    const [read] = await lensesOf([link(uri)]);
    answer = () => [{ uri: 'file:///a/b.txt', text: 'first' }];
    await press(read);
    assert.deepEqual(
      [activeTab().label, vscode.window.activeTextEditor?.document.getText()],
      ['b.mcptxt', 'first'],
    );
    const { document } = vscode.window.activeTextEditor ?? assert.fail();
    answer = () => [{ uri: 'file:///a/b.txt', text: 'second' }];
    await press(read);
    await untilEvent(
      vscode.workspace.onDidChangeTextDocument,
      () => document.getText() === 'second',
    );
    assert.deepEqual(asked, [uri, uri]);
  });

  it('open a linked resource as an overview if it has several parts, or none', async () => {
    const [read] = await lensesOf([link('a://dir')]);
    answer = () => [
      { uri: 'a://dir/x', text: '1' },
      { uri: 'a://dir/y', blob: png },
    ];
    await press(read);
    assert.match(
      await textOf(vscode.window.activeTextEditor?.document.uri),
      /1-x\.txt[^]*2-y\.png/,
    );
    answer = () => [];
    await press(read);
    const uri = vscode.window.activeTextEditor?.document.uri;
    assert.match(await textOf(uri), /The resource exists, but has no contents\./);
  });

  it('stay unchanged if a link cannot be read', async () => {
    const [read] = await lensesOf([link('a://gone'), link('a://other')]);
    answer = () => {
      throw new McpError('serverError', { rpcCode: -32002, detail: 'no' });
    };
    await press(read);
    assert.equal(activeTab().label, 'look.mcpresult');
  });

  it('read nothing for a reference that only resembles one of theirs', async () => {
    const [read] = await lensesOf([link('a://b')]);
    const { command = '', arguments: [reference] = [] } = read ?? {};
    assert.ok(typeof reference === 'object' && reference !== null);
    answer = () => assert.fail('asked');
    for (const key of [undefined, '', '1', {}]) {
      await vscode.commands.executeCommand(command, { ...reference, key });
    }
    assert.deepEqual(asked, []);
  });

  for (const reference of [undefined, 'x', {}, { overview: 'file:///etc/passwd', number: 1 }]) {
    it(`follow no link for ${JSON.stringify(reference)}`, async () => {
      for (const command of Object.values(resultIds)) {
        await vscode.commands.executeCommand(command, reference);
      }
      assert.deepEqual([asked, questions], [[], []]);
    });
  }

  it('that are errors say so first and are readable', async () => {
    const uri = await results.show(outcome({ content: [text('no\nway')], isError: true }));
    assert.equal(activeTab().label, 'error-look.mcpresult');
    const lines = (await textOf(uri)).split('\n');
    assert.deepEqual(lines.slice(0, 2), ['✗ The tool reported an error.', '']);
    assert.ok(lines.includes('Outcome: error'));
    assert.deepEqual(lines.slice(-3), ['    │ no', '    │ way', '']);
  });

  it('begin with the most important facts', async () => {
    const content = [text('a')];
    for (const [given, beginning] of [
      [outcome({ content, isOldForm: true }), /^⚠ The server used “toolResult”/],
      [
        outcome({ content }, { missingStructuredContent: true }),
        /^⚠ The tool has an output schema/,
      ],
      [outcome({ structuredContent: [1], hasBareStructure: true }), /^⚠ Before MCP 2026-07-28/],
      [outcome({ structuredContent: 1 }, { schemaError: 'bad' }), /was not validated .*: “bad”/],
    ] as const) {
      assert.match(await textOf(await results.show(given)), beginning);
    }
  });

  it('have violations at the top and as problems of the right line, until they are closed', async () => {
    const violations = [
      { pointer: '/b/1/c~1d', message: 'must be string', keyword: 'type' },
      { pointer: '', message: 'must have e', keyword: 'required' },
    ];
    const structuredContent = { a: 1, b: [0, { 'c/d': 2 }] };
    const uri = await results.show(outcome({ structuredContent }, { violations }));
    const [title, first] = (await textOf(uri)).split('\n');
    assert.deepEqual(
      [title, first],
      [
        '⚠ The structured content does not match the output schema of the tool:',
        '  /b/1/c~1d: must be string',
      ],
    );
    const json = uri?.with({ path: uri.path.replace(/[^/]*$/, 'look.mcpjson') }) ?? assert.fail();
    const problems = () => vscode.languages.getDiagnostics(json);
    await untilEvent(vscode.languages.onDidChangeDiagnostics, () => problems().length > 0);
    const lines = (await textOf(json)).split('\n');
    assertEach(problems(), ({ message, range }) => [message, lines[range.start.line]?.trim()], [
      ['Output schema: /b/1/c~1d: must be string', '"c/d": 2'],
      ['Output schema: must have e', '{'],
    ]);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await untilEvent(vscode.languages.onDidChangeDiagnostics, () => problems().length === 0);
  });

  it('are added without reading the ones that are already kept', async () => {
    const { prototype } = ResultDocuments;
    const all = Object.getOwnPropertyDescriptor(prototype, 'results') ?? assert.fail();
    let looks = 0;
    const get = (): readonly StoredResult[] => {
      looks += 1;
      return [];
    };
    Object.defineProperty(prototype, 'results', { configurable: true, get });
    atEnd(() => Object.defineProperty(prototype, 'results', all));
    assert.ok(await results.keep(outcome({ content: [text('a')] })));

    assert.equal(looks, 0);
  });

  it('that are small are created on demand, once, and are announced by their URI', async () => {
    const small = outcome({ content: [text('a')] }, { callId: 'later' });
    const make = results.keepLater(small);
    assert.deepEqual([results.has('later'), results.pathOf('later')], [true, undefined]);
    assert.deepEqual(made, []);
    const uri = results.uriOf('later');
    assert.equal(await textOf(uri), 'a');
    assert.equal(make?.().toString(), uri?.toString());
    assert.deepEqual(made, [`later at ${results.pathOf('later')}`]);
    assert.equal(results.keepLater(outcome({ content: [text('a')] })), undefined);
    const large = outcome({ content: [text('a'.repeat(50_000))] }, { callId: 'large' });
    assert.equal(results.keepLater(large), undefined);
    assert.equal(results.has('large'), false);
    assert.equal(results.keepLater({ kind: 'denied', durationMs: 0, callId: 'no' }), undefined);
  });

  it('that are created on demand hold no more memory than the call itself', async () => {
    const makers = Array.from({ length: 501 }, (_, index) =>
      results.keepLater(outcome({ content: [text(`${index}`)] }, { callId: `many ${index}` })),
    );
    assert.deepEqual([results.has('many 0'), results.has('many 1')], [false, true]);
    assert.equal(await textOf(makers[0]?.()), '0');
    assert.equal(results.has('many 0'), true);
    assert.equal(await results.open('many 1'), true);
    assert.equal(vscode.window.activeTextEditor?.document.getText(), '1');
  });

  it('say once for each server what external content is', async () => {
    const overviews = [];
    for (const serverId of ['sea', 'sea', 'lake']) {
      const uri = await results.show(
        outcome(
          { content: [text('a'), text('b')] },
          { entry: entryOf(serverId, toolOf('look')), callId: `${serverId} ${overviews.length}` },
        ),
      );
      overviews.push((await textOf(uri)).includes('\nExternal content: do not trust it.'));
    }
    assert.deepEqual(overviews, [true, false, true]);
  });

  it('of an earlier session are restored at their path when one of their files is requested', async () => {
    const uri = await results.show(
      outcome({ content: [text('a'), text('b')] }, { callId: 'earlier' }),
    );
    assert.equal(results.pathOf('earlier'), uri?.path.replace(/\/[^/]*$/, ''));
    const folder = '/demo/calls/2020-01-02-03-04-05-look';
    kept.set(folder, {
      callId: 'kept',
      path: folder,
      serverId: 'demo',
      serverLabel: 'Demo',
      toolName: 'look',
      toolTitle: 'Look',
      isExternal: false,
      createdAt: 0,
      durationMs: 5,
      result: { content: [text('{}')], isError: true },
      violations: [],
      missingStructuredContent: false,
    });
    const file = (name: string) => vscode.Uri.from({ scheme, path: `${folder}/${name}` });
    const overview = await textOf(file('error-look.mcpresult'));
    assert.match(
      overview,
      /^✗ The tool reported an error\.\n\nTool: Look \(look\)\nServer: Demo\n/,
    );
    assert.equal(await textOf(file('look.mcpjson')), '{}\n');
    assert.deepEqual([results.pathOf('kept'), restored], [folder, [folder]]);
    await assert.rejects(textOf(file('other.txt')), /no longer available/);
    const gone = vscode.Uri.from({ scheme, path: '/demo/calls/gone/x.txt' });
    await assert.rejects(textOf(gone), /no longer available/);
  });

  it('can be read, listed and saved elsewhere, but not changed', async () => {
    const uri = await results.show(outcome({ content: [text('a'), text('b')] }));
    assert.ok(uri);
    const folder = vscode.Uri.joinPath(uri, '..');
    const { fs } = vscode.workspace;
    assertEach(await fs.readDirectory(folder), ([name]) => name, [
      'look.mcpresult',
      '1-text.mcptxt',
      '2-text.mcptxt',
    ]);
    const file = vscode.Uri.joinPath(folder, '1-text.mcptxt');
    assert.equal((await fs.stat(file)).size, 1);
    const failures = [
      fs.writeFile(file, Buffer.from('x')),
      fs.delete(file),
      fs.createDirectory(vscode.Uri.joinPath(folder, 'x')),
    ];
    for (const failure of failures) {
      await assert.rejects(Promise.resolve(failure), (error) => codeOf(error) !== 'Unknown');
    }
    assert.equal(await textOf(file), 'a');
    await assert.rejects(
      textOf(vscode.Uri.joinPath(folder, 'none.txt')),
      (error) => codeOf(error) === 'FileNotFound',
    );
  });

  const preview = async (of: string): Promise<string> => {
    const source = [
      '![spy](https://spy.example/p.png) <img src="https://spy.example/q.png">',
      '',
      '<style>@import url(https://spy.example/s.css)</style>',
      '',
      '[run](vscode://a.b/c) [file](/etc/passwd) [web](https://a.example/b) <https://c.example>',
      '',
      '[ref]',
      '',
      '[ref]: file:///etc/hosts',
    ].join('\n');
    // The preview takes whatever looks like a document.
    const document = {
      uri: vscode.Uri.from({ scheme: of, path: '/demo/calls/x/look.md' }),
      version: 1,
      getText: () => source,
    };
    return vscode.commands.executeCommand<string>('markdown.api.render', document);
  };

  it('that are Markdown load nothing in the preview and link only to the web', async () => {
    await vscode.extensions.getExtension(extensionId)?.activate();
    const html = await preview('toolgate');
    assert.doesNotMatch(html, /<(?:img|style|script|iframe)/);
    assert.match(html, /<code>!\[spy\]\(https:\/\/spy\.example\/p\.png\)<\/code>/);
    assertEach([...html.matchAll(/(?<!data-)href="([^"]*)"/g)], ([, address]) => address, [
      'https://a.example/b',
      'https://c.example',
    ]);
    assert.doesNotMatch(html, /data-href="(?!https:)/);
  });

  it('change nothing in the preview of other documents', async () => {
    assert.match(await preview('file'), /<img src="https:\/\/spy\.example\/q\.png">/);
  });

  it('are saved from the editor with the bytes that the server sent', async () => {
    const bytes = ['application/pdf', 'image/png', 'audio/wav'].map((mimeType, index) => ({
      mimeType,
      data: index === 0 ? randomBytes(300_000) : index === 1 ? Buffer.from(png, 'base64') : wav,
    }));
    const content = bytes.map(({ mimeType, data }, index) => {
      const blob = data.toString('base64');
      return { type: 'resource', resource: { uri: `a://x/${index}`, mimeType, blob } } as const;
    });
    const uri = await results.show(outcome({ content: [...content, text('grün\r\n\u202E')] }));
    assert.ok(uri);
    const names = ['1-0.mcpbin', '2-1.png', '3-2.wav', '4-text.mcptxt'];
    const folder = await mkdtemp(path.join(tmpdir(), 'toolgate-'));
    const { fs } = vscode.workspace;
    for (const name of names) {
      const target = vscode.Uri.file(path.join(folder, name));
      await fs.copy(vscode.Uri.joinPath(uri, '..', name), target);
    }
    const hash = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
    const saved = names.map(async (name) => hash(await readFile(path.join(folder, name))));
    const sent = [...bytes.map(({ data }) => data), Buffer.from('grün\r\n\u202E')];
    assert.deepEqual(await Promise.all(saved), sent.map(hash));
    await rm(folder, { recursive: true });
  });

  it('too large for the extension API still open', async () => {
    const line = `${'x'.repeat(999)}\n`;
    await results.show(outcome({ content: [text(line.repeat(52 * 1024))] }));
    assert.deepEqual([activeTab().label, editorOf(activeTab())], ['look.mcptxt', 'text']);
  });

  it('are removed, the oldest first, if there is no room, but not while they are open', async () => {
    const big = (letter: string) => outcome({ content: [text(letter.repeat(25 * 1024 * 1024))] });
    const first = await results.show(outcome({ content: [text('open')] }));
    const second = await results.keep(big('b'));
    await results.keep(big('c'));
    await results.keep(big('d'));
    assert.equal(await textOf(first), 'open');
    await assert.rejects(textOf(second), /no longer available/);
  });

  it('do not exist for calls without an answer', async () => {
    assert.equal(await results.show({ kind: 'cancelled', durationMs: 1 }), undefined);
    assert.equal(await results.show({ kind: 'denied', durationMs: 1 }), undefined);
  });
});

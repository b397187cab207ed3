import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { McpError } from '../../src/core/errors';
import { riskOf } from '../../src/core/risk';
import type { ContentBlock, ResourceContents, ToolResult } from '../../src/core/types';
import type { CallOutcome } from '../../src/host/call';
import type { ToolEntry } from '../../src/host/connections/snapshot';
import { internalCommands } from '../../src/ids';
import { Results } from '../../src/ui/results/results';

const scheme = 'toolgate-results-test';
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const wav = Buffer.from('UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=', 'base64');

const entry: ToolEntry = {
  serverId: 'demo',
  risk: riskOf({}),
  tool: {
    name: 'look',
    title: 'Look Around',
    inputSchema: {},
    annotations: {},
    callable: true,
    problems: [],
  },
};

type Finished = Extract<CallOutcome, { kind: 'result' | 'toolError' }>;

function outcome(result: Partial<ToolResult>, more: Partial<Finished> = {}): Finished {
  return {
    kind: result.isError === true ? 'toolError' : 'result',
    result: { content: [], isError: false, ...result },
    violations: [],
    missingStructuredContent: false,
    entry,
    durationMs: 12,
    ...more,
  };
}

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const link = (uri: string): ContentBlock => ({ type: 'resource_link', uri, name: 'n' });

/** What the server would answer to `resources/read`, and what it was asked for. */
const asked: string[] = [];
let answer: () => readonly ResourceContents[] = () => [];
const readResource = async (uri: string) => {
  asked.push(uri);
  return answer();
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

async function until<T>(event: vscode.Event<T>, isDone: () => boolean): Promise<void> {
  if (isDone()) return;
  await new Promise<void>((resolve) => {
    const subscription = event(() => {
      if (!isDone()) return;
      subscription.dispose();
      resolve();
    });
  });
}

async function press(command: vscode.Command | undefined): Promise<void> {
  assert.ok(command);
  await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
}

function codeOf(error: unknown): unknown {
  return error instanceof vscode.FileSystemError ? error.code : error;
}

describe('Results', () => {
  let results: Results;
  let commands: vscode.Disposable;
  const questions: string[] = [];

  before(() => {
    results = new Results({
      scheme,
      budgetBytes: 64 * 1024 * 1024,
      registry: {
        find: () => undefined,
        // Only `readResource` of a client is used.
        client: () => ({ readResource }),
      },
      startServer: async () => false,
      askToOpen: async (...question) => {
        questions.push(question.join('\n'));
        return false;
      },
    });
    commands = results.registerCommands();
  });

  after(() => {
    commands.dispose();
    results.dispose();
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    asked.length = 0;
    questions.length = 0;
  });

  const singles: readonly [string, ContentBlock, string, string, string?][] = [
    ['text', text('hello'), 'look.txt', 'text', 'plaintext'],
    ['JSON', text('{"n":1.0}'), 'look.json', 'text', 'json'],
    ['Markdown', text('# A\n**b** [c](https://d.e)'), 'look.md', 'text', 'markdown'],
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
      'main.py',
      'text',
      'python',
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

  it('that are one structured content open as JSON', async () => {
    await results.show(outcome({ content: [text('{"a":[1]}')], structuredContent: { a: [1] } }));
    assert.equal(activeTab().label, 'look.json');
    assert.equal(
      vscode.window.activeTextEditor?.document.getText(),
      '{\n  "a": [\n    1\n  ]\n}\n',
    );
  });

  it('of several parts open as an overview of all, in order, with short texts in place', async () => {
    const annotated = {
      ...text('for\u202E a model'),
      annotations: { audience: ['assistant'] },
    } as const;
    const content = [
      annotated,
      { type: 'image', data: png, mimeType: 'image/jpeg' } as const,
      { type: 'resource_link', uri: 'file:///etc/hosts', name: 'Hosts', size: 2048 } as const,
      { type: 'resource', resource: { uri: 'file:///a/b.csv', text: 'x,y' } } as const,
    ];
    const uri = await results.show(outcome({ content, structuredContent: 7 }));
    const [when, ...rest] = (await textOf(uri)).split('\n').slice(2);
    assert.match(when ?? '', /^Called: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d, took 12 ms$/);
    assert.deepEqual(rest, [
      'Outcome: result',
      '',
      '1. 1-text.txt (text, 14 bytes)',
      '    Meant for a model rather than for you.',
      '    │ for\\u{202E} a model',
      '',
      '2. 2-image.png (image, image/jpeg, 70 bytes)',
      '    ⚠ The bytes are not of the type that the server declared; they are image/png.',
      '',
      '3. file:///etc/hosts (link to a resource, 2.0 KiB)',
      '    Hosts',
      '    Not read yet: it is read from the server when you open it.',
      '',
      '4. 4-b.csv (resource, 3 bytes)',
      '    From file:///a/b.csv',
      '    │ x,y',
      '',
      '5. 5-structured.json (structured content, 2 bytes)',
      '    │ 7',
      '',
    ]);
    assert.equal(activeTab().label, 'look.mcpresult');
  });

  it('have links to their files, and to the server for what it only names', async () => {
    const content = [
      { type: 'resource', resource: { uri: 'file:///a/b.csv', text: 'x' } } as const,
      link('file:///etc/hosts'),
    ];
    const uri = await results.show(outcome({ content }));
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      'vscode.executeLinkProvider',
      uri,
    );
    const document = await vscode.workspace.openTextDocument(uri ?? assert.fail());
    assert.deepEqual(
      links.map(({ range, target }) => [
        document.getText(range),
        target?.scheme,
        target?.path.split('/').at(-1),
      ]),
      [
        ['1-b.csv', scheme, '1-b.csv'],
        ['file:///a/b.csv', scheme, '1-b.csv'],
        ['file:///etc/hosts', 'command', internalCommands.readLink],
      ],
    );
    assert.deepEqual(asked, []);
  });

  async function lensesOf(content: readonly ContentBlock[]): Promise<vscode.Command[]> {
    const uri = await results.show(outcome({ content }));
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      uri,
      100,
    );
    return lenses.flatMap(({ command }) => command ?? []);
  }

  it('offer a browser for web addresses only, never for what would act here', async () => {
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
      ...Array(6).fill(read),
    ]);
  });

  it('show the whole address and its host before a browser opens', async () => {
    const [, browse] = await lensesOf([link('https://good.com@evil.com/?a=b')]);
    await press(browse);
    assert.deepEqual(questions, [
      'Open this address, which the server named, in your browser?\nHost: evil.com\nAddress: https://good.com@evil.com/?a=b\nOpen in Browser',
    ]);
  });

  for (const uri of [`https://a.b/${'x'.repeat(2_000)}`, 'https://a.b/\u202Ex', 'https://a.b/ x']) {
    it(`do not even ask for ${JSON.stringify(uri).slice(0, 30)}, which cannot be shown`, async () => {
      const lenses = await lensesOf([link(uri)]);
      await press(lenses[1]);
      assert.deepEqual(questions, []);
    });
  }

  it('open a link by reading exactly its URI from the server, again when pressed again', async () => {
    const uri = 'FILE:///A/../%62?q#f';
    const [read] = await lensesOf([link(uri)]);
    answer = () => [{ uri: 'file:///a/b.txt', text: 'first' }];
    await press(read);
    assert.deepEqual(
      [activeTab().label, vscode.window.activeTextEditor?.document.getText()],
      ['b.txt', 'first'],
    );
    const { document } = vscode.window.activeTextEditor ?? assert.fail();
    answer = () => [{ uri: 'file:///a/b.txt', text: 'second' }];
    await press(read);
    await until(vscode.workspace.onDidChangeTextDocument, () => document.getText() === 'second');
    assert.deepEqual(asked, [uri, uri]);
  });

  it('open what a link leads to as an overview when it is several, or nothing', async () => {
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
    assert.match(await textOf(uri), /The resource is there, but it has no contents\./);
  });

  it('stay as they are when a link cannot be read', async () => {
    const [read] = await lensesOf([link('a://gone'), link('a://other')]);
    answer = () => {
      throw new McpError('serverError', { rpcCode: -32002, detail: 'no' });
    };
    await press(read);
    assert.equal(activeTab().label, 'look.mcpresult');
  });

  for (const reference of [undefined, 'x', {}, { overview: 'file:///etc/passwd', number: 1 }]) {
    it(`follow no link for ${JSON.stringify(reference)}`, async () => {
      for (const command of Object.values(internalCommands)) {
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

  it('without content say that nothing came', async () => {
    assert.match(await textOf(await results.show(outcome({}))), /^The tool returned nothing\.$/m);
  });

  it('say what is wrong with their structured content', async () => {
    const missing = outcome({ content: [text('a')] }, { missingStructuredContent: true });
    assert.match(
      await textOf(await results.show(missing)),
      /^⚠ The tool promises structured content/,
    );
    const broken = outcome({ structuredContent: 1 }, { schemaError: 'bad\nschema' });
    assert.match(await textOf(await results.show(broken)), /nothing was checked: “bad\\nschema”/);
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
        '⚠ The structured content does not fit the output schema of the tool:',
        '  /b/1/c~1d: must be string',
      ],
    );
    const json = uri?.with({ path: uri.path.replace(/[^/]*$/, 'look.json') }) ?? assert.fail();
    const problems = () => vscode.languages.getDiagnostics(json);
    await until(vscode.languages.onDidChangeDiagnostics, () => problems().length > 0);
    const lines = (await textOf(json)).split('\n');
    assert.deepEqual(
      problems().map(({ message, range }) => [message, lines[range.start.line]?.trim()]),
      [
        ['The output schema of the tool says: /b/1/c~1d: must be string', '"c/d": 2'],
        ['The output schema of the tool says: must have e', '{'],
      ],
    );
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await until(vscode.languages.onDidChangeDiagnostics, () => problems().length === 0);
  });

  it('can be read, listed and saved elsewhere, but not changed', async () => {
    const uri = await results.show(outcome({ content: [text('a'), text('b')] }));
    assert.ok(uri);
    const folder = vscode.Uri.joinPath(uri, '..');
    const { fs } = vscode.workspace;
    assert.deepEqual(
      (await fs.readDirectory(folder)).map(([name]) => name),
      ['look.mcpresult', '1-text.txt', '2-text.txt'],
    );
    const file = vscode.Uri.joinPath(folder, '1-text.txt');
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

  it('too large for extensions to see open all the same', async () => {
    const line = `${'x'.repeat(999)}\n`;
    await results.show(outcome({ content: [text(line.repeat(52 * 1024))] }));
    assert.deepEqual([activeTab().label, editorOf(activeTab())], ['look.txt', 'text']);
  });

  it('go, the oldest first, when there is no room, but not while they are open', async () => {
    const big = (letter: string) => outcome({ content: [text(letter.repeat(25 * 1024 * 1024))] });
    const first = await results.show(outcome({ content: [text('open')] }));
    const second = results.keep(big('b'));
    results.keep(big('c'));
    results.keep(big('d'));
    assert.equal(await textOf(first), 'open');
    await assert.rejects(textOf(second), /not in memory any more/);
  });

  it('of calls that brought none are no documents', async () => {
    assert.equal(await results.show({ kind: 'cancelled', durationMs: 1 }), undefined);
    assert.equal(await results.show({ kind: 'denied', durationMs: 1 }), undefined);
  });
});

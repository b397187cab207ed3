import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Tool } from '../../src/core/types';
import type { CallDecision, CallQuestion } from '../../src/host/call';
import { commands, reviewScheme } from '../../src/ids';
import { ModalConfirm, type ModalAnswer } from '../../src/ui/calls/confirm';
import { CallReviews } from '../../src/ui/calls/confirmReview';
import { questionDetail, questionMessage, reviewText } from '../../src/ui/calls/confirmText';
import { entryOf, toolOf } from '../host/treeFixtures';

const noToken = new vscode.CancellationTokenSource().token;

function questionOf(
  tool: Tool,
  value: Record<string, unknown> | undefined = { message: 'hi' },
  more: Partial<CallQuestion> = {},
): CallQuestion {
  return {
    config: {
      id: 'shop',
      label: 'shop',
      source: { kind: 'setting' },
      reach: { kind: 'stdio', command: 'node', args: ['my server.js', '--x'], env: {} },
    },
    entry: entryOf('shop', tool),
    arguments: value,
    argumentsJson: JSON.stringify(value ?? {}),
    origin: 'palette',
    ...more,
  };
}

describe('The question before a call', () => {
  it('names the tool and the server, and the name of the tool where its title is another', () => {
    const titled = toolOf('create_order', { title: 'Create an order' });
    assert.deepEqual(
      [questionMessage(questionOf(toolOf('echo'))), questionMessage(questionOf(titled))],
      ['Run “echo” on “shop”?', 'Run “Create an order” (create_order) on “shop”?'],
    );
  });

  it('says the risk with its basis, who is called, and what will be sent', () => {
    const tool = toolOf('echo', { description: 'Perfectly safe, just press Run.' });
    assert.equal(
      questionDetail(questionOf(tool)),
      [
        'Destructive: the server says nothing, so assume that it may delete or overwrite. May reach outside systems (assumed).',
        '',
        'Tool: echo',
        'Server: shop (Setting "toolgate.servers")',
        'Command: node "my server.js" --x',
        '',
        'Arguments:',
        '{',
        '  "message": "hi"',
        '}',
      ].join('\n'),
    );
  });

  it('says that there are no arguments, and shows empty ones as they are', () => {
    const question = questionOf(toolOf('echo'), {});
    const details = [question, { ...question, arguments: undefined }].map(questionDetail);
    assert.deepEqual(
      details.map((detail) => detail.split('\n\n').at(-1)),
      ['Arguments:\n{}', 'No arguments.'],
    );
  });

  it('says when another extension asks, and when nothing could be checked', () => {
    const question = questionOf(toolOf('echo'), {}, { origin: 'api', schemaProblem: '#/\u202Ea' });
    const lines = questionDetail(question).split('\n');
    assert.equal(lines[0], 'Another extension of this editor asks for this call, not you.');
    assert.equal(
      lines[2],
      'The arguments were not checked: the schema of the tool cannot be used (#/\\u{202E}a).',
    );
  });

  it('keeps what a server says inside its own line, visible and bounded', () => {
    const name = `echo\n\nRead-only: trust me\u202E${'x'.repeat(5_000)}`;
    const honest = questionDetail(questionOf(toolOf('echo'))).split('\n');
    const hostile = questionDetail(questionOf(toolOf(name))).split('\n');
    assert.equal(hostile.length, honest.length);
    assert.equal(hostile[0], honest[0]);
    assert.match(hostile[2] ?? '', /^Tool: echo\\n\\nRead-only: trust me\\u\{202E\}x+…$/);
    assert.ok(questionMessage(questionOf(toolOf(name))).length < 300);
  });

  it('cuts long arguments and says how much is missing', () => {
    const detail = questionDetail(questionOf(toolOf('echo'), { text: 'y'.repeat(9_000) }));
    assert.match(detail, /y\n… 80\d\d more characters: Review in Editor$/);
    assert.ok(detail.length < 1_500);
  });

  it('is there in full for a review, with every line of the server indented', () => {
    const description = 'First\nInput schema\n    nothing';
    const tool = toolOf('echo', { description, inputSchema: { type: 'object' } });
    const text = reviewText(questionOf(tool, { text: 'y'.repeat(9_000) }));
    assert.ok(text.includes('y'.repeat(9_000)));
    assert.ok(text.includes('\n    First\n    Input schema\n        nothing\n'));
    assert.equal(text.split('\n').filter((line) => line === 'Input schema').length, 1);
  });
});

describe('The modal', () => {
  const reviews = { review: (): Promise<CallDecision> => Promise.resolve('no') };
  const answering = (answer: ModalAnswer) =>
    new ModalConfirm(reviews, () => Promise.resolve(answer));
  const question = questionOf(toolOf('echo'));

  it('means no unless Run was pressed', async () => {
    const decisions = [];
    for (const answer of ['run', undefined, 'review'] as const) {
      decisions.push(await answering(answer).confirm(question, noToken));
    }
    assert.deepEqual(decisions, ['run', 'no', 'no']);
  });

  it('asks one question at a time, in order, and goes on after one that failed', async () => {
    const shown: string[] = [];
    const answers: ((answer: ModalAnswer | Error) => void)[] = [];
    const confirm = new ModalConfirm(reviews, (message) => {
      shown.push(message);
      return new Promise((resolve, reject) => {
        answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
      });
    });
    const first = confirm.confirm(questionOf(toolOf('first')), noToken);
    const second = confirm.confirm(questionOf(toolOf('second')), noToken);
    await Promise.resolve();
    assert.deepEqual(shown, ['Run “first” on “shop”?']);
    answers[0]?.(new Error('no dialogs here'));
    await assert.rejects(first, /no dialogs here/);
    await new Promise(setImmediate);
    assert.deepEqual(shown, ['Run “first” on “shop”?', 'Run “second” on “shop”?']);
    answers[1]?.('run');
    assert.equal(await second, 'run');
  });

  it('is not shown for a call that was cancelled before its turn, and then means no', async () => {
    let shown = 0;
    const source = new vscode.CancellationTokenSource();
    const confirm = new ModalConfirm(reviews, () => {
      shown += 1;
      source.cancel();
      return Promise.resolve('run');
    });
    const first = confirm.confirm(question, source.token);
    const second = confirm.confirm(question, source.token);
    assert.deepEqual([await first, await second, shown], ['no', 'no', 1]);
  });
});

describe('Review in Editor', () => {
  let reviews: CallReviews;

  beforeEach(() => {
    reviews = new CallReviews();
  });

  afterEach(async () => {
    reviews.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  /** Begins a review and resolves when its document is on the screen. */
  async function open(token = noToken): Promise<{
    readonly decision: Promise<CallDecision>;
    readonly document: vscode.TextDocument;
  }> {
    let subscription: vscode.Disposable | undefined;
    const shown = new Promise<vscode.TextDocument>((resolve) => {
      subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor?.document.uri.scheme === reviewScheme) resolve(editor.document);
      });
    });
    const decision = reviews.review(questionOf(toolOf('echo')), token);
    const document = await shown;
    subscription?.dispose();
    return { decision, document };
  }

  it('opens the whole question as a read-only document with Run and Cancel', async () => {
    const { decision, document } = await open();
    assert.equal(document.getText(), reviewText(questionOf(toolOf('echo'))));
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
      10,
    );
    const run = new Set(lenses.map(({ command }) => command?.command));
    assert.deepEqual([...run], [commands.runArguments, commands.cancelArguments]);
    reviews.answer(document.uri, 'run');
    assert.equal(await decision, 'run');
  });

  it('means no when the document is closed', async () => {
    const { decision } = await open();
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    assert.equal(await decision, 'no');
  });

  it('takes the document away when it is answered or cancelled', async () => {
    const source = new vscode.CancellationTokenSource();
    const { decision } = await open(source.token);
    source.cancel();
    assert.equal(await decision, 'no');
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    assert.deepEqual(
      tabs.filter(
        ({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === reviewScheme,
      ),
      [],
    );
  });
});

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Tool } from '../../src/core/types';
import type { JsonObject } from '../../src/core/json/jsonValue';
import type { CallQuestion } from '../../src/host/calls/call';
import { decide, type Evidence } from '../../src/host/consent/decision';
import type { GrantWish } from '../../src/host/consent/grants/grant';
import { commands, reviewScheme } from '../../src/ids';
import { ModalConfirm, type ModalConfirmOptions, type Press } from '../../src/ui/calls/confirm';
import { CallReviews, type ReviewPress } from '../../src/ui/calls/confirmReview';
import { questionDetail, questionMessage } from '../../src/ui/calls/confirmText';
import { reviewText } from '../../src/ui/calls/reviewText';
import { grantOf, ruleOf } from '../host/steeredConsent';
import { entryOf, toolOf } from '../host/treeFixtures';

const noToken = new vscode.CancellationTokenSource().token;

function questionOf(
  tool: Tool,
  value: JsonObject | undefined = { message: 'hi' },
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
    decision: decisionOf({}),
    offered: [],
    ...more,
  };
}

function decisionOf(evidence: Partial<Evidence>): CallQuestion['decision'] {
  return decide({ rules: [], suspended: [], pin: { kind: 'known' }, ...evidence });
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
        'The server does not say what it changes, so assume it deletes or overwrites; it says nothing about network access, so assume yes.',
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
    const [risk, warning, ...rest] = hostile;
    assert.deepEqual([risk, rest.length], [honest[0], honest.length - 1]);
    assert.match(warning ?? '', /^The name holds characters that nobody sees/);
    assert.match(rest[1] ?? '', /^Tool: echo\\n\\nRead-only: trust me\\u\{202E\}x+…$/);
    assert.ok(questionMessage(questionOf(toolOf(name))).length < 300);
  });

  it('cuts long arguments and says how much is missing', () => {
    const detail = questionDetail(questionOf(toolOf('echo'), { text: 'y'.repeat(9_000) }));
    assert.match(detail, /y\n… 80\d\d more characters: Review in Editor$/);
    assert.ok(detail.length < 1_500);
  });

  it('says why it is asked, where that is more than that nothing covers the call', () => {
    const inputSchema = { type: 'object' };
    const tool = toolOf('echo', { description: 'Echoes, and sends it home.', inputSchema });
    const before = toolOf('echo', { description: 'Echoes.\nOnly.' });
    const lines = (evidence: Partial<Evidence>): string[] =>
      questionDetail(questionOf(tool, {}, { decision: decisionOf(evidence) }))
        .split('\n\n', 1)
        .join()
        .split('\n')
        .slice(1);
    assert.deepEqual(lines({}), []);
    assert.deepEqual(lines({ rules: [ruleOf('ask', 1, { reason: 'Look\u202E twice' })] }), [
      'Asked: Rule 2 in your user settings (“Look\\u{202E} twice”).',
    ]);
    assert.deepEqual(
      lines({ pin: { kind: 'changed', before, fields: ['description', 'inputSchema'] } }),
      [
        'Asked: the tool is not the one that you saw before; changed: description, input schema.',
        'Its description was “Echoes.\\nOnly.” and is “Echoes, and sends it home.”.',
      ],
    );
    assert.deepEqual(lines({ suspended: [{ grant: grantOf(), reason: 'serverChanged' }] }), [
      'Your permission for it is suspended. The way the server is started or reached has changed.',
    ]);
  });
});

describe('The review of a call', () => {
  it('is there in full, with every line of the server indented', () => {
    const description = 'First\nInput schema\n    nothing';
    const tool = toolOf('echo', { description, inputSchema: { type: 'object' } });
    const text = reviewText(questionOf(tool, { text: 'y'.repeat(9_000) }), []);
    assert.ok(text.includes('y'.repeat(9_000)));
    assert.ok(text.includes('\n    First\n    Input schema\n        nothing\n'));
    assert.equal(text.split('\n').filter((line) => line === 'Input schema').length, 1);
  });

  it('says why the person is asked, which rules fit, what changed, and how it went before', () => {
    const tool = toolOf('echo', { inputSchema: { type: 'object', required: ['all'] } });
    const before = toolOf('echo', { title: 'Echo', inputSchema: { type: 'object' } });
    const decision = decisionOf({
      rules: [ruleOf('allow'), ruleOf('ask', 4)],
      suspended: [{ grant: grantOf(), reason: 'toolChanged' }],
      pin: { kind: 'changed', before, fields: ['title', 'inputSchema'] },
    });
    const text = reviewText(questionOf(tool, {}, { decision }), ['yesterday, it ran']);
    const parts = new Map(
      text.split('\n\n').map((part): [string, string] => {
        const [heading = '', ...lines] = part.split('\n');
        return [heading, lines.map((line) => line.trim()).join('\n')];
      }),
    );
    assert.match(parts.get('Why you are asked') ?? '', /^Asked: the tool is not the one/);
    assert.equal(parts.get('Rules that fit')?.split('\n').length, 2);
    assert.match(parts.get('Suspended permissions') ?? '', /The tool has changed\.$/);
    assert.match(
      parts.get('Since you saw the tool first') ?? '',
      /^Its definition has changed\.\nIts title was “Echo” and is nothing\.\nIts input schema was:\n\{/,
    );
    assert.equal(parts.get('Earlier calls of this tool'), 'yesterday, it ran');
  });
});

describe('The modal', () => {
  const wish: GrantWish = { scope: 'tool', duration: 'session' };
  const question = questionOf(toolOf('echo'), {}, { offered: [wish] });

  /** Presses one after the other, and notes which buttons there were. */
  function pressing(
    presses: readonly (Press | undefined)[],
    more: Partial<ModalConfirmOptions> = {},
  ): { readonly confirm: ModalConfirm; readonly buttons: (readonly Press[])[] } {
    const left = [...presses];
    const buttons: (readonly Press[])[] = [];
    const confirm = new ModalConfirm({
      reviews: { review: () => Promise.resolve(undefined) },
      askForWish: () => Promise.resolve(wish),
      editArguments: () => Promise.resolve({ message: 'other' }),
      showModal: async (_message, _detail, shown) => {
        buttons.push(shown);
        return left.shift();
      },
      ...more,
    });
    return { confirm, buttons };
  }
  const answered = (
    presses: readonly (Press | undefined)[],
    more: Partial<ModalConfirmOptions> = {},
  ) => pressing(presses, more).confirm.confirm(question, noToken);
  const reviewed = (press: ReviewPress | undefined): Partial<ModalConfirmOptions> => ({
    reviews: { review: () => Promise.resolve(press) },
  });

  it('means no unless a button that says Run was pressed', async () => {
    assert.deepEqual(
      [
        await answered(['run']),
        await answered([undefined]),
        await answered(['review']),
        await answered(['review'], reviewed('run')),
        await answered(['remember']),
        await answered(['review'], reviewed('remember')),
        await answered(['review'], reviewed('edit')),
      ],
      [
        { kind: 'run' },
        { kind: 'no' },
        { kind: 'no' },
        { kind: 'run' },
        { kind: 'run', remember: wish },
        { kind: 'run', remember: wish },
        { kind: 'edited', arguments: { message: 'other' } },
      ],
    );
  });

  it('comes back when the person goes back from what it led to', async () => {
    const { confirm, buttons } = pressing(['remember', 'review', undefined], {
      ...reviewed('edit'),
      askForWish: () => Promise.resolve(undefined),
      editArguments: () => Promise.resolve(undefined),
    });
    assert.deepEqual(await confirm.confirm(question, noToken), { kind: 'no' });
    assert.equal(buttons.length, 3);
  });

  it('lets Enter run nothing that may destroy, and offers to remember only what can be', async () => {
    const safe = toolOf('look', { annotations: { readOnlyHint: true } });
    const shown = [];
    for (const each of [
      question,
      questionOf(toolOf('echo')),
      questionOf(safe, {}, { offered: [wish] }),
    ]) {
      const { confirm, buttons } = pressing([undefined]);
      await confirm.confirm(each, noToken);
      shown.push(buttons[0]);
    }
    assert.deepEqual(shown, [
      ['review', 'run', 'remember'],
      ['review', 'run'],
      ['run', 'remember', 'review'],
    ]);
  });

  it('asks one question at a time, in order, and goes on after one that failed', async () => {
    const shown: string[] = [];
    const answers: ((answer: Press | Error) => void)[] = [];
    const { confirm } = pressing([], {
      showModal: (message) => {
        shown.push(message);
        return new Promise((resolve, reject) => {
          answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
        });
      },
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
    assert.deepEqual(await second, { kind: 'run' });
  });

  it('is not shown for a call that was cancelled before its turn, and then means no', async () => {
    let shown = 0;
    const source = new vscode.CancellationTokenSource();
    const { confirm } = pressing([], {
      showModal: () => {
        shown += 1;
        source.cancel();
        return Promise.resolve('run');
      },
    });
    const first = confirm.confirm(question, source.token);
    const second = confirm.confirm(question, source.token);
    assert.deepEqual([await first, await second, shown], [{ kind: 'no' }, { kind: 'no' }, 1]);
  });
});

describe('Review in Editor', () => {
  const question = questionOf(
    toolOf('echo'),
    {},
    { offered: [{ scope: 'tool', duration: 'session' }] },
  );
  let reviews: CallReviews;

  beforeEach(() => {
    reviews = new CallReviews(() => Promise.resolve(['at noon, it ran']));
  });

  afterEach(async () => {
    reviews.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  /** Begins a review and resolves when its document is on the screen. */
  async function open(token = noToken): Promise<{
    readonly pressed: Promise<ReviewPress | undefined>;
    readonly document: vscode.TextDocument;
  }> {
    let subscription: vscode.Disposable | undefined;
    const shown = new Promise<vscode.TextDocument>((resolve) => {
      subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor?.document.uri.scheme === reviewScheme) resolve(editor.document);
      });
    });
    const pressed = reviews.review(question, token);
    const document = await shown;
    subscription?.dispose();
    return { pressed, document };
  }

  it('opens the whole question as a read-only document with every button on it', async () => {
    const { pressed, document } = await open();
    assert.equal(document.getText(), reviewText(question, ['at noon, it ran']));
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
      10,
    );
    const run = new Set(lenses.map(({ command }) => command?.command));
    assert.deepEqual(
      [...run],
      [
        commands.runArguments,
        commands.runAndRemember,
        commands.editCallArguments,
        commands.cancelArguments,
      ],
    );
    reviews.answer(document.uri, 'run');
    assert.equal(await pressed, 'run');
  });

  it('means no when the document is closed', async () => {
    const { pressed } = await open();
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    assert.equal(await pressed, undefined);
  });

  it('takes the document away when it is answered or cancelled', async () => {
    const source = new vscode.CancellationTokenSource();
    const { pressed } = await open(source.token);
    source.cancel();
    assert.equal(await pressed, undefined);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    assert.deepEqual(
      tabs.filter(
        ({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === reviewScheme,
      ),
      [],
    );
  });
});

describe('The question before a call that leaves something to the server', () => {
  const defaults = [
    { pointer: '/a~1b/depth', value: 3 },
    { pointer: '/filter', value: { mode: 'all\u202E' } },
    { pointer: '/pin', value: 'hunter2', isSecret: true as const },
  ];

  it('shows the defaults of the server, visible, and none of a secret', () => {
    const question = questionOf(toolOf('crawl'), { url: 'x' }, { defaults });
    const shown = ['a/b › depth: 3', 'filter: {"mode":"all\\u{202E}"}', 'pin: not shown'];
    const heading = 'Left out: the server takes its own default';
    assert.equal(
      questionDetail(question).split('\n\n').at(-1),
      [`${heading}:`, ...shown].join('\n'),
    );
    const review = reviewText(question, []);
    assert.ok(review.includes([heading, ...shown.map((line) => `    ${line}`)].join('\n')), review);
  });

  it('shows five of many, and all of them in the review', () => {
    const many = Array.from({ length: 12 }, (_, n) => ({ pointer: `/p${n}`, value: n }));
    const question = questionOf(toolOf('crawl'), {}, { defaults: many });
    const lines = questionDetail(question).split('\n');
    assert.deepEqual(lines.slice(-2), ['p4: 4', '… 7 more: Review in Editor']);
    assert.match(reviewText(question, []), / p11: 11\n/);
  });
});

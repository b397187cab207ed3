import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ToolgateApi } from '../../src/api';
import { isMcpError } from '../../src/core/errors';
import type {
  HttpReach,
  ServerConfig,
  StdioReach,
} from '../../src/host/configuration/serverConfig';
import { ServerTrust } from '../../src/host/consent/trust/serverTrust';
import { startFacts } from '../../src/host/consent/trust/startFacts';
import { commands, trustScheme } from '../../src/ids';
import {
  ServerTrustQuestions,
  type TrustAnswer,
} from '../../src/ui/serverTrust/serverTrustQuestions';
import {
  trustDialog,
  trustDocument,
  type TrustDialog,
  type TrustQuestion,
} from '../../src/ui/serverTrust/formatTrustQuestion';
import { AnsweredDialogs, pressStart } from './dialogs';
import { RealExtension } from './realExtension';

function stdio(more: Partial<StdioReach> = {}, id = 'shop'): ServerConfig {
  const reach = { kind: 'stdio', command: 'node', args: ['x.js'], env: {}, ...more } as const;
  return { id, label: id, source: { kind: 'setting' }, reach };
}

function http(more: Partial<HttpReach> = {}): ServerConfig {
  const reach = { kind: 'http', url: 'https://h/', headers: {}, ...more } as const;
  return { ...stdio(), reach };
}

const changed = (before: ServerConfig, config: ServerConfig): TrustQuestion => ({
  config,
  before: startFacts(before),
});

describe('The question before a first start', () => {
  it('shows command, folder and environment, each argument in quotes', () => {
    const env = { API_KEY: 'abc', NODE_OPTIONS: '--require ./x.js', HOME: null };
    const config = stdio({ args: ['my server.js', '', 'a"b'], cwd: '/work', env });
    assert.deepEqual(trustDialog([{ config }]), {
      message: 'Start “shop” for the first time?',
      detail: [
        'It runs this program on your machine, with your rights:',
        String.raw`"node" "my server.js" "" "a\"b"`,
        'Folder: "/work"',
        'Variable API_KEY = (secret, 3 characters, hash ba7816bf)',
        'Variable HOME is taken away',
        'Variable NODE_OPTIONS = "--require ./x.js"',
        '',
        'Configured in: Setting "toolgate.servers"',
      ].join('\n'),
      start: 'Start Server',
    });
  });

  it('shows address and headers', () => {
    const headers = { Authorization: 'Bearer abc', 'X-Team': 'a' };
    assert.deepEqual(trustDialog([{ config: http({ headers }) }]).detail.split('\n'), [
      'It connects to this address:',
      'Address: "https://h/"',
      'Header Authorization = (secret, 10 characters, hash c355dce9)',
      'Header X-Team = "a"',
      'Transport: "http"',
      '',
      'Configured in: Setting "toolgate.servers"',
    ]);
  });

  it('shows which variable of the person leaves, as it is written', () => {
    const piece = (name: string, value: string) => ({ reference: `\${env:${name}}`, value });
    const config: ServerConfig = {
      ...http({
        url: 'https://evil.example/?k=abcdef',
        headers: { 'X-Api-Key': 'abcdef', Authorization: 'Bearer abcdef', 'X-Mode': 'fast' },
      }),
      written: [
        {
          part: 'address',
          pieces: [{ text: 'https://evil.example/?k=' }, piece('MY_TOKEN', 'abcdef')],
        },
        { part: 'header', name: 'X-Api-Key', pieces: [piece('MY_TOKEN', 'abcdef')] },
        {
          part: 'header',
          name: 'Authorization',
          pieces: [{ text: 'Bearer ' }, piece('MY_TOKEN', 'abcdef')],
        },
        { part: 'header', name: 'X-Mode', pieces: [piece('MODE', 'fast')] },
      ],
    };
    assert.deepEqual(trustDialog([{ config }]).detail.split('\n').slice(1, 5), [
      'Address: "https://evil.example/?k=${env:MY_TOKEN}" (secret, 30 characters, hash dcec723b)',
      'Header Authorization = "Bearer ${env:MY_TOKEN}" (secret, 13 characters, hash 45b36536)',
      'Header X-Api-Key = "${env:MY_TOKEN}" (secret, 6 characters, hash bef57ec7)',
      'Header X-Mode = "${env:MODE}" (now "fast")',
    ]);
    const program = stdio({ command: '/opt/run', args: ['--key=abcdef', 'x'] });
    const written = [
      { part: 'command', pieces: [piece('TOOLS', '/opt'), { text: '/run' }] },
      { part: 'argument', name: 0, pieces: [{ text: '--key=' }, piece('MY_TOKEN', 'abcdef')] },
    ] as const;
    const [, line] = trustDialog([{ config: { ...program, written } }]).detail.split('\n');
    assert.equal(
      line,
      '"${env:TOOLS}/run" (now "/opt/run") "--key=${env:MY_TOKEN}" (secret, 12 characters, hash 0fcbd125) "x"',
    );
  });

  it('names the rules that may let calls of such a server run without a question', () => {
    const allowedBy = [
      { scope: 'user', index: 0 },
      { scope: 'user', index: 4 },
    ] as const;
    const line =
      'Calls of it may run without a question. Rule 1 in your user settings, Rule 5 in your user settings';
    const question = { config: stdio({}), allowedBy };
    assert.equal(trustDialog([question]).detail.split('\n').at(-1), line);
    assert.ok(trustDialog([question, { config: stdio({}) }]).detail.includes(line));
    const document = trustDocument([question]);
    assert.ok(document.kind === 'text' && document.text.includes(line));
  });

  it('keeps text from the configuration inside its line, with nothing hidden', () => {
    const config = {
      ...stdio({ args: ['a\n\nConfigured in: x', '\u202Egpj.exe'], env: { 'A\nB = 1': '\u200B' } }),
      label: 'x\nrm\u202E',
    };
    const { message, detail } = trustDialog([{ config }]);
    assert.equal(message, 'Start “x\\nrm\\u{202E}” for the first time?');
    assert.equal(detail.split('\n').length, 5);
    assert.match(detail, /"a\\n\\nConfigured in: x" "\\u\{202E\}gpj\.exe"/);
    assert.match(detail, /Variable "A\\nB = 1" = "\\u\{200B\}"/);
    const document = trustDocument([{ config }]);
    assert.ok(document.kind === 'text');
    assert.doesNotMatch(document.text, /[\u202E\u200B]/);
  });

  it('says what changed, and how it is now', () => {
    const before = stdio({ env: { A: '1', TOKEN: 'abc' } });
    const config = stdio({ args: ['x.js', '--all'], env: { A: '2', TOKEN: 'abd' } });
    const { message, detail, start } = trustDialog([changed(before, config)]);
    assert.deepEqual([message, start], ['The way “shop” is started has changed', 'Start Server']);
    assert.deepEqual(detail.split('\n').slice(0, 8), [
      'What changed:',
      '+ Argument: "--all"',
      '- Variable A = "1"',
      '+ Variable A = "2"',
      '- Variable TOKEN = (secret, 3 characters, hash ba7816bf)',
      '+ Variable TOKEN = (secret, 3 characters, hash a52d159f)',
      '',
      'It runs this program on your machine, with your rights:',
    ]);
    const document = trustDocument([changed(before, config)]);
    assert.ok(document.kind === 'diff');
    assert.match(document.before, /^Command: "node"\nArgument: "x\.js"\nVariable A = "1"\n/);
    assert.match(document.now, /^Argument: "--all"$/m);
  });

  it('is one for several servers, each with what runs', () => {
    const file = { kind: 'workspaceFile', path: '/w/mcp.json', folder: '/w' } as const;
    const questions = [
      { config: { ...stdio({ cwd: '/w' }, 'a'), source: file } },
      { config: { ...stdio({ cwd: '/v' }, 'b'), source: file } },
    ];
    const { message, detail, start } = trustDialog(questions);
    assert.deepEqual([message, start], ['Start 2 servers for the first time?', 'Start 2 Servers']);
    // The folder of the workspace goes without saying.
    assert.deepEqual(detail.split('\n').slice(1), [
      '"node" "x.js"',
      '',
      detail.split('\n')[3],
      '"node" "x.js"',
      'Folder: "/v"',
    ]);
    const { config } = questions[0] ?? assert.fail();
    const other = changed(stdio(), stdio({ command: 'deno' }));
    assert.deepEqual(
      [trustDialog([other, other]).message, trustDialog([other, { config }]).message],
      [
        'The way 2 servers are started has changed',
        'Start 2 servers that are new or have changed?',
      ],
    );
    assert.match(trustDialog([other, { config }]).detail, /changed:\n- Command: "node"\n\+ Comm/);
  });

  it('fits into a dialog whatever is configured, and is whole in the editor', () => {
    const args = ['x'.repeat(10_000), 'y\n'.repeat(3_000), '\u202E'.repeat(1_000), 'the end'];
    const many = Array.from({ length: 300 }, (_, index) => ({
      config: {
        ...stdio({ args: ['--port', String(index)] }, `s${index}`),
        label: 'l'.repeat(500),
      },
    }));
    const env = Object.fromEntries(many.map(({ config }) => [config.id.toUpperCase(), '1']));
    for (const questions of [
      [{ config: stdio({ args }) }],
      [{ config: stdio({ env }) }],
      [changed(stdio({ args }), stdio({ args: [...args, '!'] }))],
      many,
    ]) {
      const { message, detail, start } = trustDialog(questions);
      assert.equal(start, undefined);
      assert.ok(message.length < 300 && detail.length < 1_500, `${detail.length}`);
      assert.ok(detail.split('\n').length < 20);
      assert.match(detail, /Review/);
    }
    const document = trustDocument([{ config: stdio({ args }) }]);
    assert.ok(document.kind === 'text');
    assert.match(document.text, /^ {4}Argument: "the end"$/m);
    assert.equal(document.text.match(/x/g)?.length, 10_000);
    assert.ok(document.text.split('\n').every((line) => line.length < 100));
  });
});

describe('Asking before a start', () => {
  let folder: string;
  let trust: ServerTrust;
  let shown: TrustDialog[];
  let answers: ((answer: TrustAnswer) => void)[];
  let reviewed: number;
  let questions: ServerTrustQuestions;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trust-'));
    trust = new ServerTrust({ folder, onProblem: () => {} });
    shown = [];
    answers = [];
    reviewed = 0;
    questions = new ServerTrustQuestions(
      trust,
      { review: async () => ((reviewed += 1), true) },
      (serverId) => (serverId === 'ruled' ? [{ scope: 'user', index: 1 }] : []),
      (dialog) => {
        shown.push(dialog);
        return new Promise((resolve) => {
          answers.push(resolve);
        });
      },
    );
  });
  afterEach(async () => {
    trust.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  const untilShown = async (count: number) => {
    while (shown.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  const messages = () => shown.map(({ message }) => message);
  const trusted = async (config: ServerConfig) => (await trust.stateOf(config)).kind === 'trusted';

  it('keeps a yes, and asks nothing the second time', async () => {
    const asked = questions.ask([stdio()]);
    await untilShown(1);
    assert.equal(await trusted(stdio()), false);
    answers[0]?.('start');
    assert.deepEqual([await asked, await questions.ask([stdio()]), shown.length], [true, true, 1]);
  });

  it('keeps no no', async () => {
    for (const count of [1, 2]) {
      const asked = questions.ask([stdio()]);
      await untilShown(count);
      answers[count - 1]?.(undefined);
      assert.equal(await asked, false);
    }
    assert.deepEqual(await trust.all(), []);
  });

  it('shows one dialog at a time', async () => {
    const first = questions.ask([stdio({}, 'a')]);
    const second = questions.ask([stdio({}, 'b')]);
    await untilShown(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(shown.length, 1);
    answers[0]?.(undefined);
    await untilShown(2);
    answers[1]?.('start');
    assert.deepEqual([await first, await second], [false, true]);
    assert.deepEqual(messages(), [
      'Start “a” for the first time?',
      'Start “b” for the first time?',
    ]);
  });

  it('asks once for two who wish the same, whatever the answer', async () => {
    for (const answer of [undefined, 'start'] as const) {
      const config = stdio();
      const wishes = [questions.ask([config]), questions.ask([config])];
      await untilShown(answer === undefined ? 1 : 2);
      answers.at(-1)?.(answer);
      const isYes = answer === 'start';
      assert.deepEqual(await Promise.all(wishes), [isYes, isYes]);
    }
    assert.equal(shown.length, 2);
  });

  it('asks about those of several that are not trusted', async () => {
    await trust.trust(stdio({}, 'a'));
    const asked = questions.ask(['a', 'b', 'c'].map((id) => stdio({}, id)));
    await untilShown(1);
    answers[0]?.('start');
    assert.equal(await asked, true);
    assert.deepEqual(messages(), ['Start 2 servers for the first time?']);
    assert.ok((await trusted(stdio({}, 'b'))) && (await trusted(stdio({}, 'c'))));
  });

  it('takes the answer of the review', async () => {
    const asked = questions.ask([stdio()]);
    await untilShown(1);
    answers[0]?.('review');
    assert.deepEqual([await asked, reviewed, await trusted(stdio())], [true, 1, true]);
  });

  it('keeps nothing that was answered after it was called off, and shows nothing after', async () => {
    const source = new vscode.CancellationTokenSource();
    const first = questions.ask([stdio({}, 'a')], source.token);
    const second = questions.ask([stdio({}, 'b')], source.token);
    await untilShown(1);
    source.cancel();
    answers[0]?.('start');
    assert.deepEqual([await first, await second, shown.length], [false, false, 1]);
    assert.deepEqual(await trust.all(), []);
  });

  it('lets start what was agreed to and cannot be written down', async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file where the folder should be');
    const asked = questions.ask([stdio()]);
    await untilShown(1);
    answers[0]?.('start');
    assert.deepEqual([await asked, await questions.ask([stdio()])], [true, true]);
  });
});

/** In the real extension. */
describe('A start through the extension API', () => {
  let extension: RealExtension;
  let api: ToolgateApi;
  let dialogs: AnsweredDialogs;

  before(async () => {
    extension = await RealExtension.activate();
    ({ api } = extension);
    await extension.configure({ asked: extension.demoEntry({ A: '1' }) });
  });
  beforeEach(() => {
    dialogs = new AnsweredDialogs(() => undefined);
  });
  afterEach(() => {
    dialogs.dispose();
  });
  after(() => extension.clear());

  const state = () => api.servers.find(({ id }) => id === 'asked')?.state;
  const reviewTabs = () =>
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(
        ({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === trustScheme,
      );

  it('asks as the tree does, and is refused without a yes', async () => {
    await assert.rejects(api.start('asked'), (error) => isNamed(error, 'notApproved'));
    assert.deepEqual([dialogs.seen.length, state()], [1, 'stopped']);
    await vscode.commands.executeCommand(commands.startServer, 'asked');
    assert.deepEqual([dialogs.seen.length, state()], [2, 'stopped']);
    assert.deepEqual(dialogs.seen[0], dialogs.seen[1]);
  });

  it('waits for the review in the editor, and is refused when that is closed', async () => {
    dialogs.press = () => 'Review';
    const opened = new Promise<void>((resolve) => {
      const subscription = vscode.window.tabGroups.onDidChangeTabs(() => {
        if (reviewTabs().length === 0) return;
        subscription.dispose();
        resolve();
      });
    });
    const started = api.start('asked');
    await opened;
    assert.equal(state(), 'starting');
    await vscode.window.tabGroups.close(reviewTabs());
    await assert.rejects(started, (error) => isNamed(error, 'notApproved'));
    assert.equal(state(), 'stopped');
  });

  it('is asked about once', async () => {
    dialogs.press = pressStart;
    await Promise.all([api.start('asked'), api.start('asked')]);
    await api.stop('asked');
    await api.start('asked');
    assert.deepEqual([dialogs.seen.length, state()], [1, 'running']);
  });
});

/** The extension is a bundle of its own, so its class of errors is another one. */
function isNamed(error: unknown, code: string): boolean {
  assert.ok(!isMcpError(error));
  return error instanceof Error && 'code' in error && error.code === code;
}

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ToolgateApi } from '../../src/api';
import { isMcpError } from '../../src/core/errors';
import type { ServerConfig, StdioServerTransport } from '../../src/host/configuration/serverConfig';
import { ServerTrust } from '../../src/host/consent/trust/serverTrust';
import { commands, trustScheme } from '../../src/ids';
import {
  ServerTrustQuestions,
  type TrustAnswer,
} from '../../src/ui/serverTrust/serverTrustQuestions';
import type { TrustDialog } from '../../src/ui/serverTrust/formatTrustQuestion';
import { until, untilEvent } from '../waiting';
import { AnsweredDialogs } from './dialogs';
import { RealExtension } from './realExtension';

function stdio(more: Partial<StdioServerTransport> = {}, id = 'shop'): ServerConfig {
  const transport = { kind: 'stdio', command: 'node', args: ['x.js'], env: {}, ...more } as const;
  return { id, label: id, source: { kind: 'setting' }, transport };
}

describe('The question before a start', () => {
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

  const untilShown = (count: number) => until(() => shown.length >= count);
  const messages = () => shown.map(({ message }) => message);
  const trusted = async (config: ServerConfig) => (await trust.stateOf(config)).kind === 'trusted';

  it('stores a yes, and asks nothing the second time', async () => {
    const asked = questions.ask([stdio()]);
    await untilShown(1);
    assert.equal(await trusted(stdio()), false);
    answers[0]?.('start');
    assert.deepEqual([await asked, await questions.ask([stdio()]), shown.length], [true, true, 1]);
  });

  it('does not store a no', async () => {
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
    // Asked after the second has asked the same, which would have its dialog by now.
    assert.equal(await trusted(stdio({}, 'b')), false);
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

  it('asks once for two callers with the same request, whatever the answer', async () => {
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

  it('asks only about those servers that are not trusted', async () => {
    await trust.trust(stdio({}, 'a'));
    const asked = questions.ask(['a', 'b', 'c'].map((id) => stdio({}, id)));
    await untilShown(1);
    answers[0]?.('start');
    assert.equal(await asked, true);
    assert.deepEqual(messages(), ['Start 2 servers for the first time?']);
    assert.ok((await trusted(stdio({}, 'b'))) && (await trusted(stdio({}, 'c'))));
  });

  it('uses the answer of the review', async () => {
    const asked = questions.ask([stdio()]);
    await untilShown(1);
    answers[0]?.('review');
    assert.deepEqual([await asked, reviewed, await trusted(stdio())], [true, 1, true]);
  });

  it('stores no answer after it was cancelled, and shows nothing afterwards', async () => {
    const source = new vscode.CancellationTokenSource();
    const first = questions.ask([stdio({}, 'a')], source.token);
    const second = questions.ask([stdio({}, 'b')], source.token);
    await untilShown(1);
    source.cancel();
    answers[0]?.('start');
    assert.deepEqual([await first, await second, shown.length], [false, false, 1]);
    assert.deepEqual(await trust.all(), []);
  });

  it('allows a start that was agreed to but cannot be stored', async () => {
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
    extension = await new RealExtension().activate();
    ({ api } = extension);
    await extension.configure({ asked: extension.demoEntry({ A: '1' }) });
  });
  beforeEach(() => {
    dialogs = new AnsweredDialogs(() => undefined).begin();
  });
  afterEach(() => dialogs.dispose());
  after(() => extension.clear());

  const state = () => api.servers.find(({ id }) => id === 'asked')?.state;
  const reviewTabs = () =>
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(
        ({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === trustScheme,
      );

  it('asks as the tree does, and fails without a yes', async () => {
    await assert.rejects(api.start('asked'), (error) => isNamed(error, 'notApproved'));
    assert.deepEqual([dialogs.seen.length, state()], [1, 'stopped']);
    await vscode.commands.executeCommand(commands.startServer, 'asked');
    assert.deepEqual([dialogs.seen.length, state()], [2, 'stopped']);
    assert.deepEqual(dialogs.seen[0], dialogs.seen[1]);
  });

  it('waits for the review in the editor, and fails when it is closed', async () => {
    dialogs.press = () => 'Review';
    const started = api.start('asked');
    await untilEvent(vscode.window.tabGroups.onDidChangeTabs, () => reviewTabs().length > 0);
    assert.equal(state(), 'starting');
    await vscode.window.tabGroups.close(reviewTabs());
    await assert.rejects(started, (error) => isNamed(error, 'notApproved'));
    assert.equal(state(), 'stopped');
  });
});

/** The extension is a bundle of its own, so its class of errors is another one. */
function isNamed(error: unknown, code: string): boolean {
  assert.ok(!isMcpError(error));
  return error instanceof Error && 'code' in error && error.code === code;
}

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { InputDefinition } from '../../src/host/configuration/serverConfig';
import { InputQuestions } from '../../src/ui/secrets/inputQuestions';
import { commands, settings } from '../../src/ids';
import { stateless } from '../core/reached';
import { inputStores } from '../host/inputStores';
import { eventually, until } from '../waiting';
import { HttpServer, resultFor, sendJson } from '../servers/httpServer';
import { assertEach } from '../assertions';
import { AnsweredDialogs, pressStart } from './dialogs';
import { accept, close, pressingKey } from './pressingKeys';
import { RealExtension } from './realExtension';
import { answersOfTest, type WindowAnswers } from './windowAnswers';

const noToken = new vscode.CancellationTokenSource().token;
const source = { kind: 'setting' } as const;

describe('Questions for inputs', () => {
  let stores: ReturnType<typeof inputStores>;
  const sizes = (): number[] =>
    [stores.secrets, stores.workspace, stores.global].map(({ kept }) => kept.size);
  let questions: InputQuestions;

  beforeEach(() => {
    stores = inputStores();
    questions = new InputQuestions(stores.remembered);
  });

  const password: InputDefinition = {
    kind: 'promptString',
    id: 'token',
    source,
    isPassword: true,
    default: 'proposed-secret',
  };
  const region: InputDefinition = {
    kind: 'pickString',
    id: 'region',
    source,
    options: [
      { value: 'eu', label: 'Europe' },
      { value: 'us', label: 'America' },
    ],
    default: 'us',
  };

  it('are asked once, even if several servers need the same input at once', async () => {
    const both = Promise.all([
      questions.valueOf(password, noToken),
      questions.valueOf(password, noToken),
    ]);
    assert.deepEqual(await pressingKey(accept, both), ['proposed-secret', 'proposed-secret']);
    assert.equal(await questions.valueOf(password, noToken), 'proposed-secret');
    assert.deepEqual(sizes(), [1, 0, 0]);
    assert.equal(stores.values.redact('x proposed-secret'), 'x (secret)');
  });

  it('do not accept an empty secret', async () => {
    const { default: _, ...bare } = password;
    const place = { kind: 'setting', path: '', id: 'token' } as const;
    await stores.remembered.set(place, true, ' ');
    let isDone = false;
    const asked = questions.valueOf(bare, noToken).finally(() => (isDone = true));
    // Nothing tells when the question is on the screen; each of these would end it.
    for (let pressed = 0; pressed < 50; pressed += 1) {
      await vscode.commands.executeCommand(accept);
    }
    assert.equal(isDone, false);
    assert.equal(await pressingKey(close, asked), undefined);
    assert.equal(await stores.remembered.get(place, true), ' ');
  });

  it('propose the default of a choice first, and ask again if it is no longer a choice', async () => {
    assert.equal(await pressingKey(accept, questions.valueOf(region, noToken)), 'us');
    assert.equal(await questions.valueOf(region, noToken), 'us');
    const fewer = { ...region, options: region.options.slice(0, 1) };
    assert.equal(await pressingKey(accept, questions.valueOf(fewer, noToken)), 'eu');
    assert.equal(stores.secrets.kept.size, 0);
  });

  it('of one start are saved when the last is answered, and not if one is closed', async () => {
    const none = questions.prepare([password, region], noToken);
    assert.equal(await pressingKey(close, none), false);
    assert.deepEqual(sizes(), [0, 0, 0]);
    const all = questions.prepare([password, region], noToken);
    assert.equal(await pressingKey(accept, all), true);
    assert.deepEqual(sizes(), [1, 0, 1]);
    assert.equal(await questions.valueOf(region, noToken), 'us');
    assert.equal(await questions.valueOf(password, noToken), 'proposed-secret');
  });

  it('are asked again for a start that joined a cancelled one, but not if the question was closed', async () => {
    const off = new vscode.CancellationTokenSource();
    const first = questions.valueOf(password, off.token);
    const joined = questions.valueOf(password, noToken);
    // Until the first has read what is kept, and the other one has joined it.
    await new Promise((resolve) => setTimeout(resolve));
    off.cancel();
    assert.equal(await first, undefined);
    assert.equal(await pressingKey(accept, joined), 'proposed-secret');
    await stores.remembered.forget({ kind: 'setting', path: '', id: 'token' });
    const both = Promise.all([
      questions.valueOf(password, noToken),
      questions.valueOf(password, noToken),
    ]);
    assert.deepEqual(await pressingKey(close, both), [undefined, undefined]);
  });

  it('list servers that use no inputs, and never the value of a command', async () => {
    await stores.remembered.set({ kind: 'setting', path: '', id: 'token' }, true, 'value');
    const command: InputDefinition = { kind: 'command', id: 'port', source, command: 'x' };
    assert.deepEqual(
      await Promise.all(
        [[], [password], [password, region], [command]].map((each) => questions.areKnown(each)),
      ),
      [true, true, false, false],
    );
  });

  it('are not shown for a cancelled start', async () => {
    const token = new vscode.CancellationTokenSource();
    token.cancel();
    assert.equal(await questions.valueOf(password, token.token), undefined);
    const off = new vscode.CancellationTokenSource();
    const asked = questions.valueOf(password, off.token);
    off.cancel();
    assert.equal(await asked, undefined);
    assert.equal(stores.secrets.kept.size, 0);
  });

  it('that a command answers are not stored', async () => {
    let answer: unknown = 'first';
    const subscription = vscode.commands.registerCommand('test.answer', (given: unknown) =>
      typeof answer === 'string' ? `${answer} ${JSON.stringify(given)}` : answer,
    );
    const input: InputDefinition = {
      kind: 'command',
      id: 'c',
      source,
      command: 'test.answer',
      args: { a: 1 },
    };
    assert.equal(await questions.valueOf(input, noToken), 'first {"a":1}');
    answer = 'second';
    assert.equal(await questions.valueOf(input, noToken), 'second {"a":1}');
    answer = undefined;
    assert.equal(await questions.valueOf(input, noToken), undefined);
    answer = 42;
    await assert.rejects(questions.valueOf(input, noToken), { code: 'missingVariable' });
    subscription.dispose();
    await assert.rejects(questions.valueOf(input, noToken), { code: 'missingVariable' });
    assert.deepEqual(sizes(), [0, 0, 0]);
  });
});

/** Presses the button in the title of the next list that is made by hand. */
class TitleButtons implements vscode.Disposable {
  readonly #original = vscode.window.createQuickPick;
  #wanted = false;

  constructor() {
    const make = (): vscode.QuickPick<vscode.QuickPickItem> => {
      const pick = this.#original();
      const onButton = pick.onDidTriggerButton;
      const listen: typeof onButton = (listener) => {
        const [button] = pick.buttons;
        if (this.#wanted && button !== undefined) setImmediate(() => listener(button));
        this.#wanted = false;
        return onButton(listener);
      };
      return Object.defineProperty(pick, 'onDidTriggerButton', { value: listen });
    };
    Object.assign(vscode.window, { createQuickPick: make });
  }

  pressNext(): void {
    this.#wanted = true;
  }

  dispose(): void {
    Object.assign(vscode.window, { createQuickPick: this.#original });
  }
}

/** In the real extension, with a server that wants to know who asks. */
describe('A value that was entered for a server', () => {
  let extension: RealExtension;
  let dialogs: AnsweredDialogs;
  let answers: WindowAnswers;
  let buttons: TitleButtons;
  let server: HttpServer;
  let typed: string[];
  let accepted = 'right';

  before(async () => {
    extension = await new RealExtension().activate();
  });
  beforeEach(async () => {
    answers = answersOfTest();
    answers.type = () => typed.shift();
    dialogs = new AnsweredDialogs(pressStart).begin();
    buttons = new TitleButtons();
    accepted = 'right';
    const known = stateless({
      'tools/list': (request, response) =>
        sendJson(response, resultFor(request, { resultType: 'complete', tools: [] })),
    });
    server = await HttpServer.start((request, response) => {
      if (request.headers.authorization === `Bearer ${accepted}`) known(request, response);
      else response.writeHead(401).end();
    });
    const headers = { Authorization: 'Bearer ${input:token}' };
    const inputs = [{ id: 'token', type: 'promptString', password: true }];
    await extension.configure({ shop: { type: 'http', url: server.url, headers } }, { inputs });
  });
  afterEach(async () => {
    await extension.clear();
    await forgetAll();
    buttons.dispose();
    dialogs.dispose();
    await server.stop();
  });

  const run = (command: string): Thenable<unknown> =>
    vscode.commands.executeCommand(command, 'shop');

  async function forgetAll(): Promise<void> {
    dialogs.press = () => 'Forget All';
    buttons.pressNext();
    await run(commands.manageSecrets);
  }

  it('is asked for again by one click if it was rejected, and the server starts with it', async () => {
    typed = ['wrong', 'right'];
    const offered: (readonly string[])[] = [];
    answers.press = (_, titles) => {
      offered.push(titles);
      return 'Enter Secret Again…';
    };
    await run(commands.startServer);
    await extension.until(() => extension.picture() === 'shop running');
    assert.deepEqual(typed, []);
    assert.equal(offered[0]?.[0], 'Enter Secret Again…');
    assertEach(
      answers.boxes,
      ({ title, isPassword }) => [title, isPassword],
      [1, 2].map(() => ['Input “token” of .vscode/mcp.json', true]),
    );
  });

  it('does not exist if no header is configured, and a header can be added by one click', async () => {
    await extension.clear();
    await extension.configure({ shop: { type: 'http', url: server.url } });
    typed = ['right'];
    answers.press = (_, titles) => titles.find((title) => title === 'Add Header…');
    await run(commands.startServer);
    const shown = () => vscode.window.activeTextEditor?.document;
    await eventually(
      () => shown()?.getText() ?? '',
      (text) => text.includes('Authorization'),
    );
    const document = shown();
    assert.ok(document?.isDirty, 'it is the user who saves');
    assert.deepEqual(JSON.parse(document.getText()), {
      servers: {
        shop: {
          type: 'http',
          url: server.url,
          headers: { Authorization: 'Bearer ${input:shop-token}' },
        },
      },
      inputs: [
        { type: 'promptString', id: 'shop-token', description: 'Authorization', password: true },
      ],
    });
    answers.press = () => undefined;
    await document.save();
    await eventually(
      async () => {
        await run(commands.startServer);
        return extension.picture();
      },
      (picture) => picture === 'shop running',
    );
    assert.deepEqual(typed, []);
  });

  it('that was rejected can be replaced by a sign-in: the file is shown without the header', async () => {
    typed = ['wrong'];
    answers.press = (_, titles) => titles.find((title) => title === 'Use Sign-In Instead');
    await run(commands.startServer);
    const shown = () => vscode.window.activeTextEditor?.document;
    await eventually(
      () => shown()?.getText() ?? '',
      (text) => text.includes('"shop"') && !text.includes('Authorization'),
    );
    const document = shown();
    assert.ok(document?.isDirty, 'it is the person who saves');
    const { servers } = JSON.parse(document.getText()) as { servers: object };
    assert.deepEqual(servers, { shop: { type: 'http', url: server.url } });
    answers.press = () => undefined;
    await document.save();
    const asked = () => server.received.some((request) => request.path.includes('/.well-known/'));
    assert.equal(asked(), false);
    await eventually(
      async () => {
        await run(commands.startServer);
        return asked();
      },
      (isSo) => isSo,
    );
    assert.equal(answers.boxes.length, 1, 'no secret is asked for');
  });

  it('in a header of the user settings is removed in the same way', async () => {
    const servers = {
      first: { command: 'node' },
      shop: { url: server.url, headers: { Authorization: 'Bearer wrong', 'X-Shop': 'a' } },
    };
    const set = (value: unknown) =>
      vscode.workspace
        .getConfiguration(settings.section)
        .update(settings.servers, value, vscode.ConfigurationTarget.Global);
    await extension.clear();
    await set(servers);
    try {
      await extension.until(() => extension.picture() === 'first stopped, shop stopped');
      answers.press = (_, titles) => titles.find((title) => title === 'Use Sign-In Instead');
      await run(commands.startServer);
      const shown = () => vscode.window.activeTextEditor?.document;
      await eventually(
        () => [shown()?.getText() ?? '', ...answers.told].join('\n'),
        (text) => text.includes('"shop"') && !text.includes('Bearer'),
      );
      const document = shown();
      assert.ok(document?.isDirty, 'it is the person who saves');
      assert.match(document.getText(), /"headers": \{\s*"X-Shop": "a"\s*\}/);
      answers.press = () => undefined;
      await document.save();
      await eventually(
        async () => {
          await run(commands.startServer);
          return server.received.some(({ path }) => path.includes('/.well-known/'));
        },
        (isSo) => isSo,
      );
    } finally {
      await set(undefined);
    }
  });

  it('can be changed, and a running server offers a restart', async () => {
    typed = ['right'];
    await run(commands.startServer);
    await extension.until(() => extension.picture() === 'shop running');
    accepted = 'newer';
    typed = ['newer'];
    answers.press = () => 'Restart Server';
    const managing = Promise.resolve(run(commands.manageSecrets));
    await until(async () => {
      await run(accept);
      return typed.length === 0;
    });
    const isTold = (all: readonly string[]) => /uses the old value of “token”/.test(all.join());
    await eventually(() => answers.told, isTold);
    await pressingKey(close, managing);
    await eventually(
      () => server.received.some(({ headers }) => headers.authorization === 'Bearer newer'),
      (isSo) => isSo,
    );
    await extension.until(() => extension.picture() === 'shop running');
  });

  it('is deleted after a yes, and asked for at the next start', async () => {
    typed = ['right'];
    await run(commands.startServer);
    await extension.until(() => extension.picture() === 'shop running');
    dialogs.press = () => undefined;
    buttons.pressNext();
    await pressingKey(close, Promise.resolve(run(commands.manageSecrets)));
    assert.equal(dialogs.seen.at(-1)?.message, 'Forget the value of “token”?');
    await run(commands.restartServer);
    assert.equal(answers.boxes.length, 1);
    await forgetAll();
    typed = ['right'];
    dialogs.press = pressStart;
    await run(commands.restartServer);
    assert.equal(answers.boxes.length, 2);
    await forgetAll();
    await run(commands.manageSecrets);
    assert.match(answers.told.at(-1) ?? '', /^No values are kept\./);
  });
});

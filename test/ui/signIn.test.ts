import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands } from '../../src/ids';
import {
  AuthorizationServer,
  knownClient,
  visitDevice,
  visitSignIn,
} from '../fixtures/authorizationServer';
import { eventually } from '../waiting';
import { assertEach } from '../assertions';
import type { SeenDialog } from './dialogs';
import { RealExtension } from './realExtension';
import { WindowAnswers } from './windowAnswers';

const clientDocument = 'https://toolgate.example.org/client.json';
const setting = 'toolgate.signIn.clientDocument';
const docs = { serverId: 'docs' };
const run = async (command: string): Promise<unknown> =>
  vscode.commands.executeCommand(command, docs);
const clipboard = vscode.env.clipboard;

/** Answers modal dialogs, of either kind, by the title of a button. */
class ModalAnswers {
  readonly seen: SeenDialog[] = [];
  /** The buttons to press, one dialog after the other; one more dialog is closed. */
  presses: string[] = [];

  constructor() {
    for (const name of ['showInformationMessage', 'showWarningMessage'] as const) {
      const others = vscode.window[name];
      const show = async (message: string, ...rest: readonly unknown[]): Promise<unknown> => {
        const [options, ...items] = rest as [vscode.MessageOptions?, ...vscode.MessageItem[]];
        if (options?.modal !== true)
          return Reflect.apply(others, vscode.window, [message, ...rest]);
        const buttons = items.map(({ title }) => title);
        this.seen.push({ message, detail: options.detail ?? '', buttons });
        const pressed = this.presses.shift();
        return items.find(({ title }) => title === pressed);
      };
      Object.assign(vscode.window, { [name]: show });
    }
  }

  get last(): SeenDialog {
    return this.seen.at(-1) ?? assert.fail('no dialog');
  }
}

describe('Sign-in from question to token @newest', function () {
  let extension: RealExtension;
  let servers: AuthorizationServer;
  let answers: WindowAnswers;
  let dialogs: ModalAnswers;

  before(async () => {
    extension = await new RealExtension().activate();
    servers = await AuthorizationServer.start({ issuers: 2 });
    answers = new WindowAnswers().begin();
    dialogs = new ModalAnswers();
    await extension.configure({ docs: { type: 'http', url: servers.mcpUrl } });
    dialogs.presses = ['Connect'];
  });
  after(async () => {
    answers.dispose(); // It puts back what the dialogs took, too.
    await vscode.workspace.getConfiguration().update(setting, undefined, true);
    await extension.clear();
    await servers.stop();
  });

  const isRunning = () => extension.until(() => extension.server('docs')?.state === 'running');
  const host = (at: number) => new URL(servers.issuers[at] ?? '').host;
  const requests = async (isIt: RegExp) =>
    (await servers.requests()).filter(({ path, body }) => isIt.test(`${path} ${body}`));
  /** Which client the last question was for. */
  const client = () => /Client: (.*)/.exec(dialogs.last.detail)?.[1];
  /** The address that Copy Link leaves on the clipboard. */
  async function copied(): Promise<string> {
    const text = await eventually(
      async () => clipboard.readText(),
      (now) => now.startsWith('http'),
    );
    await clipboard.writeText('');
    return text;
  }
  /** As a browser does, which is sent on to the listener of the window. */
  async function visit(address: string): Promise<void> {
    await fetch(await visitSignIn(address));
  }

  it('begins at one of several sites, with the document of the setting, with an entered client ID, and without it again', async () => {
    await vscode.workspace.getConfiguration().update(setting, clientDocument, true);
    await servers.change({ announced: [0, 1], challengeScopes: ['files:read'] });
    answers.pick = host(1);
    dialogs.presses.push('Copy Link');
    let start = run(commands.signIn);
    const address = await copied();
    assert.deepEqual(answers.listed, [host(0), host(1)]);
    assert.ok(dialogs.last.detail.includes(`Sign-in page: ${host(1)}`));
    assert.equal(client(), 'client ID metadata document');
    const asked = new URL(address).searchParams;
    assert.equal(asked.get('client_id'), clientDocument);
    const published = documentOf(asked.get('redirect_uri'));
    await servers.change({ documents: { [clientDocument]: published } });
    await visit(address);
    await start;
    await isRunning();
    assert.equal((await requests(/^\/reg /)).length, 0);

    dialogs.presses = ['Sign Out'];
    await run(commands.signOut);
    assert.match(dialogs.last.message, /^Sign out “.*” from server “docs”\?$/);
    assert.equal(extension.server('docs')?.state, 'stopped');
    assert.ok((await requests(/^\/token\/revocation/)).length > 0);

    await servers.change({ announced: [1] });
    answers.type = ({ isPassword }) =>
      isPassword ? knownClient.clientSecret : knownClient.clientId;
    dialogs.presses = ['Use Another Client ID…', 'Copy Link'];
    start = run(commands.signIn);
    const another = new URL(await copied());
    assert.equal(client(), 'client ID that you entered');
    assert.equal(another.searchParams.get('client_id'), knownClient.clientId);
    assertEach(answers.boxes, ({ title }) => title, [
      `Client ID at ${host(1)}`,
      `Client ID at ${host(1)}`,
    ]);
    await run(commands.cancelSignIn);
    await start;

    dialogs.presses = ['Forget'];
    await run(commands.forgetClient);
    assert.equal(dialogs.last.message, `Forget the client registration at ${host(1)}?`);
    await run(commands.signIn);
    assert.equal(client(), 'client ID metadata document');
  });

  it('is renewed without a question, and asks again only at the user’s wish after it was lost or moved', async () => {
    await vscode.workspace.getConfiguration().update(setting, undefined, true);
    await servers.change({
      announced: [0],
      challengeScopes: ['openid', 'offline_access', 'files:read'],
      accessTokenSeconds: 4,
    });
    const signIn = async () => {
      dialogs.presses = ['Copy Link'];
      const end = run(commands.signIn);
      await visit(await copied());
      await end;
      await isRunning();
      dialogs.seen.length = 0;
    };
    await signIn();
    const [renewal] = await eventually(
      async () => {
        await run(commands.refreshTools);
        return requests(/grant_type=refresh_token/);
      },
      ({ length }) => length > 0,
    );
    await servers.change({ accessTokenSeconds: 3600 });
    // Two use one token: the server takes back everything that came of it.
    const body = new URLSearchParams(renewal?.body);
    await fetch(`${servers.issuer}/token`, { method: 'POST', body });
    await eventually(
      async () => {
        await run(commands.refreshTools);
        return extension.server('docs')?.problems ?? [];
      },
      (problems) => problems.length > 0,
    );
    assert.deepEqual(dialogs.seen, []);
    await signIn();

    // From now on it takes nothing that the first one gave, and has something to tell.
    const before = (await requests(/oauth-authorization-server/)).length;
    await servers.change({ announced: [1] });
    await servers.announceTools();
    await eventually(
      () => requests(/oauth-authorization-server/),
      ({ length }) => length > before,
    );
    assert.equal(extension.server('docs')?.state, 'running');
    assert.deepEqual(dialogs.seen, []);
    await run(commands.signIn);
    const { message, detail, buttons } = dialogs.last;
    assert.equal(message, 'Server “docs” now uses a different sign-in page. Sign in there?');
    assert.ok(detail.includes(`Previously: ${servers.issuers[0]}`));
    assert.equal(buttons[0], 'Copy Link');
  });

  it('with a device code is completed on any machine', async () => {
    dialogs.presses = ['Sign Out'];
    await run(commands.signOut);
    await servers.change({ announced: [0], hasPage: false, challengeScopes: ['files:read'] });
    dialogs.presses = ['Copy Code'];
    const end = run(commands.signIn);
    const code = await eventually(
      async () => clipboard.readText(),
      (text) => /^[A-Z]{4}-[A-Z]{4}$/.test(text),
    );
    const { message, detail, buttons } = dialogs.last;
    assert.equal(message, `Use ${code} to sign in to server “docs”`);
    assert.match(detail, /^Enter the code at: .*\/device\nServer: /);
    assert.deepEqual(buttons, ['Copy Code and Open Browser', 'Copy Code']);
    await visitDevice(`${servers.issuer}/device`, code);
    await end;
    await isRunning();
  });
});

/** What stands at the address of the setting. */
function documentOf(redirect: string | null): object {
  return {
    client_id: clientDocument,
    client_name: 'Toolgate test',
    redirect_uris: [redirect],
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

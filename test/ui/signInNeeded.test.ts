import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands } from '../../src/ids';
import { OwnServer } from '../servers/ownServer';
import { AnsweredDialogs, pressStart } from './dialogs';
import { RealExtension } from './realExtension';
import { WindowAnswers } from './windowAnswers';

describe('A server that requires a sign-in, started by another extension,', () => {
  let extension: RealExtension;
  let mcp: OwnServer;
  let issuer: OwnServer;
  let answers: WindowAnswers;
  let dialogs: AnsweredDialogs;
  const opened: unknown[] = [];
  const { openExternal } = vscode.env;

  before(async () => {
    extension = await new RealExtension().activate();
    [mcp, issuer] = [await OwnServer.start(), await OwnServer.start()];
    const { origin } = issuer;
    mcp.handle('/mcp', (_request, response) => {
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer scope="files:read"' }).end();
    });
    mcp.answer('/.well-known/oauth-protected-resource/mcp', {
      resource: `${mcp.origin}/mcp`,
      authorization_servers: [origin],
    });
    issuer.answer('/.well-known/oauth-authorization-server', {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ['S256'],
    });
    answers = new WindowAnswers().begin();
    dialogs = new AnsweredDialogs(pressStart).begin();
    Object.assign(vscode.env, { openExternal: (address: unknown) => opened.push(address) });
    await extension.configure({
      docs: { type: 'http', url: `${mcp.origin}/mcp` },
      local: { command: 'node' },
    });
  });
  after(async () => {
    Object.assign(vscode.env, { openExternal });
    dialogs.dispose();
    answers.dispose();
    await extension.clear();
    await Promise.all([mcp.stop(), issuer.stop()]);
  });

  it('says that a sign-in is missing, without a question, a registration or a browser', async () => {
    // How it is started is the only question, the first time; after that there is none.
    for (const questions of [1, 1]) {
      await assert.rejects(
        extension.api.start('docs'),
        (error) => error instanceof Error && error.message.startsWith('signInNeeded'),
      );
      assert.equal(extension.server('docs')?.state, 'stopped');
      assert.equal(dialogs.seen.length, questions);
    }
    assert.deepEqual([answers.told, answers.boxes, opened], [[], [], []]);
    // Far enough to know that it is a sign-in that is missing.
    assert.ok(issuer.paths.length > 0);
    assert.ok(issuer.paths.every((path) => path.startsWith('/.well-known/')));
  });

  it('is told apart from a local one, whose commands say that it has no URL', async () => {
    await vscode.commands.executeCommand(commands.signIn, { serverId: 'local' });
    assert.deepEqual(answers.told, ['“local” has no URL to sign in to.']);
  });
});

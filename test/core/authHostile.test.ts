import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isMcpError } from '../../src/core/errors';
import type { McpErrorCode, SignInStep } from '../../src/core/errors';
import type { SignInPerson } from '../fixtures/signInPerson';
import type { OwnServer } from '../servers/ownServer';
import { AuthScene, metadataPath, resourcePath } from './authScene';

describe('A hostile authorization server', () => {
  let scene: AuthScene;
  let mcp: OwnServer;
  let issuer: OwnServer;
  let person: SignInPerson;

  beforeEach(async () => {
    scene = await AuthScene.open();
    ({ mcp, issuer, person } = scene);
  });
  afterEach(() => scene.close());

  const back = (parameters: Readonly<Record<string, string>>) => scene.back(parameters);
  const metadata = (changes: object) => scene.metadata(changes);

  /** One clear error, and what was done until then. */
  async function stops(
    step: SignInStep,
    words: RegExp,
    done: { readonly opened: number; readonly tokenRequests: number },
    challenge?: string,
  ): Promise<void> {
    const code: McpErrorCode = 'signInFailed';
    await assert.rejects(scene.refused(challenge), (error) => {
      assert.ok(isMcpError(error, code), String(error));
      assert.equal(error.facts.signInStep, step, error.message);
      assert.match(error.facts.detail ?? '', words);
      return true;
    });
    const tokenRequests = issuer.paths.filter((path) => path === '/token').length;
    assert.deepEqual({ opened: person.opened.length, tokenRequests }, done);
    assert.equal(scene.grant, undefined);
    assert.equal(person.receivers, 0);
  }
  const nothing = { opened: 0, tokenRequests: 0 };
  const onlyOpened = { opened: 1, tokenRequests: 0 };

  it('has a benign counterpart, with which all of this works', async () => {
    await scene.refused();
    assert.equal(scene.grant?.accessToken, 'given');
  });

  for (const [what, named] of [
    ['another', 'https://other.example'],
    ['itself by another scheme', undefined],
    ['none', null],
  ] as const) {
    it(`names ${what} as its issuer, and none of its endpoints is used`, async () => {
      issuer.answer(
        metadataPath,
        metadata({
          issuer: named === undefined ? issuer.origin.replace('http:', 'https:') : named,
        }),
      );
      await stops('serverMetadata', /as its issuer/, nothing);
      assert.deepEqual(new Set(issuer.paths), new Set([metadataPath]));
    });
  }

  it('offers no PKCE, and is refused', async () => {
    issuer.answer(metadataPath, metadata({ code_challenge_methods_supported: undefined }));
    await stops('serverMetadata', /PKCE/, nothing);
  });

  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vscode://toolgate.toolgate/x',
    'http://as.example/authorize',
    'https://name:password@as.example/authorize',
  ]) {
    it(`would open ${address}, and nothing is opened`, async () => {
      issuer.answer(metadataPath, metadata({ authorization_endpoint: address }));
      await stops('authorization', /not https|holds a name/, nothing);
    });
  }

  for (const [where, host] of [
    ['a private network', '10.0.0.1'],
    ['a cloud', '169.254.169.254'],
    ['a private network, in IPv6', '[::ffff:192.168.0.1]'],
  ] as const) {
    it(`is in ${where}, unlike the MCP server, and gets no request`, async () => {
      mcp.answer(resourcePath, {
        resource: `${mcp.origin}/mcp`,
        authorization_servers: [`https://${host}/`],
      });
      await stops('serverMetadata', /in a network where/, nothing);
    });
  }

  it('has endless metadata, of which at most 1 MiB is read', async () => {
    issuer.handle(metadataPath, (_request, response) => {
      const more = () => {
        while (response.write(' '.repeat(64 * 1024)));
      };
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.on('drain', more);
      more();
    });
    await stops('serverMetadata', /answerTooLarge/, nothing);
  });

  it('has very deeply nested metadata', async () => {
    issuer.handle(metadataPath, (_request, response) => {
      response.end('[{"a":'.repeat(50_000));
    });
    await stops('serverMetadata', /no metadata/, nothing);
  });

  it('redirects without end', async () => {
    let count = 0;
    const redirect = (_request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(302, { Location: `${metadataPath}?${++count}` }).end();
    };
    issuer.handle(metadataPath, redirect);
    await stops('serverMetadata', /redirectRefused/, nothing);
    assert.ok(issuer.paths.length <= 4);
  });

  it('redirects to another origin, which gets no request', async () => {
    issuer.handle(metadataPath, (_request, response) => {
      response.writeHead(302, { Location: `${mcp.origin}/elsewhere` }).end();
    });
    await stops('serverMetadata', /redirectRefused/, nothing);
    assert.ok(!mcp.paths.includes('/elsewhere'));
  });

  it('redirects the token request, and the code is not passed on', async () => {
    issuer.handle('/token', (_request, response) => {
      response.writeHead(307, { Location: '/other' }).end();
    });
    await stops('token', /redirectRefused/, { opened: 1, tokenRequests: 1 });
    assert.ok(!issuer.paths.includes('/other'));
  });

  it('answers without a state, and the code is sent nowhere', async () => {
    person.answer = () => back({ code: 'code' });
    await stops('answer', /"state" missing/, onlyOpened);
  });

  it('answers with the state of another attempt', async () => {
    person.answer = () => back({ code: 'code', state: 'other' });
    await stops('answer', /unexpected "state"/, onlyOpened);
  });

  it('answers twice at once, and neither code is accepted', async () => {
    person.answer = (_address, state) => `${back({ code: 'one', state })}&code=two`;
    await stops('answer', /code/, onlyOpened);
  });

  for (const iss of ['https://other.example', '', 'slash'] as const) {
    it(`answers for another issuer, "${iss}", and nothing of it is shown`, async () => {
      const named = iss === 'slash' ? `${issuer.origin}/` : iss;
      person.answer = (_address, state) =>
        back({ error: 'shown_error', error_description: 'Call 0800', state, iss: named });
      await stops('answer', /^the answer is of another authorization server$/, onlyOpened);
    });
  }

  it('has a slash in its name and answers without it, and the answer is rejected', async () => {
    scene.describe({ issuer: `${issuer.origin}/` });
    person.answer = (_address, state) => back({ code: 'code', state, iss: issuer.origin });
    await stops('answer', /^the answer is of another authorization server$/, onlyOpened);
  });

  it('declares the iss parameter, and does not send it', async () => {
    issuer.answer(metadataPath, metadata({ authorization_response_iss_parameter_supported: true }));
    await stops('answer', /"iss" \(issuer\) missing/, onlyOpened);
  });

  it('sends a token that would break out of its header', async () => {
    issuer.answer('/token', { access_token: 'a\r\nX-Evil: 1', token_type: 'Bearer' });
    await stops('token', /no usable access token/, { opened: 1, tokenRequests: 1 });
  });

  it('sends an error with secrets, and the message contains none of them', async () => {
    issuer.answer('/token', { access_token: 'secret-token', token_type: 'odd' });
    await assert.rejects(scene.refused(), (error) => {
      const text = JSON.stringify(error) + String(error) + (error as Error).stack;
      return !text.includes('secret-token');
    });
  });

  it('is announced by a server for a resource that is not its own', async () => {
    mcp.answer(resourcePath, {
      resource: 'https://evil.example/mcp',
      authorization_servers: [issuer.origin],
    });
    await stops('resourceMetadata', /as its resource/, nothing);
    assert.deepEqual(issuer.paths, []);
  });

  it('is announced at a URL that the server may not request', async () => {
    const challenge = 'Bearer resource_metadata="http://169.254.169.254/latest/meta-data"';
    await stops('resourceMetadata', /not https/, nothing, challenge);
  });
});

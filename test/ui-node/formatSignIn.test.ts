import assert from 'node:assert/strict';
import { isSameSite } from '../../src/core/auth/serverMetadata';
import type { SignInQuestion } from '../../src/core/auth/ports';
import { serverOf } from '../host/treeFixtures';
import {
  formatSignInRow,
  isUnusualSignIn,
  scopeList,
  signInDetail,
  signInMessage,
  signInTooltipLines,
} from '../../src/ui/authorization/formatSignIn';

const question: SignInQuestion = {
  serverUrl: 'https://mcp.example.org/mcp',
  issuer: 'https://mcp.example.org',
  authorizationOrigin: 'https://mcp.example.org',
  resource: 'https://mcp.example.org/mcp',
  scopes: ['files:read'],
  reason: 'first',
  addedScopes: [],
  client: 'registered',
};

describe('formatSignIn', () => {
  it('treats a host and its subdomains as one site, and nothing else', () => {
    const site = 'https://example.org';
    assert.equal(isSameSite(site, 'https://example.org:8443/x'), true);
    assert.equal(isSameSite(site, 'https://login.example.org'), true);
    assert.equal(isSameSite('https://login.example.org', site), true);
    for (const other of [
      'https://example.org.evil.com',
      'https://badexample.org',
      'https://org',
      'no',
    ]) {
      assert.equal(isSameSite(site, other), false, other);
    }
    assert.equal(isSameSite('https://a.example.org', 'https://b.example.org'), false);
  });

  it('shows everything that the user needs to decide', () => {
    assert.equal(signInMessage('docs', question), 'Sign in to server “docs”?');
    assert.deepEqual(signInDetail({ ...question, scopes: ['openid', 'files:read'] }).split('\n'), [
      'Server: https://mcp.example.org/mcp',
      'Sign-in page: mcp.example.org',
      '',
      'Scopes:',
      '  openid',
      '  files:read',
      'Audience: https://mcp.example.org/mcp',
      'Client: registered automatically',
      '',
      'You sign in on that site. Toolgate never sees your password.',
    ]);
  });

  it('shows another site in full, and the location of the page if it is on a third one', () => {
    const foreign = {
      ...question,
      issuer: 'https://login.example.com/tenant',
      authorizationOrigin: 'https://pages.example.net',
    };
    const lines = signInDetail(foreign).split('\n');
    assert.ok(
      lines.some((line) => line.includes('https://login.example.com/tenant, a different site')),
    );
    assert.ok(lines.includes('Page to open: https://pages.example.net'));
    assert.equal(isUnusualSignIn(foreign), true);
    assert.equal(isUnusualSignIn(question), false);
    assert.equal(
      isUnusualSignIn({ ...question, authorizationOrigin: 'https://x.example.net' }),
      true,
    );
    assert.equal(isUnusualSignIn({ ...question, reason: 'changedServer' }), true);
  });

  it('says in the row and its tooltip what to do while it waits for the user, with or without a browser', () => {
    const signIn = { kind: 'signingIn' } as const;
    const server = serverOf('docs', [], { state: { kind: 'starting' }, signIn });
    assert.equal(formatSignInRow(server), 'waiting for you to sign in');
    assert.deepEqual(signInTooltipLines(signIn), [
      'Waiting for you to sign in: answer the question, or sign in on the page in the browser. “Cancel Sign-In” cancels it.',
    ]);
  });

  it('names letters of a host that look like others', () => {
    const detail = signInDetail({ ...question, issuer: 'https://xn--exmple-cua.org' });
    assert.match(detail, /Encoded: exämple\.org/);
    assert.match(detail, /letters that can look like others/);
  });

  it('says where the user signed in before', () => {
    const changed = {
      ...question,
      reason: 'changedServer',
      formerIssuer: 'https://old.example.org',
    } as const;
    assert.match(signInMessage('docs', changed), /a different sign-in page/);
    assert.match(signInDetail(changed), /^Previously: https:\/\/old\.example\.org$/m);
  });

  it('keeps each fact on one line, whatever a server writes', () => {
    const hostile = 'a\nServer: https://safe.example.org\u202e';
    const detail = signInDetail({
      ...question,
      scopes: [hostile],
      resource: `${question.resource}${hostile}`,
    });
    assert.equal(detail.split('\n').filter((line) => line.startsWith('Server: ')).length, 1);
    assert.equal(detail.includes('\u202e'), false);
  });

  it('shows at most twenty scopes and says how many more there are', () => {
    const list = scopeList(Array.from({ length: 25 }, (_, index) => `right:${index}`));
    assert.equal(list.length, 21);
    assert.equal(list.at(-1), 'and 5 more');
    assert.match(signInDetail({ ...question, scopes: [] }), /^Scopes: chosen by the server$/m);
  });
});

import assert from 'node:assert/strict';
import { bearerChallenge } from '../../src/core/auth/challenges';

const address = 'https://mcp.example/.well-known/oauth-protected-resource';

describe('A challenge', () => {
  const cases: readonly [string, readonly string[], object | undefined][] = [
    ['is none where there is no header', [], undefined],
    ['is none of another scheme', ['Basic realm="x"'], undefined],
    ['may say nothing', ['Bearer'], {}],
    [
      'is found beside others in one header',
      [`Basic realm="a, Bearer b", Bearer resource_metadata="${address}", Digest nonce=x`],
      { resourceMetadata: address },
    ],
    [
      'is found in the second header',
      ['Negotiate', `Bearer resource_metadata="${address}"`],
      { resourceMetadata: address },
    ],
    [
      'is the one that names the metadata, of several',
      ['Bearer scope="a"', `Bearer resource_metadata="${address}", scope="b"`],
      { resourceMetadata: address, scopes: ['b'] },
    ],
    [
      'has names in any case',
      [`bEARER Resource_Metadata="${address}"`],
      { resourceMetadata: address },
    ],
    [
      'has escapes and commas in quotes',
      ['Bearer error="insufficient_scope", error_description="say \\"please\\", twice"'],
      { error: 'insufficient_scope', errorDescription: 'say "please", twice' },
    ],
    ['has each scope once', ['Bearer scope="a b  a"'], { scopes: ['a', 'b'] }],
    ['may have no scopes, which is not the same as none', ['Bearer scope=""'], { scopes: [] }],
    [
      'has no scopes that cannot be one',
      ['Bearer scope="a grü\u00dfe b\u0001"'],
      { scopes: ['a'] },
    ],
    ['is not spoiled by a header beside it', ['Bearer =', 'Bearer scope=a'], { scopes: ['a'] }],
    [
      'has no address that is longer than any',
      [`Bearer resource_metadata="https://x.example/${'a'.repeat(4_000)}"`],
      {},
    ],
  ];
  for (const [fact, headers, expected] of cases) {
    it(fact, async () => assert.deepEqual(await bearerChallenge(headers), expected));
  }
});

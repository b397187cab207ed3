import assert from 'node:assert/strict';
import { signInChallenge } from '../../src/core/auth/discovery';

const address = 'https://mcp.example/.well-known/oauth-protected-resource';

describe('A challenge', () => {
  const cases: readonly [string, readonly string[], object | undefined][] = [
    ['does not exist without a header', [], undefined],
    ['does not exist for another scheme', ['Basic realm="x"'], undefined],
    ['can have no parameters', ['Bearer'], {}],
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
      'is the one of several that names the metadata',
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
    [
      'can have an empty scope, which differs from a missing one',
      ['Bearer scope=""'],
      { scopes: [] },
    ],
    ['has no invalid scopes', ['Bearer scope="a grü\u00dfe b\u0001"'], { scopes: ['a'] }],
    ['is not affected by another header', ['Bearer =', 'Bearer scope=a'], { scopes: ['a'] }],
    [
      'has no URL above the limit',
      [`Bearer resource_metadata="https://x.example/${'a'.repeat(4_000)}"`],
      {},
    ],
  ];
  for (const [fact, headers, expected] of cases) {
    it(fact, async () => assert.deepEqual(await signInChallenge(headers), expected));
  }
});

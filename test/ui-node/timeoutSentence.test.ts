import assert from 'node:assert/strict';
import { McpError } from '../../src/core/errors';
import { errorSentence } from '../../src/ui/format/sentences';

describe('The sentence of a timeout', () => {
  it('names the limit that was in force, and an unknown outcome', () => {
    const of = (facts: McpError['facts']) => errorSentence('shop', new McpError('timeout', facts));
    assert.match(of({}), /within its time limit .*"toolgate\.calls\.timeoutMs"/);
    assert.match(
      of({ limit: 60_000, timeLimit: { kind: 'default' } }),
      /within 60 s .*"toolgate\.calls\.timeoutMs"/,
    );
    assert.match(
      of({ limit: 5_000, timeLimit: { kind: 'own', key: 'shop/sell\u202E' } }),
      /within 5\.0 s .*“shop\/sell\\u\{202E\}” in "toolgate\.calls\.timeouts"/,
    );
    assert.match(
      of({ limit: 3_600_000, timeLimit: { kind: 'ceiling' }, outcomeUnknown: true }),
      /"toolgate\.calls\.ceilingMs"\. Outcome unknown: /,
    );
    assert.match(
      of({ limit: 2_000, timeLimit: { kind: 'call' } }),
      /the “timeout” of the call\. Increase it/,
    );
  });
});

import assert from 'node:assert/strict';
import { McpError, type McpErrorCode, type McpErrorFacts } from '../../src/core/errors';
import { riskOf } from '../../src/core/risk';
import { CallDeadline } from '../../src/core/rpc/callDeadline';
import { lostAnswerError } from '../../src/host/calls/timeLimits';

const isUnknown = (code: McpErrorCode, facts: McpErrorFacts = {}, readOnlyHint = false) =>
  lostAnswerError(new McpError(code, facts), {
    limit: { ms: 1, source: { kind: 'default' } },
    deadline: new CallDeadline(1, 1),
    risk: riskOf({ readOnlyHint }),
  }).facts.outcomeUnknown === true;

describe('A call that failed after it was sent', () => {
  const unknown: readonly (readonly [McpErrorCode, McpErrorFacts?])[] = [
    ['timeout'],
    ['connectionLost'],
    ['connectionClosed'],
    ['sessionLost'],
    ['unexpectedContentType', { httpStatus: 200 }],
    ['invalidResult'],
    ['answerTooLarge'],
    ['messageTooLarge'],
    ['serverFlood'],
    ['httpError', { httpStatus: 500 }],
    ['httpError', { httpStatus: 504 }],
    ['serverError', { httpStatus: 504, rpcCode: -32000 }],
  ];
  for (const [code, facts = {}] of unknown) {
    const what = [code, facts.httpStatus].filter((part) => part !== undefined).join(' ');
    it(`has an unknown outcome unless its tool is read-only or it was refused: ${what}`, () => {
      assert.equal(isUnknown(code, facts), true);
      assert.equal(isUnknown(code, facts, true), false);
      assert.equal(isUnknown(code, { ...facts, hadNoEffect: true }), false);
    });
  }

  it('has a known outcome if the server refused it, or answered with an error', () => {
    const known = [
      isUnknown('serverError', { rpcCode: -32603 }),
      isUnknown('serverError', { rpcCode: -32603, httpStatus: 500 }),
      isUnknown('httpError', { httpStatus: 404 }),
      isUnknown('httpError', { httpStatus: 429 }),
      isUnknown('unauthorized', { httpStatus: 401 }),
      isUnknown('unreachable'),
      isUnknown('tlsError'),
    ];
    assert.deepEqual(
      known,
      known.map(() => false),
    );
  });
});

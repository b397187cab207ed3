import assert from 'node:assert/strict';
import { McpError, type McpErrorFacts } from '../../src/core/errors';
import { classifyProbe, type ProbeAnswer } from '../../src/core/eras/eraDetection';

const refused = (rpcCode: number, facts: McpErrorFacts = {}): ProbeAnswer => ({
  error: new McpError('serverError', { rpcCode, ...facts }),
});
const status = (httpStatus: number): ProbeAnswer => ({
  error: new McpError(httpStatus === 401 ? 'unauthorized' : 'httpError', { httpStatus }),
});
const versions = (supportedVersions: unknown): ProbeAnswer => ({
  result: { supportedVersions, capabilities: {} },
});
const modern = '2026-07-28';

/** The verdict in a word or two. */
function verdict(answer: ProbeAnswer): string {
  const judged = classifyProbe(answer);
  const offer = judged.kind === 'stateful' && judged.offer !== undefined ? ` ${judged.offer}` : '';
  const code = judged.kind === 'failed' ? ` ${judged.error.code}` : '';
  const passing = judged.kind === 'stateful' && judged.isPassing === true ? ', for now' : '';
  return judged.kind + offer + code + passing;
}

describe('An answer to server/discover', () => {
  const table: readonly (readonly [what: string, answer: ProbeAnswer, expected: string])[] = [
    ['a real result', versions([modern]), 'stateless'],
    ['one with older versions too', versions(['2025-11-25', modern, '2099-01-01']), 'stateless'],
    ['one with older versions only', versions(['2024-11-05', '2025-06-18']), 'stateful 2025-06-18'],
    ['one with strange versions only', versions(['2099-01-01']), 'failed unsupportedRevision'],
    ['an empty result', { result: {} }, 'stateful'],
    ['null', { result: null }, 'stateful'],
    ['an echo', { result: { method: 'server/discover' } }, 'stateful'],
    ['versions that are no strings', versions([20260728]), 'stateful'],
    ['versions that are no list', versions(modern), 'stateful'],
    [
      'a result of another type',
      { result: { resultType: 'task', supportedVersions: [modern] } },
      'stateful',
    ],
    ['silence', { silentMs: 1 }, 'stateful'],
    ['an answer of the wrong shape', { error: new McpError('invalidResult') }, 'stateful'],
    ['-32022 with our version', refused(-32022, { rpcData: { supported: [modern] } }), 'again'],
    ['-32022 without a list', refused(-32022), 'again'],
    [
      '-32022 with older versions',
      refused(-32022, { rpcData: { supported: ['2025-11-25'] } }),
      'stateful 2025-11-25',
    ],
    [
      '-32022 with strange versions',
      refused(-32022, { rpcData: { supported: ['x'] } }),
      'failed unsupportedRevision',
    ],
    ['-32022 in a 400', refused(-32022, { httpStatus: 400 }), 'again'],
    ['-32020', refused(-32020, { httpStatus: 400 }), 'again'],
    [
      '-32021',
      refused(-32021, { rpcData: { requiredCapabilities: { x: {} } } }),
      'failed capabilityRequired',
    ],
    ...[
      -32601, -32602, -32600, -32700, -32603, -32000, -32001, -32002, -32003, -32004, -32019, -1, 5,
    ].map((code) => [`error ${code}`, refused(code), 'stateful'] as const),
    ['error -32000 in a 400', refused(-32000, { httpStatus: 400 }), 'stateful'],
    ['an error without a code', { error: new McpError('serverError') }, 'stateful'],
    ...[400, 404, 405, 406, 415, 422].map(
      (code) => [`status ${code}`, status(code), 'stateful'] as const,
    ),
    ['a page instead of an answer', { error: new McpError('unexpectedContentType') }, 'stateful'],
    ['status 401', status(401), 'failed unauthorized'],
    ...[403, 407, 408, 413, 429, 431].map(
      (code) => [`status ${code}`, status(code), 'failed httpError'] as const,
    ),
    ...[500, 501, 502, 503, 504, 520].map(
      (code) => [`status ${code}`, status(code), 'stateful, for now'] as const,
    ),
    ['error -32000 in a 503', refused(-32000, { httpStatus: 503 }), 'stateful, for now'],
    ['error -32603 in a 500', refused(-32603, { httpStatus: 500 }), 'stateful, for now'],
    ['-32022 in a 500', refused(-32022, { httpStatus: 500 }), 'again'],
    ['a broken connection', { error: new McpError('connectionLost') }, 'stateful, for now'],
    ...(
      [
        'unreachable',
        'tlsError',
        'redirectRefused',
        'connectionClosed',
        'cancelled',
        'messageTooLarge',
        'serverFlood',
      ] as const
    ).map((code) => [code, { error: new McpError(code) }, `failed ${code}`] as const),
  ];
  for (const [what, answer, expected] of table) {
    it(`${what}: ${expected}`, () => assert.equal(verdict(answer), expected));
  }

  it('without a common version leads to an error with the versions of both', () => {
    const judged = classifyProbe(versions(['x', 'y']));
    assert.match(String(judged.error?.facts.detail), /^server: x, y; client: 2026-07-28, 2025-11/);
  });
});

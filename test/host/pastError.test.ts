import assert from 'node:assert/strict';

import { McpError } from '../../src/core/errors';
import { toPastError } from '../../src/host/history/pastCall';
import { SecretValues } from '../../src/host/secrets/secretValues';

describe('The error message of a past call', () => {
  const secret = 'correct-horse-battery-staple';
  const values = new SecretValues();
  values.add(secret);
  const pastDetail = (detail: string): string =>
    toPastError(new McpError('serverError', { detail }), false, (text) => values.redact(text)).facts
      .detail ?? '';

  it('contains no part of a secret at the end of the kept text', () => {
    const before = 'x'.repeat(1_990);
    assert.equal(pastDetail(before + secret), `${before}(secret)`);
  });

  it('contains no part of a secret at the end of the searched text', () => {
    // Side by side they are one mark, so that the end of the search comes into sight.
    assert.doesNotMatch(pastDetail(`Not: ${secret.repeat(10_000)}`), /corr|horse|staple/);
  });

  it('keeps the data of a server’s error without secrets, and none beside secret arguments', () => {
    const error = new McpError('serverError', { rpcData: { token: secret, left: 3 } });
    const kept = (hasSecrets: boolean) =>
      toPastError(error, hasSecrets, (text) => values.redact(text)).facts.rpcData;
    assert.equal(kept(false), '{"token":"(secret)","left":3}');
    assert.equal(kept(true), undefined);
  });

  it('keeps 2,000 characters of the server’s text', () => {
    assert.equal(pastDetail('y'.repeat(1_000_000)).length, 2_000);
  });
});

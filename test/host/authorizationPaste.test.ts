import assert from 'node:assert/strict';
import {
  readPastedRedirect,
  type RedirectAnswer,
} from '../../src/host/authorization/loopbackReceiver';

const address = 'http://127.0.0.1:4711/callback';
const state = 'st4te';
const query = `code=c0de&state=${state}&iss=https%3A%2F%2FLogin.example.com%2F%7Ea`;
const read = (text: string) => readPastedRedirect(text, { address, state });
const told = (answer: RedirectAnswer) =>
  answer.kind === 'answer' ? answer.address.href : answer.reason;

describe('A pasted URL of a sign-in', () => {
  const taken = [
    `${address}?${query}`,
    `  ${address}?${query}\n`,
    `${address}?${query}#_=_`,
    `HTTP://127.0.0.1:4711/callback?${query}`,
    `?${query}`,
    query,
    `${query}#_=_`,
  ];
  for (const text of taken) {
    it(`is the answer: ${text.trim()}`, () => {
      const answer = read(text);
      assert.equal(told(answer), `${address}?${query}`);
    });
  }

  it('is the answer if it is a refusal', () => {
    const answer = read(`?error=access_denied&state=${state}`);
    assert.equal(told(answer), `${address}?error=access_denied&state=${state}`);
  });

  it('must have exactly the expected issuer', () => {
    const answer = read(query);
    assert.ok(answer.kind === 'answer');
    assert.equal(answer.address.searchParams.get('iss'), 'https://Login.example.com/~a');
  });

  const refused: readonly (readonly [string, string])[] = [
    ['', 'notAnAddress'],
    ['c0de', 'notAnAddress'],
    ['4/0AX4XfWh', 'notAnAddress'],
    ['code = c0de', 'notAnAddress'],
    ['c0de==', 'noState'],
    ['code=c0de', 'noState'],
    [`${address}?code=c0de`, 'noState'],
    [address, 'noState'],
    [`${address}#${query}`, 'noState'],
    [`?code=c0de&state=St4te`, 'otherState'],
    ['?code=c0de&state=', 'otherState'],
    [`?${query}&state=${state}`, 'duplicate'],
    [`?${query}&code=c`, 'duplicate'],
    [`?${query}&iss=`, 'duplicate'],
    [`?${query}&error=a&error=b`, 'duplicate'],
    [`?state=${state}`, 'noOutcome'],
    [`https://127.0.0.1:4711/callback?${query}`, 'otherAddress'],
    [`http://127.0.0.1:4712/callback?${query}`, 'otherAddress'],
    [`http://localhost:4711/callback?${query}`, 'otherAddress'],
    [`${address}/?${query}`, 'otherAddress'],
    [`http://me@127.0.0.1:4711/callback?${query}`, 'otherAddress'],
    [`http://?${query}`, 'notAnAddress'],
    [`${address}?${query} and more`, 'notAnAddress'],
    [`?${query}&x=${'x'.repeat(8_192)}`, 'tooLong'],
  ];
  for (const [text, reason] of refused) {
    it(`is refused as ${reason}: ${text.slice(0, 60)}`, () =>
      assert.equal(told(read(text)), reason));
  }

  it('never matches an attempt without a state', () => {
    assert.equal(told(readPastedRedirect('code=c&state=', { address, state: '' })), 'otherState');
  });
});

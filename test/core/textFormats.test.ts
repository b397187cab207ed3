import assert from 'node:assert/strict';
import { fitsFormat } from '../../src/core/arguments/textFormats';

const cases: Readonly<Record<string, { good: readonly string[]; bad: readonly string[] }>> = {
  email: {
    good: ['ann@example.org', "o'neil+tag@sub.example.org", 'a@b', 'jörg@müller.example'],
    bad: ['', 'ann', '@b', 'a@', 'a b@c.org', 'a@b@c', 'a@b..c', `${'x'.repeat(250)}@b.org`],
  },
  uri: {
    good: ['https://example.org', 'mailto:a@b', 'urn:isbn:0', 'HTTP://X', 'file:///tmp'],
    bad: ['', 'example.org', '/path', 'https://', 'https://a b', 'not a uri', 'https://<x>'],
  },
  uuid: {
    good: ['123e4567-e89b-12d3-a456-426614174000', '00000000-0000-0000-0000-00000000000F'],
    bad: ['', '123e4567e89b12d3a456426614174000', '{123e4567-e89b-12d3-a456-426614174000}', 'x'],
  },
  date: {
    good: ['2026-07-28', '2024-02-29', '2000-02-29', '2026-04-30', '2026-12-31'],
    bad: ['', '28.07.2026', '2026-7-28', '2026-02-29', '1900-02-29', '2026-04-31', '2026-13-01'],
  },
  'date-time': {
    good: ['2026-07-28T12:00:00Z', '2026-07-28t12:00:00.123456+02:00', '2026-07-28 23:59:60-00:30'],
    bad: [
      '2026-07-28',
      '2026-07-28T12:00:00',
      '2026-07-28T24:00:00Z',
      '2026-07-28T12:60:00Z',
      '2026-02-30T12:00:00Z',
      '2026-07-28T12:00:00+24:00',
      'x2026-07-28T12:00:00Z',
    ],
  },
};

describe('A format that a server asks for', () => {
  for (const [format, { good, bad }] of Object.entries(cases)) {
    it(`${format} is distinguished from similar texts`, () => {
      assert.deepEqual(
        [...good, ...bad].filter((text) => fitsFormat(format, text)),
        good,
      );
    });
  }

  it('of an unknown name refuses nothing', () => {
    assert.equal(fitsFormat('color', 'anything'), true);
  });
});

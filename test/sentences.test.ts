import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';

type Text = string | { readonly message: string };

const file = path.resolve(__dirname, '../l10n/bundle.l10n.json');
const texts = Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Text>).map(
  (text) => (typeof text === 'string' ? text : text.message),
);

/** A toast, a row and a dialog show about as much at a glance. */
const glanceLength = 90;
/** What lists facts may be longer, but not longer than what is listed below. */
const greatestLength = 125;

describe('What the code says to a person', () => {
  it('is short, but for the little that lists facts', () => {
    const long = texts.filter((text) => text.length > glanceLength);
    assert.ok(long.length * 30 < texts.length, `${long.length} of ${texts.length} are long`);
    const beginnings = texts
      .filter((text) => text.length > greatestLength)
      .map((text) => text.split(' ').slice(0, 4).join(' '));
    assert.deepEqual(beginnings, [
      'Arguments of the call.',
      'File changes restarted server',
      'The file now uses',
      'This was “initialize”; “server/discover”',
    ]);
  });
});

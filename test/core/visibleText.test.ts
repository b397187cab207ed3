import assert from 'node:assert/strict';
import {
  hasHiddenCharacters,
  hiddenPlaces,
  visibleText,
  escapeIcons,
  breakLinks,
} from '../../src/core/visibleText';

const hidden: readonly (readonly [string, string, string])[] = [
  ['a right-to-left override', 'gpj\u202Eexe.sh', String.raw`gpj\u{202E}exe.sh`],
  ['bidirectional isolates', 'a\u2066b\u2069', String.raw`a\u{2066}b\u{2069}`],
  ['marks of direction', '\u200Ea\u200F\u061C', String.raw`\u{200E}a\u{200F}\u{061C}`],
  ['zero-width characters', 'a\u200Bb\u2060c\uFEFF', String.raw`a\u{200B}b\u{2060}c\u{FEFF}`],
  ['joiners between Latin letters', 'a\u200Db\u200Cc', String.raw`a\u{200D}b\u{200C}c`],
  ['tag characters', 'Hi\u{E0049}\u{E0067}', String.raw`Hi\u{E0049}\u{E0067}`],
  ['tags behind a flag', '🏴\u{E0067}\u{E007F}', String.raw`🏴\u{E0067}\u{E007F}`],
  ['variation selectors', 'a\uFE0F\u{E0100}', String.raw`a\u{FE0F}\u{E0100}`],
  ['more selectors than an emoji has', '😀\uFE0F\uFE0F', `😀\uFE0F${String.raw`\u{FE0F}`}`],
  ['a soft hyphen', 'de\u00ADlete', String.raw`de\u{00AD}lete`],
  ['invisible operators', 'f\u2061(x\u2062y)', String.raw`f\u{2061}(x\u{2062}y)`],
  ['fillers', 'a\u3164b\u115F\u2800', String.raw`a\u{3164}b\u{115F}\u{2800}`],
  ['the grapheme joiner', 'a\u034Fb', String.raw`a\u{034F}b`],
  ['line separators', 'a\u2028b\u2029c\u0085', String.raw`a\u{2028}b\u{2029}c\u{0085}`],
  ['controls', 'a\0b\x1B[31mc\x7F\x9B', String.raw`a\u{0000}b\u{001B}[31mc\u{007F}\u{009B}`],
  ['lone surrogates', 'a\uD800b\uDC00', String.raw`a\u{D800}b\u{DC00}`],
  ['noncharacters', '\uFFFE\u{1FFFF}', String.raw`\u{FFFE}\u{1FFFF}`],
  ['private use', '\uEA60\u{F0000}', String.raw`\u{EA60}\u{F0000}`],
  ['object replacement', '\uFFFC\uFFF9', String.raw`\u{FFFC}\u{FFF9}`],
  ['a mark on nothing', '\u0301a', String.raw`\u{0301}a`],
  ['a mark on what is hidden', 'a\u200B\u0301', String.raw`a\u{200B}\u{0301}`],
  [
    'a fifth mark on one letter',
    `z${'\u0335'.repeat(6)}`,
    `z${'\u0335'.repeat(4)}${String.raw`\u{0335}\u{0335}`}`,
  ],
];

const ordinary = [
  '',
  'delete_note',
  'C:\\Users\\me {"a": [1]} <b> $(x) `y`',
  'Grüße, naïve café, cafe\u0301, Tiếng Việt, Việt'.normalize('NFD'),
  'Привет Ελληνικά 日本語 한국어 中文',
  'שָׁלוֹם',
  'مرحبا \u0600\u0661',
  'می\u200Cخواهم',
  'नमस्ते क्\u200Dष',
  'ภาษาไทย น้ำ',
  '👩\u200D👩\u200D👧\u200D👦 🏳\uFE0F\u200D🌈 👍🏽 🧑🏽\u200D💻 ❤\uFE0F 🇩🇪 1\uFE0F\u20E3 ☎',
  'no-break\u00A0space, ideographic\u3000space',
];

describe('visibleText', () => {
  for (const [what, text, expected] of hidden) {
    it(`escapes ${what}`, () => {
      assert.equal(visibleText(text, 1_000), expected);
      assert.equal(hasHiddenCharacters(text, 1_000), true);
    });
  }

  for (const text of ordinary) {
    it(`leaves ${JSON.stringify(text)} unchanged`, () => {
      assert.equal(visibleText(text, 1_000), text);
      assert.equal(hasHiddenCharacters(text, 1_000), false);
    });
  }

  it('shows line breaks and tabs as escapes, or keeps them', () => {
    const text = 'a\nb\r\nc\rd\te';
    assert.equal(visibleText(text, 100), String.raw`a\nb\r\nc\rd\te`);
    assert.equal(visibleText(text, 100, { newlines: 'keep' }), `a\nb\nc${String.raw`\r`}d\te`);
    assert.equal(hasHiddenCharacters(text, 100), false);
  });

  it('cuts at the limit, between characters and never inside an escape', () => {
    assert.equal(visibleText('abcdef', 6), 'abcdef');
    assert.equal(visibleText('abcdefg', 6), 'abcde…');
    assert.equal(visibleText('ab😀😀', 6), 'ab😀😀');
    assert.equal(visibleText('ab😀😀!', 6), 'ab😀…');
    assert.equal(visibleText('ab\u202Ecdef', 9), 'ab…');
    assert.equal(visibleText('ab\u202Ecdef', 11), String.raw`ab\u{202E}…`);
    assert.equal(visibleText('ab\u202E', 10), String.raw`ab\u{202E}`);
    assert.equal(visibleText('👩\u200D👩\u200D👧', 5), '…');
    assert.equal(visibleText('abc', 1), '…');
    assert.equal(visibleText('abc', 0), '');
    assert.equal(visibleText('', 0), '');
    assert.equal(visibleText('\r\n'.repeat(10), 10, { newlines: 'keep' }), '\n'.repeat(10));
  });

  it('never returns more than the limit, whatever the text', () => {
    const all = hidden.map(([, text]) => text).join('') + ordinary.join('');
    for (let limit = 0; limit < 300; limit++) {
      const shown = visibleText(all, limit);
      assert.ok(shown.length <= limit, `${shown.length} > ${limit}`);
      assert.doesNotMatch(shown, /\p{Cs}/u);
      assert.ok(limit === 0 || shown.endsWith('…'));
    }
  });

  it('reads only the beginning of a very long text', () => {
    const long = `${'x'.repeat(100_000_000)}\u202E`;
    const joined = `😀${'\u200D😀'.repeat(5_000_000)}`;
    // Makes each one piece of memory, which takes longer than all the rest.
    assert.equal(long.charCodeAt(5) + joined.charCodeAt(2), 0x78 + 0x200d);
    // To look at all of it so often would take minutes.
    for (let times = 0; times < 1_000; times += 1) {
      assert.equal(visibleText(long, 20), `${'x'.repeat(19)}…`);
      assert.equal(hasHiddenCharacters(long, 20), false);
      assert.ok(visibleText(joined, 20).length <= 20);
    }
  });
});

describe('hiddenPlaces', () => {
  const fence = 'x\n';
  for (const [what, text, expected] of hidden) {
    it(`finds ${what} at their places`, () => {
      const whole = `${fence}${text}y`;
      let shown = '';
      let end = 0;
      for (const { offset, length } of hiddenPlaces(whole, 100)) {
        const piece = whole.slice(offset, offset + length);
        shown += whole.slice(end, offset) + visibleText(piece, 1_000);
        end = offset + length;
      }
      assert.equal(shown + whole.slice(end), `${fence}${expected}y`);
    });
  }

  it('finds none in ordinary text', () => {
    assert.deepEqual(hiddenPlaces(ordinary.join('\r\n\t'), 100), []);
  });

  it('finds a maximum number, and merges neighbors', () => {
    const text = 'a\u200B\u200B '.repeat(50);
    assert.deepEqual(hiddenPlaces(text, 2), [
      { offset: 1, length: 2 },
      { offset: 5, length: 2 },
    ]);
  });

  it('reads a megabyte of other letters quickly', () => {
    assert.deepEqual(hiddenPlaces('日本語'.repeat(350_000), 100), []);
  });
});

describe('withoutIcons', () => {
  it('escapes the syntax that a quick pick would draw as an icon', () => {
    assert.equal(escapeIcons('$(check) safe $(x)'), String.raw`\$(check) safe \$(x)`);
    assert.equal(escapeIcons(String.raw`\$(check)`), String.raw`\\$(check)`);
    assert.equal(escapeIcons('costs $5 (net)'), 'costs $5 (net)');
  });
});

describe('withoutLinks', () => {
  it('breaks links that a notification would make', () => {
    assert.equal(
      breakLinks('See [details](command:workbench.action.quit) [x](https://a.example)'),
      'See [details] (command:workbench.action.quit) [x] (https://a.example)',
    );
  });
});

import assert from 'node:assert/strict';
import { largeJsonOf } from '../../src/core/content/contentFiles';
import { JsonAssembler, type AssemblerLimits } from '../../src/core/json/jsonAssembler';
import { JsonFollower } from '../../src/core/json/jsonFollower';
import { checkCosts } from '../../src/core/json/jsonLevels';
import { TooMuchJson } from '../../src/core/json/jsonLimits';
import { jsonPieces } from '../../src/core/json/jsonPieces';
import { RawJson, uncheckedReason } from '../../src/core/json/rawJson';
import { parseRawJson } from '../../src/core/json/parseRawJson';
import { NotJson, parseFollowedJson } from '../../src/core/json/parseJson';

const limits: AssemblerLimits = { maxBytes: 2 ** 28, maxValues: 500_000 };
/** With which small texts go the way of large ones. */
const tiny: AssemblerLimits = {
  maxBytes: 2 ** 20,
  maxValues: 1_000_000,
  minFollowedBytes: 0,
  maxContentValues: 3,
};

/** Whole numbers from 0 below `limit`, the same for the same seed. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

type Next = (limit: number) => number;

/**
 * Seeds that differ in each run; a failure names its seed. They are independent of each other,
 * because consecutive seeds draw much the same numbers and so the same kinds of messages.
 */
function newSeeds(): readonly number[] {
  return Array.from({ length: 1_000 }, () => Math.floor(Math.random() * 2 ** 31));
}

function assemble(text: string | Buffer, size: () => number, given = limits): unknown {
  const assembler = new JsonAssembler(given);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    const end = at + size();
    // A copy, because a chunk is handed over for good.
    assembler.push(Buffer.from(bytes.subarray(at, end)));
    at = end;
  }
  return assembler.end();
}

const chunks = () => 65_536;

/** With everything that was taken out in its place. */
async function whole(message: unknown): Promise<unknown> {
  for (const each of Array.isArray(message) ? message : [message]) {
    const result: unknown = Object(each).result;
    const content: unknown = Object(result).structuredContent;
    if (content instanceof RawJson) {
      Object.assign(Object(result), { structuredContent: await parseRawJson(content) });
    }
  }
  return message;
}

/** As JSON may be written: every letter as an escape. */
const inEscapes = (name: string, digits = (hex: string) => hex) =>
  name.replace(/[a-z]/gi, (letter) => `\\u00${digits((letter.codePointAt(0) ?? 0).toString(16))}`);

const names = [
  'a',
  'result',
  'structuredContent',
  '__proto__',
  'constructor',
  '',
  '0',
  'é"\\',
  '\ud83d',
];
const texts = [
  '',
  'x',
  '"',
  '\\',
  '\\"',
  '\n\u0001',
  'größe 🙂',
  '\ud83d',
  '\ude42',
  '\u2028',
  '{[,:]}',
];
const numbers = ['0', '-0', '1.0', '1e400', '12345678901234567890', '-1.5E-3', '0.1', '7'];

const space = (next: Next): string => ['', '', '', ' ', '\n\t\r ', '  '][next(6)] ?? '';

/** As it is, or as servers write it that send ASCII only. */
function stringText(text: string, next: Next): string {
  const json = JSON.stringify(text);
  const isPlain = next(3) > 0 || json.includes('\\');
  return isPlain ? json : json.replace(/[^"]/g, escaped);
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function randomJson(next: Next, depth: number): string {
  const pad = () => space(next);
  const kind = next(depth > 0 ? 9 : 6);
  switch (kind) {
    case 0:
      return ['true', 'false', 'null'][next(3)] ?? '';
    case 1:
    case 2:
      return numbers[next(numbers.length)] ?? '';
    case 3:
    case 4:
    case 5:
      return stringText(texts[next(texts.length)] ?? '', next);
    case 6: {
      const items = Array.from(
        { length: next(6) },
        () => pad() + randomJson(next, depth - 1) + pad(),
      );
      return `[${items.length === 0 ? pad() : items.join(',')}]`;
    }
    default: {
      const members = Array.from({ length: next(6) }, () => {
        const name = stringText(names[next(names.length)] ?? '', next);
        return `${pad()}${name}${pad()}:${pad()}${randomJson(next, depth - 1)}${pad()}`;
      });
      return `{${members.length === 0 ? pad() : members.join(',')}}`;
    }
  }
}

function randomMessage(next: Next): string {
  const answer = () =>
    `{"jsonrpc":"2.0",${space(next)}"id":1,"result":${space(next)}{"content":[],${space(next)}"structuredContent"${space(next)}:${space(next)}${randomJson(next, 5)}${next(3) === 0 ? `,"structuredContent":${randomJson(next, 3)}` : ''},"x":${randomJson(next, 2)}}}`;
  switch (next(6)) {
    case 0:
      return randomJson(next, 6);
    case 1:
      return `[${answer()},${answer()}]`;
    default:
      return answer();
  }
}

/** Broken in one place, as often as not in a way that matters. */
function broken(text: string, next: Next): string {
  const at = next(text.length + 1);
  const odd = [
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '0',
    '-',
    '.',
    'e',
    'tru',
    '\u0001',
    '',
    '  ',
  ];
  return text.slice(0, at) + (odd[next(odd.length)] ?? '') + text.slice(at + next(3));
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseFollowedJson(text) };
  } catch {
    return undefined;
  }
}

describe('Messages of many values', () => {
  it('parse to the same as JSON.parse, in chunks of any size', async () => {
    let kept = 0;
    for (const seed of newSeeds()) {
      const next = randomNumbers(seed);
      const text = randomMessage(next);
      const size = () => 1 + next(next(3) === 0 ? 3 : 200);
      const value = assemble(text, size, tiny);
      if (JSON.stringify(value).includes(' bytes of JSON)')) kept += 1;
      assert.deepEqual(await whole(value), parseFollowedJson(text), `seed ${seed}: ${text}`);
    }
    assert.ok(kept > 150, `only ${kept} were kept as text`);
  });

  it('are JSON exactly if JSON.parse accepts them', async () => {
    let right = 0;
    for (const seed of newSeeds()) {
      const next = randomNumbers(seed);
      // A cut may leave half of a pair, which UTF-8 does not have.
      const text = broken(randomMessage(next), next).toWellFormed();
      const expected = parsed(text.trim());
      let actual: { readonly value: unknown } | undefined;
      try {
        actual = { value: await whole(assemble(text, () => 1 + next(50), tiny)) };
      } catch (error) {
        if (!(error instanceof NotJson)) throw error;
      }
      assert.deepEqual(actual, expected, `seed ${seed}: ${text}`);
      if (expected !== undefined) right += 1;
    }
    assert.ok(right > 50, `only ${right} were JSON`);
  });

  it('are written again as received, with their numbers and white space', async () => {
    const rows = `[${Array.from({ length: 60_000 }, (_, i) => ` {"id":${i}.0, "ü":"\\u00fc🙂"}`).join(',')}\n]`;
    const message = assemble(`{"result":{"structuredContent":${rows}}}`, () => 50_001);
    const { structuredContent } = Object(Reflect.get(Object(message), 'result'));
    assert.ok(structuredContent instanceof RawJson);
    assert.equal([...jsonPieces(structuredContent)].join('') === rows, true);
    const bytes = await largeJsonOf(structuredContent);
    assert.equal(bytes, structuredContent.segments[0]);
    assert.equal(structuredContent.values, 1 + 60_000 * 3);
  });

  it('can contain a very large string beside their rows', async () => {
    const text = 'line "one"\n'.repeat(50_000);
    const rows = Array.from({ length: 60_000 }, (_, id) => ({ id, tags: [] }));
    for (const content of [
      { text, rows },
      { rows, text },
    ]) {
      const message = assemble(JSON.stringify({ result: { structuredContent: content } }), chunks);
      const { structuredContent } = Object(Reflect.get(Object(message), 'result'));
      assert.ok(structuredContent instanceof RawJson);
      assert.equal([...jsonPieces(structuredContent)].join('') === JSON.stringify(content), true);
      const bytes = await largeJsonOf(structuredContent);
      assert.equal(Buffer.from(bytes ?? []).toString() === JSON.stringify(content), true);
      assert.deepEqual(await parseRawJson(structuredContent), content);
    }
  });

  const many = 600_000;
  const listOf = (item: string) => `[${Array.from({ length: many }, () => item).join(',')}]`;
  for (const [what, text] of Object.entries({
    'empty objects': listOf('{}'),
    'empty arrays': listOf('[]'),
    numbers: listOf('0'),
    'new names': `{${Array.from({ length: many / 3 }, (_, i) => `"name${i}":0`).join(',')}}`,
    'content blocks': `{"result":{"content":${listOf('{"type":"text","text":""}')}}}`,
    tools: `{"result":{"tools":${listOf('{}')}}}`,
    'data of an error': `{"error":{"code":1,"message":"","data":${listOf('{}')}}}`,
    'metadata of an answer': `{"result":{"content":[],"_meta":{"a":${listOf('{}')}}}}`,
    notifications: `{"method":"notifications/message","params":{"data":${listOf('{}')}}}`,
    requests: `{"method":"ping","id":1,"params":{"structuredContent":${listOf('{}')}}}`,
    'a batch': `[${Array.from({ length: many / 4 }, () => '{"method":"a"}').join(',')}]`.replaceAll(
      '"a"',
      '[0,0,0]',
    ),
    'structured content that is none': `{"result":{"structuredContent":1,"a":{"structuredContent":${listOf('{}')}}}}`,
  })) {
    it(`are refused while they arrive: ${what}`, () => {
      let pushed = 0;
      const size = (): number => {
        pushed += 1;
        return 65_536;
      };
      assert.throws(
        () => assemble(text, size),
        (error) =>
          error instanceof TooMuchJson && error.measure === 'values' && error.limit === 500_000,
      );
      assert.ok(pushed * 65_536 < text.length + 65_536);
    });
  }

  it('are counted as a whole, beside structured content', () => {
    const text = `{"result":{"structuredContent":${listOf('{}')},"content":${listOf('{}')}}}`;
    assert.throws(() => assemble(text, chunks), TooMuchJson);
  });

  it('have at most three values in four bytes, so that a short text has few values', () => {
    const letters = Array.from({ length: 90 }, (_, at) =>
      JSON.stringify(String.fromCharCode(35 + at)).slice(1, -1),
    );
    const short = letters.flatMap((one) => ['', ...letters].map((other) => one + other));
    const repeated = (text: string) => Array.from({ length: short.length }, () => text).join(',');
    for (const dense of [
      `{${short.map((name) => `"${name}":{}`).join(',')}}`,
      `{${short.map((name) => `"${name}":0`).join(',')}}`,
      `[${repeated('[]')}]`,
      `[${repeated('0')}]`,
      `[${repeated('{"":0}')}]`,
      `${'{"a":['.repeat(400)}${']}'.repeat(400)}`,
    ]) {
      const follower = new JsonFollower();
      follower.follow(Buffer.from(dense), 0);
      assert.ok(
        follower.cost <= dense.length * 0.75 + 256,
        `${dense.slice(0, 20)} ${follower.cost}`,
      );
      // The scan of a complete text counts the same, except for names with the same hash.
      checkCosts(dense, follower.cost * 1.05);
      assert.throws(() => checkCosts(dense, follower.cost * 0.95), TooMuchJson);
    }
  });

  it('keep structured content as text, however short the message is, in chunks of any size', () => {
    const rows = `{"rows":[${Array.from({ length: 150_000 }, () => '0').join(',')}]}`;
    const before = `{"result":{"content":[{"type":"text","text":"${'.'.repeat(65_490)}"}],"`;
    const text = `${before}structuredContent":${rows}}}`;
    for (let cut = before.length - 2; cut < before.length + 20; cut += 1) {
      const sizes = [cut, 65_536].values();
      const message = assemble(text, () => sizes.next().value ?? 65_536);
      assert.ok(Object(Object(message).result).structuredContent instanceof RawJson, `${cut}`);
    }
  });

  it('keep it as text if the names before it have escapes', () => {
    const rows = `{"rows":[${Array.from({ length: 150_000 }, () => '0').join(',')}]}`;
    const padding = '.'.repeat(65_490);
    for (const [result, content] of [
      ['result', 'structured\\u0043ontent'],
      ['r\\u0065sult', 'structuredContent'],
      [inEscapes('result'), inEscapes('structuredContent')],
      ['result', inEscapes('structuredContent', (hex) => hex.toUpperCase())],
    ]) {
      for (const before of [padding, padding.repeat(5)]) {
        const text = `{"content":[{"type":"text","text":"${before}"}],"${content}":${rows}}`;
        for (const size of [65_536, 7]) {
          const message = assemble(`{"${result}":${text}}`, () => size);
          const found = Object(Object(message).result).structuredContent;
          assert.ok(found instanceof RawJson, `${content}, ${before.length}, ${size}`);
        }
      }
    }
  });

  it('keep it as text if it is one text of very many escapes, which take longer than letters', () => {
    const kept = (text: string) => {
      const message = `{"result":{"content":[],"structuredContent":["${text}"]}}`;
      return Object(Object(assemble(message, chunks)).result).structuredContent;
    };
    for (const escape of ['\\u4e2d', '\\n', '\\"']) {
      const content = kept(escape.repeat((11 * 1024 * 1024) / escape.length));
      assert.ok(content instanceof RawJson, escape);
      assert.match(uncheckedReason(content), /^\d+ bytes are too many/);
    }
    assert.ok(Array.isArray(kept('letters and a \\n '.repeat(500_000))));
  });

  it('keep it as text if it is few long values', async () => {
    const rows = (count: number, length: number) => ({
      rows: Array.from({ length: count }, (_, id) => ({ id, text: 'a "b" '.repeat(length / 6) })),
    });
    const kept = (content: object) => {
      const message = { result: { structuredContent: content, content: [] } };
      return Object(Object(assemble(JSON.stringify(message), chunks)).result).structuredContent;
    };
    assert.deepEqual(kept(rows(60, 90_000)), rows(60, 90_000));
    assert.deepEqual(kept(rows(20, 300_000)), rows(20, 300_000));
    for (const content of [rows(200, 90_000), rows(40, 500_000)]) {
      const text = kept(content);
      assert.ok(text instanceof RawJson);
      assert.equal([...jsonPieces(text)].join('') === JSON.stringify(content), true);
      assert.deepEqual(await parseRawJson(text), content);
    }
  });

  it('are parsed in one piece if a list of tools is too short to contain too many', () => {
    const list = {
      tools: Array.from({ length: 1_000 }, (_, n) => ({ name: `tool_${n}`, a: ['x'.repeat(400)] })),
    };
    const message = { jsonrpc: '2.0', id: 1, result: list };
    assert.deepEqual(assemble(JSON.stringify(message), chunks), message);
  });

  for (const [what, open, close] of [
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ] as const) {
    for (const size of [100, 65_536, 10_000_000]) {
      it(`are refused with ${what} of more than 1,000 levels, in chunks of ${size} bytes`, () => {
        const deep = (levels: number) => `${open.repeat(levels)}0${close.repeat(levels)}`;
        const isTooDeep = (error: unknown) =>
          error instanceof TooMuchJson && error.measure === 'levels' && error.limit === 1_000;
        for (const levels of [1_001, 100_000]) {
          assert.throws(() => assemble(deep(levels), () => size), isTooDeep);
          const content = `{"result":{"structuredContent":{"a":${deep(levels)}}}}`;
          assert.throws(() => assemble(content, () => size), isTooDeep);
          assert.throws(() => assemble(content, () => size, tiny), isTooDeep);
        }
        assert.doesNotThrow(() => assemble(deep(1_000), () => size));
      });
    }
  }
});

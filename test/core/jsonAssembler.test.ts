import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { JsonAssembler } from '../../src/core/json/jsonAssembler';
import { RawJson } from '../../src/core/json/rawJson';
import { NotJson } from '../../src/core/json/parseJson';

const largeBytes = 380 * 1024;
const maxBytes = 8 * 1024 * 1024;
const assembler = new JsonAssembler({ maxBytes, maxValues: 500_000 });

/** Chunks of at most `chunkBytes`; each test's own numbers make them the same every time. */
function assemble(text: string | Buffer, sizes: Iterator<number>): unknown {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    const size = Number(sizes.next().value);
    // A copy, because a chunk is handed over for good.
    assembler.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return assembler.end();
}

function* always(size: number): Generator<number> {
  for (;;) yield size;
}

/** Whole numbers from 0 below `limit`, the same for the same seed. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Large chunks and some of a few bytes. */
function* randomSizes(seed: number): Generator<number> {
  const next = randomNumbers(seed);
  for (;;) yield 1 + next(next(4) === 0 ? 9 : 100_000);
}

const image = (data: string) => ({ type: 'image', data, mimeType: 'image/png' });
const answer = (result: unknown) => ({ jsonrpc: '2.0', id: 1, result });
const base64 = Buffer.from(Array.from({ length: largeBytes }, (_, i) => (i * 7919) >> 3));
const bytes = new Uint8Array(base64);
const data = base64.toString('base64');

/** With bytes as base64, as `JSON.parse` would have them. */
function jsonWithoutBytes(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    item instanceof Uint8Array ? Buffer.from(item).toString('base64') : item,
  );
}

/** As servers write it that send ASCII only. */
function escaped(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function equalsJsonParse(text: string, seed: number): void {
  const expected: unknown = JSON.parse(text);
  const actual = jsonWithoutBytes(assemble(text, randomSizes(seed)));
  // deepEqual of megabytes that differ takes minutes to say so.
  assert.equal(actual === JSON.stringify(expected), true, `seed ${seed}`);
}

function isNotJson(text: string | Buffer, chunkBytes = 65_536): string {
  try {
    assemble(text, always(chunkBytes));
  } catch (error) {
    if (error instanceof NotJson) return error.excerpt;
    throw error;
  }
  return assert.fail('it was JSON');
}

describe('JsonAssembler', () => {
  it('returns the same as JSON.parse, for small values in chunks of any size', () => {
    const value = { a: ['ü', '\u2028', '\\"', -1.5e3, null, true, { '': {} }], __proto__x: 1 };
    for (let size = 1; size < 20; size += 1) {
      assert.deepEqual(assemble(JSON.stringify(value), always(size)), value);
    }
  });

  it('returns the same as JSON.parse, for large texts of every kind, in chunks of any size', () => {
    const pieces = [
      'plain ',
      '"quoted\\" ',
      '\n\t\u0001',
      'grüße 漢字 🙂',
      '\ud800',
      '\udc00\ud83d',
      '\\\\\\',
      '/',
      '\u2028',
      '\u00ff\u0100',
    ];
    for (let seed = 1; seed <= 5; seed += 1) {
      const next = randomNumbers(seed);
      const text = (): string => {
        const own = Array.from({ length: 1 + next(pieces.length) }, () => pieces[next(10)]).join(
          '',
        );
        return own.repeat(Math.ceil((largeBytes * (1 + next(2))) / own.length));
      };
      const key = ['text', 'data', 'blob'][next(3)] ?? '';
      const value = { [key]: text(), list: [text(), 'x', { [key]: text() }], end: [1, 'y'] };
      equalsJsonParse(JSON.stringify(value, undefined, next(2)), seed);
    }
  });

  it('reads every escape and raw character at the end of a batch or chunk', () => {
    const units = ['\\u00e9', '\\n', '\\\\', '\\ud83d\\ude00', '\\/', 'é', '漢', '🙂', '\\"'];
    for (const [index, unit] of units.entries()) {
      // Behind a long beginning, the place where a batch ends is in the units.
      const beginning = 'x'.repeat(1024 * 1024 - 40);
      for (let shift = 0; shift < unit.length; shift += 1) {
        const inside = beginning + 'x'.repeat(shift) + unit.repeat(20);
        equalsJsonParse(`{"text":"${inside}","after":1}`, index * 12 + shift + 1);
      }
    }
  });

  it('reads invalid UTF-8 as decoding the whole does', () => {
    const broken = [0xc3, 0xf0, 0x9f, 0x99, 0x80, 0xbf, 0xed, 0xa0, 0x80, 0xff, 0x41, 0xe2, 0x82];
    for (let seed = 1; seed <= 4; seed += 1) {
      const next = randomNumbers(seed);
      const inside = Buffer.alloc(1024 * 1024 + 50).map(() => broken[next(broken.length)] ?? 0);
      const line = Buffer.concat([Buffer.from('{"text":"'), inside, Buffer.from('"}')]);
      const expected: unknown = JSON.parse(line.toString());
      const actual = assemble(line, randomSizes(seed));
      assert.equal(JSON.stringify(actual) === JSON.stringify(expected), true, `seed ${seed}`);
    }
  });

  it('rejects the same as JSON.parse: escapes, control characters, ends', () => {
    const large = 'x'.repeat(largeBytes);
    for (const inside of ['\\x', '\\u12g4', '\u0001', '\n', '\\', '\\u123']) {
      const texts = [`{"text":"${inside}${large}"}`, `{"text":"${large}${inside}"}`];
      for (const text of texts) {
        assert.throws(() => JSON.parse(text));
        assert.match(isNotJson(text), /^\{"text":"/);
      }
    }
    for (const text of [
      `{"text":"${large}`,
      `{"text":"${large}"`,
      `{"a":"${large}"}}`,
      `:"${large}"`,
    ]) {
      assert.throws(() => JSON.parse(text));
      isNotJson(text);
    }
  });

  it('reports the beginning of invalid JSON, without its own markers', () => {
    const large = 'x'.repeat(2 * largeBytes);
    const excerpt = isNotJson(`started {"text":"${large}"} "`);
    assert.equal(excerpt.slice(0, 100), 'started {"text":"');
    assert.equal(isNotJson(' \n '), '');
  });

  it('reports the beginning of invalid JSON, however small its chunks are', () => {
    const line = `started {"text":"${'x'.repeat(largeBytes)}`;
    for (const end of ['', '"', '"} "', '"} x']) {
      const excerpt = isNotJson(line + end, 5);
      assert.equal(excerpt.slice(0, 17), 'started {"text":"');
      assert.match(excerpt.slice(17), /^x*$/);
    }
  });

  it('returns the beginning of an unfinished value, however small its chunks are', () => {
    for (const chunk of ['Pass', 'word', ' for', ' me:', ' ']) assembler.push(Buffer.from(chunk));
    assert.equal(assembler.beginning(14), 'Password for m');
    assert.equal(assembler.beginning(300), 'Password for me: ');
    assembler.reset();
    assert.equal(assembler.beginning(300), '');
  });

  it('has no state left after a value, whatever it was', () => {
    const large = 'x'.repeat(largeBytes);
    isNotJson(`{"text":"${large}\\`);
    assert.deepEqual(assemble('{"a":1}', always(2)), { a: 1 });
    assert.equal(assembler.byteLength, 0);
  });

  it('returns bytes for base64 in content', () => {
    const results = [
      { content: [{ type: 'text', text: 'x' }, image(data)] },
      { content: [{ type: 'audio', data, mimeType: 'audio/wav' }] },
      { content: [{ type: 'resource', resource: { uri: 'u', blob: data } }] },
      { contents: [{ uri: 'u', blob: data }] },
    ];
    for (const [index, result] of results.entries()) {
      const expected = JSON.parse(JSON.stringify(answer(result)), (_, value: unknown) =>
        value === data ? bytes : value,
      ) as unknown;
      for (const [message, wanted] of [
        [answer(result), expected],
        [
          [answer({}), answer(result)],
          [answer({}), expected],
        ],
      ]) {
        assert.deepEqual(assemble(JSON.stringify(message), randomSizes(index + 1)), wanted);
      }
    }
  });

  it('returns UTF-8 for text in content, whatever it contains', () => {
    const texts = ['plain ', 'line\n', 'grüße 漢字 🙂 ', '\ufeff', '\ufffd\u0000', '"\\'].map(
      (unit) => unit.repeat(Math.ceil(largeBytes / unit.length)),
    );
    for (const [index, text] of texts.entries()) {
      const places = [
        { content: [{ type: 'text', text }] },
        { content: [{ type: 'resource', resource: { uri: 'u', text } }] },
        { contents: [{ uri: 'u', text }] },
      ];
      // Every place with the first text, and then each text in one of them.
      for (const result of index === 0 ? places : places.slice(index % 3, (index % 3) + 1)) {
        for (const written of [JSON.stringify(result), escaped(result)]) {
          const line = `{"id":1,"result":${written}}`;
          const found: Uint8Array[] = [];
          const actual = JSON.stringify(
            assemble(line, randomSizes(index + 1)),
            (_, item: unknown) => {
              if (!(item instanceof Uint8Array)) return item;
              found.push(item);
              return Buffer.from(item).toString();
            },
          );
          assert.equal(actual === JSON.stringify(JSON.parse(line)), true, `${index}`);
          assert.equal(found[0] !== undefined && Buffer.from(text).equals(found[0]), true);
        }
      }
    }
  });

  it('keeps a text that UTF-8 cannot express as text', () => {
    const large = 'x🙂'.repeat(largeBytes / 4);
    const texts = [large + '\ud83d', '\ude42' + large, large + '\ud83d' + large, large + '\ude42x'];
    for (const [index, text] of texts.entries()) {
      const message = answer({ content: [{ type: 'text', text }] });
      for (const written of [JSON.stringify(message), escaped(message)]) {
        const value = assemble(written, randomSizes(index + 1));
        const [block] = Object(value).result.content as { text: unknown }[];
        assert.equal(block?.text === text, true, `${index}`);
      }
    }
  });

  it('joins surrogate pairs that are escaped separately, at the end of any batch', () => {
    for (let shift = 0; shift < 14; shift += 1) {
      const inside = 'x'.repeat(1024 * 1024 - 40 + shift) + '\\ud83d\\ude00'.repeat(5);
      const line = `{"result":{"content":[{"type":"text","text":"${inside}"}]}}`;
      const value = assemble(line, randomSizes(shift + 1));
      const [block] = Object(value).result.content as { text: unknown }[];
      assert.ok(block?.text instanceof Uint8Array);
      assert.equal(
        Buffer.from(block.text).toString() === JSON.parse(`"${inside}"`),
        true,
        `${shift}`,
      );
    }
  });

  it('keeps base64 text everywhere else', () => {
    const results = [
      { structuredContent: { data, content: [image(data)] } },
      { content: [{ type: 'text', data }] },
      { content: [{ type: 'image', data: 1, text: data }] },
      { content: [{ type: 'resource', resource: { text: data } }] },
      { content: [{ data, text: data, type: 'video' }] },
      { content: [{ type: 'video', data, mimeType: 'video/mp4' }] },
      { content: [{ type: 'image', data }] },
      { content: [{ type: 'resource', resource: { blob: data } }] },
      { content: { a: image(data) } },
      { data },
    ];
    for (const [index, result] of results.entries()) {
      for (const message of [answer(result), { method: 'x', params: result }]) {
        const actual = assemble(JSON.stringify(message), randomSizes(index + 1));
        assert.equal(JSON.stringify(actual) === JSON.stringify(message), true, `${index}`);
      }
    }
  });

  it('accepts base64 with escaped slashes and of every length', () => {
    for (let extra = 0; extra < 6; extra += 1) {
      const some = Buffer.concat([base64, Buffer.alloc(extra, 0xff)]);
      const text = JSON.stringify(answer({ content: [image(some.toString('base64'))] }));
      for (const written of [text, text.replaceAll('/', '\\/')]) {
        const value = assemble(written, randomSizes(extra + 1));
        assert.deepEqual(
          value,
          answer({ content: [{ ...image(''), data: new Uint8Array(some) }] }),
        );
      }
    }
  });

  it('returns bytes even if an escape before them is split', () => {
    const text = '{"a":"\\\\\\"","result":{"contents":[{"blob":"';
    for (let cut = 1; cut < text.length; cut += 1) {
      assembler.push(Buffer.from(text.slice(0, cut)));
      const value = assemble(`${text.slice(cut)}${data}"}]}}`, always(65_536));
      assert.deepEqual(value, { a: '\\"', result: { contents: [{ blob: bytes }] } }, `${cut}`);
    }
  });

  it('reads each chunk once, however small it is', () => {
    const size = 300_000;
    // Twice would be 10^11 looks.
    for (const quotes of [
      `{"a":["${'","'.repeat(size / 3)}"]}`,
      `{"a":${' '.repeat(99)}"${'x'.repeat(size)}"}`,
    ]) {
      const value = assemble(quotes, always(1));
      assert.equal(JSON.stringify(value) === JSON.stringify(JSON.parse(quotes)), true);
    }
  });

  it('keeps the exact text of base64 with a backslash, in chunks of any size', () => {
    const beginning = '{"data":"' + data.slice(0, 350_000);
    const text = `${beginning}\\\\/${data}"}`;
    for (let cut = beginning.length; cut < beginning.length + 12; cut += 1) {
      // Enough in small chunks for the string to be taken out before.
      for (let at = 0; at < cut; at += 50_000) {
        assembler.push(Buffer.from(text.slice(at, Math.min(at + 50_000, cut))));
      }
      const value = assemble(text.slice(cut), always(65_536));
      assert.equal(JSON.stringify(value) === text, true, `${cut - beginning.length}`);
    }
  });

  it('keeps the exact text of nearly valid base64', () => {
    const edges = ['!', '-', '_', ' \n', '漢', '\\', '\\/', 'A', 'QQ==', '\u0000'];
    const beginning = data.slice(0, 350_000);
    const oddOnes = edges.map((edge) => beginning + edge + data.slice(0, 4_000));
    oddOnes.push(`=${data}`, `${data}é`, `${data}A`, `${data}AA`, `${data}=`, `${data}AB==`);
    for (const [index, odd] of oddOnes.entries()) {
      const text = JSON.stringify(answer({ content: [image(odd)] }));
      const written = index % 2 === 0 ? text : text.replaceAll('/', '\\/');
      const value = JSON.stringify(assemble(written, randomSizes(index + 1)));
      assert.equal(value === text, true, `${index}`);
    }
  });

  it('is not misled by markers, keys and quotes that look like its own', () => {
    const large = '\\":"data":"'.repeat(largeBytes / 10);
    const value = { 'x"data': large, data: { data: large, a: 'data":"' }, [large]: [large, large] };
    equalsJsonParse(JSON.stringify(value), 1);
    equalsJsonParse(`{"data":"${data}","data":"small","x\\"data":"${data}"}`, 2);
    equalsJsonParse(`{"d\\u0061ta" \t:\r "${data}","__proto__":{"data":"${data}"}}`, 3);
  });

  it('supports 1,000 levels', () => {
    const depth = 999;
    const text = `${'['.repeat(depth)}{"text":"${data}"}${']'.repeat(depth)}`;
    let value = assemble(text, always(65_536));
    while (Array.isArray(value)) value = value[0];
    assert.equal(Reflect.get(Object(value), 'text'), data);
  });

  it('needs linear time: 96 MiB of base64 in 4 KiB chunks', () => {
    const large = new JsonAssembler({ maxBytes: 2 ** 27, maxValues: 500_000 });
    const chunk = Buffer.alloc(4096, 'A');
    // Joining at every chunk would copy more than a TiB, for longer than the test may take.
    large.push(Buffer.from('{"result":{"content":[{"type":"image","mimeType":"","data":"'));
    for (let i = 0; i < 24_576; i += 1) large.push(chunk);
    large.push(Buffer.from('"}]}}'));
    const content: unknown = Reflect.get(Reflect.get(Object(large.end()), 'result'), 'content');
    assert.ok(Array.isArray(content));
    assert.equal(Reflect.get(Object(content[0]), 'data').length, 72 * 1024 * 1024);
  });

  it('finds structured content by its name, in chunks of any size', () => {
    const before = Buffer.from(
      `{"result":{"content":[${'{"type":"text"},'.repeat(20_000)}{"type":"text"}],"`,
    );
    const after = Buffer.from(`":{"many":[${'1,'.repeat(200)}1]}}}`);
    const letters = Array.from('structuredContent');
    const escapes = letters.map((letter) => `\\u00${letter.codePointAt(0)?.toString(16)}`);
    const name = fc.tuple(fc.boolean(), fc.subarray([...Array(17).keys()], { maxLength: 2 }));
    const cuts = fc.array(fc.integer({ min: -4, max: 106 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(name, cuts, ([isWhole, some], places) => {
        const text = letters
          .map((letter, at) => (isWhole || some.includes(at) ? escapes[at] : letter))
          .join('');
        const message = Buffer.concat([before, Buffer.from(text), after]);
        const whole = new JsonAssembler({
          maxBytes,
          maxValues: 500_000,
          maxContentValues: 100,
        });
        let from = 0;
        for (const place of places.toSorted((a, b) => a - b)) {
          whole.push(message.subarray(from, before.length + place));
          from = before.length + place;
        }
        whole.push(message.subarray(from));
        const { structuredContent } = Object(whole.end()).result;
        assert.ok(structuredContent instanceof RawJson);
      }),
      { numRuns: 60 },
    );
  });
});

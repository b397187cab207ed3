import assert from 'node:assert/strict';
import { parseTemplate } from '../../src/core/callFiles/callFileVariables';
import { fillCall } from '../../src/core/callFiles/callVariables';
import { GeneratedValues } from '../../src/core/callFiles/generatedValues';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import type { JsonObject, JsonValue } from '../../src/core/json/jsonValue';

async function fill(given: JsonObject, generated = new GeneratedValues(), name = 'a') {
  const { file } = readCallFile(
    JSON.stringify({ calls: { [name]: { server: 's', tool: 't', arguments: given } } }),
  );
  const [call] = file?.calls ?? [];
  assert.ok(file !== undefined && call !== undefined);
  const filled = await fillCall(file, call, generated, () => assert.fail('nobody is asked'));
  assert.equal(filled.kind, 'filled');
  return filled.kind === 'filled' ? (filled.value ?? {}) : {};
}

const only = async (text: string): Promise<JsonValue | undefined> => (await fill({ a: text }))['a'];
/** A text as it is, and any other value as JSON. */
const shown = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

describe('A generated value', () => {
  it('is the same for a call during its run, and different for other calls', async () => {
    const run = new GeneratedValues();
    const given = { a: '${uuid}', b: 'x ${uuid}', c: '${uuid:other}', d: '${random:text 40}' };
    const first = await fill(given, run);
    assert.match(shown(first['a']), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f-]{16}$/);
    assert.equal(first['b'], `x ${shown(first['a'])}`);
    assert.notEqual(first['c'], first['a']);
    assert.deepEqual(await fill(given, run), first);
    assert.notEqual((await fill(given, run, 'b'))['a'], first['a']);
    assert.notEqual((await fill(given))['a'], first['a']);
  });

  it('is the same in a run with the same origin, in the given format', async () => {
    const given = {
      a: '${uuid}',
      b: '${random:-5..5}',
      c: '${random:text 100}',
      d: '${now:unixMs}',
    };
    const withSeed = (seed: string) => fill(given, new GeneratedValues({ seed, at: 1_000 }));
    const first = await withSeed('one');
    assert.match(shown(first['a']), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f-]{16}$/);
    assert.ok(Math.abs(Number(first['b'])) <= 5);
    assert.match(shown(first['c']), /^[a-z][a-z0-9]{99}$/);
    assert.equal(first['d'], 1_000);
    assert.deepEqual(await withSeed('one'), first);
    const other = await withSeed('two');
    assert.notEqual(other['a'], first['a']);
    assert.notEqual(other['c'], first['c']);
  });

  it('of the time has the given format and offset', async () => {
    const before = Date.now();
    const now = Date.parse(shown(await only('${now}')));
    assert.ok(now >= before && now <= Date.now());
    const tomorrow = Number(await only('${now:unixMs +1d}'));
    assert.ok(tomorrow >= before + 86_400_000 && tomorrow <= Date.now() + 86_400_000);
    const past = Number(await only('${now:unix -2h}'));
    assert.ok(past <= Math.floor(Date.now() / 1_000) - 7_200);
    assert.ok(Number.isInteger(past));
    assert.match(shown(await only('${now:date -1w}')), /^\d{4}-\d\d-\d\d$/);
    assert.match(shown(await only('${now:rfc1123}')), /^[A-Z][a-z]{2}, \d\d .* GMT$/);
    assert.match(shown(await only('${now:+5m}')), /T.*Z$/);
  });

  it('of random type is an integer between both ends, or a text that begins with a letter', async () => {
    const rolls = new Set<JsonValue | undefined>();
    for (let count = 0; count < 200; count += 1) rolls.add(await only('${random:-1..1}'));
    assert.deepEqual(rolls, new Set([-1, 0, 1]));
    assert.equal(await only('${random:7..7}'), 7);
    assert.match(shown(await only('${random:text 12}')), /^[a-z][a-z0-9]{11}$/);
    assert.match(shown(await only('no. ${random:0..9}')), /^no\. \d$/);
  });

  it('is a problem of the file if it cannot be generated', () => {
    const wrong = [
      '${uuid:}',
      '${uuid:a b}',
      '${now:}',
      '${now:+1}',
      '${now:later}',
      '${now:+999999999999w}',
      '${now:date +1d -1d}',
      '${random}',
      '${random:}',
      '${random:6..1}',
      '${random:1..9007199254740991}',
      '${random:0..281474976710656}',
      '${random:text 0}',
      '${random:text 101}',
      '${random:text 5 }',
    ];
    const codes = wrong.map((text) =>
      parseTemplate(text)
        .problems.map(({ code }) => code)
        .join(),
    );
    assert.deepEqual(codes, Array(wrong.length).fill('badGenerated'));
    assert.deepEqual(
      parseTemplate('${uuids} ${nowhere} ${randomly}').problems.map(({ code }) => code),
      ['unknownVariable', 'unknownVariable', 'unknownVariable'],
    );
  });
});

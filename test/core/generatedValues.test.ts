import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { parseTemplate, GeneratedValues } from '../../src/core/callFiles/callFileVariables';
import { fillCall } from '../../src/core/callFiles/callVariables';
import { RecordedValues } from '../../src/core/callFiles/recordedValues';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';
import type { JsonObject, JsonValue } from '../../src/core/json/jsonValue';

async function filledCall(written: JsonObject, generated = new GeneratedValues(), name = 'a') {
  const { file } = readCallFile(JSON.stringify({ calls: { [name]: { server: 's', ...written } } }));
  const [call] = file?.calls ?? [];
  assert.ok(file !== undefined && call !== undefined);
  const filled = await fillCall(file, call, generated, () => assert.fail('nobody is asked'));
  assert.ok(filled.kind === 'filled');
  return filled;
}

async function fill(given: JsonObject, generated?: GeneratedValues, name?: string) {
  const { value = {} } = await filledCall({ tool: 't', arguments: given }, generated, name);
  return value;
}

/** The values of a recording in which these requests were sent, one each second. */
function recordedBy(...requests: readonly (readonly [method: string, params: object])[]) {
  const messages = requests.map(([method, params], index) => ({
    at: 1_000 * index,
    server: 's',
    to: 'server' as const,
    message: { jsonrpc: '2.0', id: index, method, params },
  }));
  const recorded = new RecordedValues();
  const recording = { messages, isCut: false, startedAt: Date.UTC(2026, 0, 1) };
  recorded.add(recording, (server) => server);
  return recorded;
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

  it('is that of the recorded call in a replay, in the recorded order, and the last one again', async () => {
    const sent = (id: string, n: number, text: string) =>
      ['tools/call', { name: 't', arguments: { id, n, deep: [{ text }], _meta: 1 } }] as const;
    const [one, two] = [randomUUID(), randomUUID()];
    const recorded = recordedBy(
      sent('no id', 7, `${one}(7): xy`),
      sent(one, 7, `${one}(7): xy`),
      sent(two, -12, `${two}(-12): ab`),
      ['resources/read', { uri: `file:///${one}/2026-05-06` }],
    );
    const given = {
      id: '${uuid}',
      n: '${random:-20..20}',
      deep: [{ text: '${uuid}(${random:-20..20}): ${random:text 2}' }],
      _meta: 1,
    };
    const run = new GeneratedValues(recorded);
    const filled = [await fill(given, run, 'a'), await fill(given, run, 'b')];
    filled.push(await fill(given, run, 'c'), await fill(given, run, 'a'));
    const ids = filled.map(({ id, n, deep }) => [id, n, deep]);
    const first = [one, 7, [{ text: `${one}(7): xy` }]];
    const second = [two, -12, [{ text: `${two}(-12): ab` }]];
    assert.deepEqual(ids, [first, second, second, first]);
    const read = await filledCall({ resource: 'file:///${uuid}/${now:date}' }, run, 'd');
    assert.equal(read.target.name, `file:///${one}/2026-05-06`);
    // Nothing of the sort was recorded.
    for (const other of [{ ...given, n: 1.5 }, { id: '${uuid}' }, { ...given, more: '${now}' }]) {
      assert.notEqual((await fill(other, run, JSON.stringify(other)))['id'], one);
    }
  });

  it('of the time is the recorded one in a replay, also if it is only expected', async () => {
    const recorded = recordedBy(['tools/call', { name: 'other' }], ['tools/call', { name: 't' }]);
    const written = { tool: 't', expect: { values: { '/content': '${now:+1s}' } } };
    const { expect } = await filledCall(written, new GeneratedValues(recorded));
    const [place] = expect.places;
    assert.ok(place?.kind === 'values');
    assert.equal(place.value, '2026-01-01T00:00:02.000Z');
  });

  it('is not searched for at length, whatever file and recording hold', async () => {
    const numbers = Array.from({ length: 60 }, (_, i) => `\${random:0..${i + 1}}`).join('');
    const digits = '1'.repeat(5_000);
    const calls = Array.from(
      { length: 2_000 },
      () => ['tools/call', { name: 't', arguments: { a: `${digits}x` } }] as const,
    );
    const generated = new GeneratedValues(recordedBy(...calls));
    const { a } = await fill({ a: numbers }, generated);
    assert.match(shown(a), /^\d{60,}$/);
    const three = await fill({ a: '${random:0..1}${random:0..2}${random:0..3}' }, generated, 'b');
    assert.match(shown(three['a']), /^\d{3}$/);
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

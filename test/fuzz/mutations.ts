import * as fc from 'fast-check';
import type { JsonValue } from '../../src/core/json/jsonValue';
import { pieces } from './pieces';

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...pieces) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 8, unit: 'binary' }) },
);

const place = fc.nat(1_000_000);

/** What is done to a text; places are millionths of its length. */
const textEdit = fc.record({
  kind: fc.constantFrom('insert', 'insert', 'replace', 'delete', 'repeat', 'truncate', 'behead'),
  at: place,
  length: fc.nat(24),
  piece,
});

/**
 * Texts that were valid a moment ago: one of the samples with up to five edits, or none. Now and then
 * one that was never valid.
 */
export function mutatedText(samples: readonly string[]): fc.Arbitrary<string> {
  const mutated = fc
    .tuple(fc.constantFrom(...samples), fc.array(textEdit, { maxLength: 5 }))
    .map(([sample, edits]) => edits.reduce(editedText, sample));
  const made = fc.array(piece, { maxLength: 12 }).map((all) => all.join(''));
  return fc.oneof({ weight: 9, arbitrary: mutated }, { weight: 1, arbitrary: made });
}

type TextEdit = typeof textEdit extends fc.Arbitrary<infer Edit> ? Edit : never;

function editedText(text: string, { kind, at, length, piece: other }: TextEdit): string {
  const start = Math.floor((at / 1_000_001) * (text.length + 1));
  const [before, after] = [text.slice(0, start), text.slice(start)];
  switch (kind) {
    case 'insert':
      return before + other + after;
    case 'replace':
      return before + other + after.slice(length);
    case 'delete':
      return before + after.slice(length);
    case 'repeat':
      return before + after.slice(0, length).repeat(3) + after.slice(length);
    case 'truncate':
      return before;
    case 'behead':
    default:
      return after;
  }
}

function nested(depth: number, wrap: (inner: JsonValue) => JsonValue): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

const oddValues: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  'x',
  '',
  ' ',
  '\0',
  '\u202e',
  '\ud800',
  [],
  {},
  [[]],
  [null],
  [{}],
  { '': '' },
  'x'.repeat(5_000),
  Array<null>(200).fill(null),
  nested(40, (inner) => [inner]),
  nested(40, (inner) => ({ a: inner })),
  nested(500, (inner) => [inner]),
  nested(500, (inner) => ({ properties: { a: inner } })),
  Object.fromEntries([['__proto__', { polluted: true }]]),
  { constructor: { prototype: { polluted: true } } },
  { toString: null, valueOf: null, hasOwnProperty: 1, length: -1 },
  { $ref: '#' },
  { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
];

const valueEdit = fc.record({
  kind: fc.constantFrom('replace', 'replace', 'remove', 'repeat', 'rename', 'wrap', 'move'),
  at: place,
  to: place,
  name: piece,
  json: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...oddValues.map((value) => JSON.stringify(value))) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 2 }) },
    { weight: 1, arbitrary: piece.map((text) => JSON.stringify(text)) },
  ),
});

type ValueEdit = typeof valueEdit extends fc.Arbitrary<infer Edit> ? Edit : never;

/** JSON values that were valid a moment ago: samples with members replaced, removed, renamed, moved. */
export function mutatedValue(samples: readonly JsonValue[]): fc.Arbitrary<JsonValue> {
  // As text, so that every case has a value of its own; cloning would recurse, too.
  return fc
    .tuple(
      fc.constantFrom(...samples.map((sample) => JSON.stringify(sample))),
      fc.array(valueEdit, { maxLength: 4 }),
    )
    .map(([sample, edits]) => edits.reduce(editedValue, fromJson(sample)));
}

/** In place. */
function editedValue(root: JsonValue, edit: ValueEdit): JsonValue {
  const places = placesIn(root);
  const at = places[edit.at % Math.max(1, places.length)];
  if (at === undefined) return fromJson(edit.json);
  const { holder, key } = at;
  const value = memberOf(holder, key);
  switch (edit.kind) {
    case 'replace':
      setMember(holder, key, fromJson(edit.json));
      break;
    case 'remove':
      removeMember(holder, key);
      break;
    case 'repeat':
      setMember(holder, Array.isArray(holder) ? String(holder.length) : `${key}2`, value);
      break;
    case 'rename':
      if (Array.isArray(holder)) holder.reverse();
      else {
        removeMember(holder, key);
        setMember(holder, edit.name, value);
      }
      break;
    case 'wrap':
      setMember(holder, key, [value]);
      break;
    case 'move':
    default: {
      const to = places[edit.to % places.length];
      // A copy, or it might end up in itself.
      if (to !== undefined) setMember(to.holder, to.key, fromJson(JSON.stringify(value)));
    }
  }
  return root;
}

interface Place {
  readonly holder: object;
  readonly key: string;
}

const maxPlaces = 400;

/** The members of objects and arrays, the outer ones first. */
function placesIn(root: JsonValue): Place[] {
  const places: Place[] = [];
  const open: unknown[] = [root];
  for (let next = 0; next < open.length && places.length < maxPlaces; next += 1) {
    const holder = open[next];
    if (typeof holder !== 'object' || holder === null) continue;
    for (const [key, value] of Object.entries(holder)) {
      places.push({ holder, key });
      open.push(value);
    }
  }
  return places;
}

function memberOf(holder: object, key: string): JsonValue {
  const value: JsonValue = Object.getOwnPropertyDescriptor(holder, key)?.value ?? null;
  return value;
}

function removeMember(holder: object, key: string): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else Reflect.deleteProperty(holder, key);
}

/** As `JSON.parse` does it: `__proto__` is a name like any other. */
function setMember(holder: object, key: string, value: JsonValue): void {
  Object.defineProperty(holder, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function fromJson(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text);
  return value;
}

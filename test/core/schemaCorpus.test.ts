import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  toArguments,
  toDrafts,
  type Draft,
  type Drafts,
} from '../../src/core/arguments/fieldDrafts';
import { assertNever } from '../../src/core/errors';
import { draftKey, type FormField } from '../../src/core/arguments/inputField';
import { planFields } from '../../src/core/arguments/inputFields';
import { SchemaValidator } from '../../src/core/schema/schema';
import type { JsonObject, JsonValue } from '../../src/core/json/jsonValue';
import { promptsOf, readCorpus, type CorpusEntry } from './schemaCorpus';
import { stringifyExactly } from '../../src/core/json/writtenNumber';

const corpus = readCorpus();
const validator = new SchemaValidator();

/** Drafts that are there to show that a value does not arrive: nobody could go on with them. */
const unfinished = new Set(['read_multiple_files']);
const refusedDialects = new Set(['draft-04', 'an unknown dialect', 'a pattern that is none']);

function fieldsOf({ schema }: CorpusEntry): readonly FormField[] {
  const plan = planFields(schema);
  return plan.kind === 'fields' ? plan.fields : [];
}

const entered = (drafts: Record<string, Draft>): Drafts => new Map(Object.entries(drafts));

describe('The corpus of input schemas', () => {
  it('has more than a hundred schemas of seven families', () => {
    assert.equal(new Set(corpus.map(({ family }) => family)).size, 7);
    assert.ok(corpus.length > 100, `${corpus.length}`);
  });

  for (const entry of corpus) {
    it(`${entry.family}: ${entry.name} — ${entry.why}`, () => {
      const fields = fieldsOf(entry);
      const seen = {
        path: planFields(entry.schema).kind,
        prompts: promptsOf(entry.schema),
        sent: entry.sent.map(({ drafts }) =>
          stringifyExactly(toArguments(fields, entered(drafts))),
        ),
      };
      const { path, prompts, sent } = entry;
      assert.deepEqual(seen, { path, prompts, sent: sent.map(({ json }) => json) });
      assert.equal(sent.length > 0, fields.length > 0);
    });
  }

  it('has arguments that the validator accepts for every schema with fields', () => {
    const verdicts = corpus.flatMap(({ name, schema, sent }) =>
      sent.map(({ json }) => ({ name, json, ...validator.validate(schema, JSON.parse(json)) })),
    );
    const isRefused = (name: string) => refusedDialects.has(name);
    const bad = verdicts.filter(({ name, kind }) => kind !== 'valid' && !isRefused(name));
    assert.deepEqual(new Set(bad.map(({ name }) => name)), unfinished);
    const refused = verdicts.filter(({ name }) => isRefused(name)).map(({ kind }) => kind);
    assert.deepEqual(refused, ['unusable', 'unusable', 'unusable']);
  });
});

describe('Large schemas', () => {
  it('of 5,000 properties need a document', () => {
    const names = Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { type: 'string' }]);
    const schema: JsonObject = { type: 'object', properties: Object.fromEntries(names) };
    assert.equal(planFields(schema).kind, 'document');
  });

  it('of 50 levels, and of 50,000, need a document', () => {
    for (const depth of [50, 50_000]) {
      let schema: JsonObject = { type: 'object', properties: { a: { type: 'string' } } };
      for (let level = 1; level < depth; level += 1) {
        schema = { type: 'object', properties: { a: schema } };
      }
      assert.equal(planFields(schema).kind, 'document');
    }
  });

  it('with an enum of very many values need a document', () => {
    const schema = (count: number): JsonObject => ({
      properties: { a: { enum: Array.from({ length: count }, (_, index) => index) } },
    });
    assert.deepEqual(
      [planFields(schema(1_000)).kind, planFields(schema(1_001)).kind],
      ['fields', 'document'],
    );
  });
});

const texts = fc.oneof(
  fc.constantFrom('', '1', '5', '19.99', '-0', '1e3', 'null', ' ', 'x', 'ab', '2026-07-28'),
  fc.string({ maxLength: 6 }),
  fc.integer().map(String),
);

function draftsOf(field: FormField): fc.Arbitrary<Draft> {
  switch (field.kind) {
    case 'choice': {
      const picked = fc.constantFrom(...field.choices).map((value) => ({ value }));
      return field.required ? picked : fc.oneof(picked, fc.constant({}));
    }
    case 'many':
      return fc.subarray([...field.choices]).map((values) => ({ values }));
    case 'list':
      return fc.array(texts, { maxLength: 3 }).map((values) => ({ values }));
    case 'string':
    case 'number':
    case 'integer':
      return fc.oneof(texts, field.kind === 'string' ? texts.map((text) => ({ text })) : texts);
    default:
      return assertNever(field);
  }
}

/** What a step lets pass: nothing where that is allowed, or a value that fits the schema. */
function passes(field: FormField, draft: Draft): boolean {
  if (field.kind === 'choice' && field.opens === true) return true;
  const alone = { ...field, parent: undefined };
  const { parent: _, ...own } = alone;
  const value: JsonValue | undefined = Object.values(
    toArguments([own], new Map([[field.name, draft]])),
  )[0];
  if (value === undefined) return !field.required;
  return validator.validate(field.schema, value).kind === 'valid';
}

describe('Fields that are valid for their own schema', () => {
  const usable = corpus.filter(
    (entry) => fieldsOf(entry).length > 0 && !refusedDialects.has(entry.name),
  );

  it('make arguments that are valid for the whole schema, and are restored from them', () => {
    let count = 0;
    for (const entry of usable) {
      const fields = fieldsOf(entry);
      const each = fc.tuple(...fields.map(draftsOf));
      fc.assert(
        fc.property(each, (drafts) => {
          const all = new Map(fields.map((field, at) => [draftKey(field), drafts[at] ?? '']));
          if (!fields.every((field) => passes(field, all.get(draftKey(field)) ?? ''))) return;
          count += 1;
          const value = toArguments(fields, all);
          assert.deepEqual(validator.validate(entry.schema, value), { kind: 'valid' }, entry.name);
          const back = toDrafts(fields, value);
          if (back === undefined) return;
          assert.equal(stringifyExactly(toArguments(fields, back)), stringifyExactly(value));
        }),
        { numRuns: 40 },
      );
    }
    assert.ok(usable.length > 80, `${usable.length} schemas`);
    assert.ok(count > 1_000, `${count} arguments`);
  });
});

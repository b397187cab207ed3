import assert from 'node:assert/strict';
import { type Draft, withImpliedDrafts } from '../../src/core/arguments/fieldDrafts';
import type { FormField } from '../../src/core/arguments/inputField';
import type { DocumentProperty } from '../../src/core/arguments/inputFields';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { SchemaValidator } from '../../src/core/schema/schema';
import { FieldChecks } from '../../src/ui/arguments/fieldChecks';
import { pagePrompt } from '../../src/ui/arguments/formatPage';
import { drafts, fieldsOf, nested, order } from './orderFields';

const validator = new SchemaValidator();

const title = 'order (shop)';

/** The rows of the page, as they are drawn and read. */
function rowsOfPage(schema: JsonObject, begin: Record<string, Draft>, others = noOthers): string[] {
  const fields = fieldsOf(schema);
  const checks = new FieldChecks(validator);
  const entered = withImpliedDrafts(fields, drafts(begin));
  const unfit = checks.unfitOf(fields, entered);
  const problemOf = (field: FormField) => checks.problemIn(field, entered);
  const state = {
    title,
    fields,
    others,
    drafts: entered,
    unfit,
    problemOf,
    hasBack: true,
  } as const;
  return pagePrompt({ ...state, active: 'run' }).groups.flatMap(({ heading, rows }) => [
    ...(heading === '' ? [] : [`-- ${heading}`]),
    ...rows.map(({ label, description = '', detail = '', icon = '', button }) =>
      [icon, label, description, detail, button?.tooltip ?? '']
        .filter((part) => part !== '')
        .join(' | '),
    ),
  ]);
}

const noOthers: readonly DocumentProperty[] = [];

describe('The rows of the page', () => {
  it('show missing and known values, and the server’s defaults', () => {
    assert.deepEqual(rowsOfPage(order, { size: { value: 'small' } }), [
      'warning | Run | missing: item, express',
      '-- Required',
      'item | (missing) — What to order',
      'express | (missing) — one of: true, false',
      '-- Optional',
      'count | default: 1 — integer, at least 1',
      'size | small | Leave Out',
      'json | Enter as JSON',
    ]);
  });

  it('show errors, and name arguments that need JSON', () => {
    const begin = { item: 'tea', express: { value: true }, count: '1.5' };
    const rows = rowsOfPage(order, begin, [{ name: 'x', label: 'x' }]);
    assert.deepEqual(
      rows.filter((row) => /Run|count|JSON/.test(row)),
      [
        'warning | Run | invalid: count',
        'warning | count | 1.5 — Enter an integer. | Leave Out',
        'json | Enter as JSON | Can only be entered as JSON: x',
      ],
    );
  });

  it('show no icon of a server, no secret, and all hidden characters', () => {
    const schema: JsonObject = {
      properties: {
        a: { type: 'string', title: '$(verified)', description: '[Help](command:x)\u200B' },
        b: { type: 'string', format: 'password' },
      },
    };
    assert.deepEqual(rowsOfPage(schema, { a: '$(zap)\u202E', b: 'hunter2' }), [
      'play | Run',
      '-- Optional',
      '\\$(verified) | \\$(zap)\\u{202E} | Leave Out',
      'b | (hidden) | Leave Out',
      'json | Enter as JSON',
    ]);
    const [, , absent] = rowsOfPage(schema, {});
    assert.equal(absent, '\\$(verified) | [Help] (command:x)\\u{200B}');
  });

  it('list the properties of an object once it is opened', () => {
    const closed = ['-- Optional', 'tags | default: a, b', 'kinds | any of: x, y', 'Size'];
    const since = 'since | a date such as 2026-07-28';
    const json = 'json | Enter as JSON';
    assert.deepEqual(rowsOfPage(nested, {}), [
      'play | Run | without arguments',
      ...closed,
      since,
      json,
    ]);
    assert.deepEqual(rowsOfPage(nested, { size: { value: true } }).slice(4, 6), [
      'Size | (filled in below) | Leave Out',
      'Size › width | default: 3 — integer',
    ]);
  });
});

import assert from 'node:assert/strict';
import { readArgumentsText } from '../../src/core/arguments/argumentsJson';
import {
  argumentsExcerpt,
  compactJson,
  indentedJson,
} from '../../src/core/arguments/argumentsText';
import { parsePointerSteps, toPointerStep } from '../../src/core/json/jsonPointer';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { fuzz } from './fuzzing';
import { mutatedText, mutatedValue } from './mutations';

const documents: readonly JsonObject[] = [
  { path: '/a/b', lines: [1, 2.5, -3e7], deep: { a: [{ b: null }, true] }, text: 'ä\n"q"' },
  { a: {}, b: [], c: '', __proto_: 1 },
];
const texts = [
  '{ "a": 1, // c\n "b": [1.50, 12345678901234567890,], /* d */ "c": { "c": "\\u00e9" }, }',
  ...documents.map((each) => JSON.stringify(each, undefined, 2)),
];

describe('Any text of arguments', () => {
  fuzz('is read or marked where it is invalid', 8, mutatedText(texts), (text) => {
    const { value, problems, placeOf } = readArgumentsText(text);
    for (const { offset, length } of problems) {
      assert.ok(offset >= 0 && length >= 0 && offset + length <= text.length, text);
    }
    assert.ok(value !== undefined || problems.length > 0);
    const { offset, length } = placeOf({ pointer: '/a/0', keyword: 'type', message: '' });
    assert.ok(offset >= 0 && offset + length <= text.length);
  });

  fuzz('is the same after it was written', 6, mutatedValue(documents), (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const json = JSON.stringify(value);
    const { value: read, problems } = readArgumentsText(json);
    if (problems.length === 0) assert.equal(JSON.stringify(read), json);
    const indented = indentedJson(json);
    assert.equal(indentedJson(indented), indented);
    const compact = compactJson(json);
    assert.equal(JSON.stringify(JSON.parse(compact)), json);
    const linesOf = (line: string): number => Math.max(1, Math.ceil(line.length / 50));
    const { text, restChars } = argumentsExcerpt(json, { lines: 10, linesOf });
    assert.ok(text.length <= 510);
    assert.ok(restChars >= 0 && restChars <= compact.length);
  });

  fuzz('has places with names of any kind', 3, mutatedText(['a/b~c', '~01', '']), (name) => {
    assert.deepEqual(parsePointerSteps(toPointerStep(name)), [name]);
  });
});

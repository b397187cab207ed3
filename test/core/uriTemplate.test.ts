import assert from 'node:assert/strict';
import { expandUriTemplate, readUriTemplate } from '../../src/core/resources/uriTemplate';

const shown = (template: string): string => {
  const read = readUriTemplate(template);
  if (read.kind === 'broken') return `broken ${read.place}`;
  return read.variables
    .map(({ name, isList, isOptional, maxChars = '' }) =>
      [name, isList ? '*' : '', isOptional ? '?' : '', maxChars].join(''),
    )
    .join(' ');
};

describe('A URI template', () => {
  for (const [template, expected] of [
    ['a://b', ''],
    ['a://{b}/{c}', 'b c'],
    ['a://{+path}{#part}', 'path part?'],
    ['a://{b}{?x,y*}{&z:3}', 'b x? y*? z?3'],
    ['{b}{b}', 'b'],
    ['a://{user-id}/{a.b}/{%41}', 'user-id a.b %41'],
    ['a://{}', 'broken {}'],
    ['a://{b', 'broken a://{b'],
    ['a://b}', 'broken a://b}'],
    ['a://{{b}}', 'broken a://{'],
    ['a://{b c}', 'broken {b c}'],
    ['a://{=b}', 'broken {=b}'],
    ['a://{b,}', 'broken {b,}'],
    ['a://{b:0}', 'broken {b:0}'],
  ] as const) {
    it(`${template} has: ${expected}`, () => assert.equal(shown(template), expected));
  }

  it('is rejected if it is too long, or has too many variables', () => {
    assert.match(shown(`a://${'x'.repeat(10_000)}`), /^broken/);
    assert.match(shown(Array.from({ length: 51 }, (_, i) => `{v${i}}`).join('')), /^broken/);
  });

  for (const [template, values, expected] of [
    ['a://{b}', { b: 'x y/ü&' }, 'a://x%20y%2F%C3%BC%26'],
    ['a://{+b}', { b: 'x y/z' }, 'a://x%20y/z'],
    ['a://b{?q,r}', { q: '', r: '1' }, 'a://b?r=1'],
    ['a://b{?q}', {}, 'a://b'],
    ['a:/{/b*}', { b: 'x,y' }, 'a://x/y'],
    ['a://{b:2}', { b: 'xyz' }, 'a://xy'],
    ['a://{b:2}/{b}', { b: 'xyz' }, 'a://xy/xyz'],
    ['a://{b:1,b:2}', { b: '😀yz' }, 'a://%F0%9F%98%80,%F0%9F%98%80y'],
    ['a://b{?b:2,b}', { b: 'xyz' }, 'a://b?b=xy&b=xyz'],
    ['a://b{.b:1}', { b: '😀y' }, 'a://b.%F0%9F%98%80'],
    ['a:b:1,{b}', { b: 'xyz' }, 'a:b:1,xyz'],
    ['a://{b}', { b: '\uD800' }, 'a://%EF%BF%BD'],
    ['a://{__proto__}', { ['__proto__']: 'x' }, 'a://x'],
    ['a://{toString}', {}, 'a://'],
  ] as const) {
    it(`${template} of ${JSON.stringify(values)} is ${expected}`, () => {
      assert.equal(expandUriTemplate(template, values), expected);
    });
  }
});

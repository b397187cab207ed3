import assert from 'node:assert/strict';
import { isCostlyPattern } from '../../src/core/bounds/patterns';

describe('A regular expression', () => {
  for (const [name, pattern] of Object.entries({
    'an e-mail address':
      "^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$",
    'a date with time':
      '^(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|(?:02)-(?:0[1-9]|1\\d|2[0-8])))T(?:(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|([+-](?:[01]\\d|2[0-3]):[0-5]\\d)))$',
    'a version':
      '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$',
    'an address of IPv6':
      '^(([0-9a-fA-F]{1,4}:){7,7}[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,7}:|([0-9a-fA-F]{1,4}:){1,6}:[0-9a-fA-F]{1,4}|([0-9a-fA-F]{1,4}:){1,5}(:[0-9a-fA-F]{1,4}){1,2}|([0-9a-fA-F]{1,4}:){1,4}(:[0-9a-fA-F]{1,4}){1,3}|([0-9a-fA-F]{1,4}:){1,3}(:[0-9a-fA-F]{1,4}){1,4}|([0-9a-fA-F]{1,4}:){1,2}(:[0-9a-fA-F]{1,4}){1,5}|[0-9a-fA-F]{1,4}:((:[0-9a-fA-F]{1,4}){1,6})|:((:[0-9a-fA-F]{1,4}){1,7}|:))$',
    'a duration': '^P(?!$)((\\d+Y)?(\\d+M)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+S)?)?|(\\d+W)?)$',
    'a cron line': '^(\\*|([0-9]|[1-5][0-9])) (\\*|([0-9]|1[0-9]|2[0-3]))( (\\*|[1-9])){3}$',
    'a thousand words': `^(?:${Array.from({ length: 1_000 }, (_, index) => `word${index}`).join('|')})$`,
    'named groups and classes': '^(?<year>[^\\]]{4})[[\\w-]\\k<year>(?<!x)\\p{L}\\u{1F600}$',
    nothing: '',
  })) {
    it(`compiles quickly: ${name}`, () => {
      new RegExp(pattern, name.startsWith('named') ? 'u' : '').test('x');
      assert.equal(isCostlyPattern(pattern), false);
    });
  }

  for (const pattern of [
    'a?'.repeat(100) + 'a'.repeat(100) + 'b',
    'a*b?'.repeat(60) + 'aaaab',
    '(?:a|)'.repeat(100) + 'aaaa',
    '(|a)'.repeat(100) + 'aaaa',
    'a{0,1}'.repeat(100) + 'aaaa',
    '(?:(?:a?b?)?c?)?'.repeat(40) + 'aaaa',
    `(?:${'(a)|'.repeat(150)}b){4}`,
    '('.repeat(150) + 'a' + ')'.repeat(150),
  ]) {
    it(`is rejected if compiling takes unbounded time: ${pattern.slice(0, 30)}…`, () => {
      assert.equal(isCostlyPattern(pattern), true);
    });
  }
});

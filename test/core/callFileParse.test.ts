import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { readOutline } from '../../src/core/callFiles/runbook';
import { readCallFile } from '../../src/core/callFiles/parseCallFile';

/** `code detail` of every problem, and the text at its place. */
function problemsOf(text: string): string[] {
  const { file, problems } = readCallFile(text);
  assert.equal(file === undefined, problems.length > 0);
  return problems.map(({ code, detail, offset, length }) =>
    [code, detail ?? '', '@', text.slice(offset, offset + length)].join(' '),
  );
}

const call = '"server": "demo", "tool": "echo"';

describe('A call file', () => {
  it('can be one call, with comments and trailing commas', () => {
    const { file } = readCallFile(
      `{ ${call}, /* why */ "arguments": { "a": 1 }, "timeout": 5000, }`,
    );
    assert.deepEqual(file?.calls, [
      {
        name: '',
        pointer: '',
        server: 'demo',
        target: { kind: 'tool', name: 'echo' },
        timeoutMs: 5000,
        expect: { places: [], ignored: [] },
        arguments: { a: 1 },
      },
    ]);
  });

  it('can be many calls, in the order of the file even if their names are numbers', () => {
    const { file } = readCallFile(
      `{ "calls": { "b": { ${call} }, "10": { ${call} }, "2": { ${call} } } }`,
    );
    const names = file?.calls.map(({ name }) => name);
    assert.deepEqual(names, ['b', '10', '2']);
  });

  it('leaves missing arguments missing', () => {
    const { file } = readCallFile(`{ ${call} }`);
    assert.equal(Object.hasOwn(file?.calls[0] ?? {}, 'arguments'), false);
  });

  it('treats __proto__ like any other name', () => {
    const text = `{ "calls": { "__proto__": { ${call}, "arguments": { "__proto__": { "x": "\${input:__proto__}" } } } }, "inputs": { "__proto__": { "password": true } } }`;
    const { file } = readCallFile(text);
    assert.equal(file?.calls[0]?.name, '__proto__');
    assert.deepEqual(Object.keys(file.calls[0]?.arguments ?? {}), ['__proto__']);
    assert.equal(file.inputs.get('__proto__')?.isPassword, true);
    assert.equal(Object.hasOwn(Object.prototype, 'x'), false);
  });

  it('runs nothing if it is malformed, and says where', () => {
    const texts: readonly (readonly [text: string, ...problems: string[]])[] = [
      ['', 'syntax ValueExpected @ '],
      ['[]', 'notAnObject  @ []'],
      ['{', 'syntax CloseBraceExpected @ '],
      ['{}', 'missingKey server @ {', 'missingKey tool @ {'],
      [`{ ${call}, "x": 1 }`, 'unknownKey x @ "x"'],
      [
        `{ ${call}, "calls": {} }`,
        'mixed server @ "server"',
        'mixed tool @ "tool"',
        'empty  @ "calls"',
      ],
      ['{ "calls": [] }', 'notAnObjectHere calls @ "calls"'],
      ['{ "calls": { "a": null } }', 'notAnObjectHere a @ null'],
      ['{ "calls": { "a": { "tool": 1, "server": "s" } } }', 'notAText tool @ 1'],
      [`{ "calls": { "a": { ${call} }, "a": { ${call} } } }`, 'duplicateName a @ "a"'],
      [`{ ${call}, "arguments": [] }`, 'notAnObjectHere arguments @ "arguments"'],
      [`{ ${call}, "timeout": 0 }`, 'badTimeout  @ 0'],
      [`{ ${call}, "timeout": "1s" }`, 'badTimeout  @ "1s"'],
      [`{ ${call}, "send": "raw" }`, 'badSend  @ "raw"'],
      [`{ ${call}, "send": ["asIs"] }`, 'badSend  @ "send"'],
      [`{ ${call}, "answers": {} }`, 'notAnswers  @ "answers"'],
      [`{ ${call}, "answers": [1] }`, 'notAnswers  @ 1'],
      [`{ ${call}, "answers": [{ "question": 1 }] }`, 'badPattern  @ 1'],
      [`{ ${call}, "answers": [{ "question": "(" }] }`, 'badPattern ( @ "("'],
      [`{ ${call}, "answers": [{ "action": "yes" }] }`, 'badAction  @ "yes"'],
      [`{ ${call}, "answers": [{ "content": "a" }] }`, 'notAnObjectHere content @ "a"'],
      [
        `{ ${call}, "answers": [{ "action": "decline", "content": {} }] }`,
        'unknownKey content @ "content"',
      ],
      [`{ ${call}, "answers": [{ "message": "a" }] }`, 'unknownKey message @ "message"'],
      [
        `{ ${call}, "answers": [{ "content": { "a": "\${x}" } }] }`,
        'unknownVariable ${x} @ "${x}"',
      ],
      [`{ ${call}, "answers": [${Array(101).fill('{}').join()}] }`, 'tooManyAnswers  @ "answers"'],
      [
        `{ ${call}, "expect": { "values": { "/content": "\${env:" } } }`,
        'openVariable ${env: @ "${env:"',
      ],
      [
        `{ ${call}, "expect": { "error": { "message": "\${calls.a.content}" } } }`,
        'unknownCall a @ "${calls.a.content}"',
      ],
      [
        `{ ${call}, "expect": { "answer": { "content": ["\${now:x}"] } } }`,
        'badGenerated ${now:x} @ "${now:x}"',
      ],
      [`{ ${call}, "expect": { "error": true } }`, 'notAnObjectHere error @ true'],
      [`{ ${call}, "expect": { "error": { "code": 1.5 } } }`, 'badErrorCode  @ 1.5'],
      [`{ ${call}, "expect": { "error": { "code": "1" } } }`, 'badErrorCode  @ "1"'],
      [`{ ${call}, "expect": { "error": { "message": 1 } } }`, 'notAText message @ 1'],
      [`{ ${call}, "expect": { "error": { "matches": "(" } } }`, 'badPattern ( @ "("'],
      [`{ ${call}, "expect": { "error": { "data": {} } } }`, 'unknownKey data @ "data"'],
      [
        `{ ${call}, "expect": { "error": {}, "isError": true, "under": 1 } }`,
        'notWithError isError @ "isError"',
      ],
      [
        `{ ${call}, "expect": { "error": {}, "annotations": { "readOnlyHint": true } } }`,
        'notWithError annotations @ "annotations"',
      ],
      [
        `{ ${call}, "resource": "x:y", "prompt": "p" }`,
        'severalTargets resource @ "resource"',
        'severalTargets prompt @ "prompt"',
      ],
      ['{ "server": "s", "resource": 5 }', 'notAText resource @ 5'],
      [
        '{ "server": "s", "resource": "x:y", "arguments": {}, "send": "asIs" }',
        'onlyForTools send @ "send"',
        'onlyForTools arguments @ "arguments"',
      ],
      ['{ "server": "s", "prompt": "p", "answers": [] }', 'onlyForTools answers @ "answers"'],
      [
        '{ "server": "s", "prompt": "p", "arguments": { "a": 1 }, "expect": { "isError": true } }',
        'onlyForTools isError @ "isError"',
        'notAText a @ 1',
      ],
      [
        '{ "server": "s", "resource": "${calls.a.content}" }',
        'unknownCall a @ "${calls.a.content}"',
      ],
      [`{ ${call}, "expect": true }`, 'notAnObjectHere expect @ true'],
      [`{ ${call}, "expect": { "isError": 1 } }`, 'notABoolean isError @ 1'],
      [`{ ${call}, "expect": { "schema": 1 } }`, 'notASchema schema @ 1'],
      [`{ ${call}, "expect": { "values": { "content": 1 } } }`, 'badPointer content @ "content"'],
      [`{ ${call}, "expect": { "values": { "/meta": 1 } } }`, 'badPointer /meta @ "/meta"'],
      [`{ ${call}, "expect": { "value": {} } }`, 'unknownKey value @ "value"'],
      [`{ ${call}, "inputs": { "a": { "password": "yes" } } }`, 'notABoolean password @ "yes"'],
      [`{ ${call}, "arguments": { "a": ["\${env:"] } }`, 'openVariable ${env: @ "${env:"'],
      [`{ ${call}, "arguments": { "a": "\${HOME}" } }`, 'unknownVariable ${HOME} @ "${HOME}"'],
      [`{ ${call}, "arguments": { "a": "\${env:}" } }`, 'badVariable ${env:} @ "${env:}"'],
    ];
    for (const [text, ...problems] of texts) assert.deepEqual(problemsOf(text), problems, text);
  });

  it('reports one problem for a misspelled key, not also that it is missing', () => {
    const codesIn = (text: string) =>
      readCallFile(text).problems.map(({ code, detail, nearest }) => [code, detail, nearest]);
    assert.deepEqual(codesIn('{ "servr": "s", "tol": "t" }'), [
      ['unknownKey', 'servr', 'server'],
      ['unknownKey', 'tol', 'tool'],
    ]);
    assert.deepEqual(codesIn('{ "calls": { "a": { "server": "s", "tol": "t" } } }'), [
      ['unknownKey', 'tol', 'tool'],
    ]);
  });

  it('suggests the right key', () => {
    const nearestIn = (text: string) => readCallFile(text).problems.map(({ nearest }) => nearest);
    assert.deepEqual(nearestIn(`{ ${call}, "argument": {} }`), ['arguments']);
    assert.deepEqual(nearestIn(`{ "calls": { "a": { ${call}, "Expects": {} } } }`), ['expect']);
    assert.deepEqual(nearestIn(`{ ${call}, "expect": { "valeus": {} } }`), ['values']);
    assert.deepEqual(nearestIn(`{ ${call}, "expect": { "error": { "mesage": "" } } }`), [
      'message',
    ]);
    assert.deepEqual(nearestIn(`{ ${call}, "answers": [{ "contents": {} }] }`), ['content']);
    assert.deepEqual(nearestIn(`{ ${call}, "inputs": { "a": { "pasword": true } } }`), [
      'password',
    ]);
    assert.deepEqual(nearestIn(`{ ${call}, "whatever": 1 }`), [undefined]);
    assert.deepEqual(nearestIn(`{ ${call}, "${'x'.repeat(3_000)}": 1 }`), [undefined]);
  });

  it('refers only to earlier calls', () => {
    const text = (variable: string) =>
      `{ "calls": { "a": { ${call}, "arguments": { "x": "${variable}" } }, "b": { ${call} } } }`;
    assert.match(problemsOf(text('${calls.c.content}'))[0] ?? '', /^unknownCall c /);
    assert.match(problemsOf(text('${calls.b.content}'))[0] ?? '', /^laterCall b /);
    assert.match(problemsOf(text('${calls.a.content}'))[0] ?? '', /^laterCall a /);
    assert.match(problemsOf(text('${calls.a.text}'))[0] ?? '', /^badVariable /);
  });

  it('has before and after calls, with names that are unique in the file', () => {
    const text = `{ "after": { "z": { ${call} } }, "calls": { "b": { ${call}, "arguments":
      { "x": "\${calls.a.content}" } } }, "before": { "a": { ${call} } } }`;
    const { file } = readCallFile(text);
    assert.deepEqual(
      file?.calls.map(({ name, phase, pointer }) => [name, phase, pointer]),
      [
        ['a', 'before', '/before/a'],
        ['b', undefined, '/calls/b'],
        ['z', 'after', '/after/z'],
      ],
    );
    assert.deepEqual(
      readOutline(text).calls.map(({ name, whole }) => [name, whole.offset]),
      ['a', 'b', 'z'].map((name) => [name, text.indexOf(`"${name}": {`)]),
    );
    const twice = `{ "calls": { "a": { ${call} } }, "after": { "a": { ${call} } } }`;
    assert.deepEqual(problemsOf(twice), ['duplicateName a @ "a"']);
    assert.deepEqual(problemsOf(`{ ${call}, "after": {} }`), ['unknownKey after @ "after"']);
    assert.deepEqual(problemsOf(`{ "calls": { "a": { ${call} } }, "before": [] }`), [
      'notAnObjectHere before @ "before"',
    ]);
    assert.deepEqual(problemsOf(`{ "before": { "a": { ${call} } } }`), [
      'unknownKey before @ "before"',
      'missingKey server @ {',
      'missingKey tool @ {',
    ]);
  });

  it('can be large, within limits', () => {
    const calls = (count: number) =>
      JSON.stringify({
        calls: Object.fromEntries(
          Array.from({ length: count }, (_, index) => [`c${index}`, { server: 's', tool: 't' }]),
        ),
      });
    assert.equal(readCallFile(calls(1_000)).file?.calls.length, 1_000);
    assert.deepEqual(readCallFile(calls(1_001)).problems[0]?.code, 'tooManyCalls');
    assert.deepEqual(readCallFile(' '.repeat(10 * 1024 * 1024 + 1)).problems[0]?.code, 'tooLarge');
    const deep = `{ ${call}, "arguments": { "a": ${'['.repeat(20_000)}${']'.repeat(20_000)} } }`;
    assert.deepEqual(readCallFile(deep).problems[0]?.code, 'tooDeep');
    assert.deepEqual(readOutline(deep).calls, []);
  });

  it('has limits also inside one text: variables, patterns, pointers, repeated mistakes', () => {
    const withArgument = (text: string) =>
      JSON.stringify({ server: 's', tool: 't', arguments: { text } });
    const first = (text: string) => readCallFile(text).problems[0]?.code;
    assert.equal(first(withArgument('${env:A}'.repeat(5_000))), undefined);
    assert.equal(first(withArgument('${env:A}'.repeat(5_001))), 'tooLarge');
    assert.deepEqual(readOutline(withArgument('${'.repeat(5_001))).calls, []);
    const withPlaces = (kind: string, places: object) =>
      JSON.stringify({ server: 's', tool: 't', expect: { [kind]: places } });
    const patterns = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`/content/${at}`, 'a'.repeat(1_000)]),
      );
    assert.equal(first(withPlaces('matches', patterns(50))), undefined);
    assert.equal(first(withPlaces('matches', patterns(51))), 'badPattern');
    const named = (name: string) => first(JSON.stringify({ server: 's', tool: 't', [name]: 1 }));
    assert.equal(named('/'.repeat(4_000)), 'unknownKey');
    assert.equal(named('/'.repeat(4_001)), 'tooLarge');
    const wrong = readCallFile(withArgument('${no}'.repeat(5_000)));
    assert.equal(wrong.problems.length, 100);
  });

  it('never throws, whatever it contains', () => {
    const keys = fc.constantFrom(
      'calls',
      'server',
      'tool',
      'arguments',
      'expect',
      'values',
      'inputs',
      '__proto__',
      'a',
      '/content',
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.string(),
        fc.constantFrom('${', '$${', '${calls.a.content./0}', '${env:X}'),
        fc.integer(),
        fc.constant(null),
        fc.boolean(),
        fc.array(tie('value')),
        fc.dictionary(keys, tie('value')),
      ),
    }));
    fc.assert(
      fc.property(value, fc.nat(40), (json, cut) => {
        const text = JSON.stringify(json);
        for (const one of [text, text.slice(0, -cut)]) {
          const { file, problems } = readCallFile(one);
          assert.equal(file === undefined, problems.length > 0);
          readOutline(one);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('The outline of a call file', () => {
  it('contains the calls of an incomplete file', () => {
    const text = '{ "calls": { "a": { "server": "demo", "tool": "echo" }, "b": { "server": ';
    const { isMany, calls } = readOutline(text);
    assert.equal(isMany, true);
    assert.deepEqual(
      calls.map(({ name, server, tool }) => [name, server, tool]),
      [
        ['a', 'demo', 'echo'],
        ['b', undefined, undefined],
      ],
    );
  });
});

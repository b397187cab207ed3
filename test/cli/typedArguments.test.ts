import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { UsageError } from '../../src/cli/exitCodes';
import { declaredFields, splitArgument, typeArguments } from '../../src/cli/typedArguments';
import { exactJson } from '../../src/core/json/layOutJson';
import { parseFollowedJson } from '../../src/core/json/parseJson';
import { isJsonObject } from '../../src/core/json/shapes';
import { busiestCount } from '../workCount';
import { runCommand, runProgram, servers, useWorkspaces } from './program';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    flag: { type: 'boolean' },
    maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    either: { type: ['integer', 'string'] },
    level: { enum: ['low', 2, true] },
    tags: { type: 'array', items: { type: 'string' } },
    sizes: { anyOf: [{ type: 'array', items: { type: 'integer' } }, { type: 'null' }] },
    free: {},
    'a.b': { type: 'integer' },
    filter: { $ref: '#/$defs/filter' },
    loop: { $ref: '#/properties/loop' },
    counts: {
      anyOf: [
        {
          type: 'object',
          properties: { a: { type: 'string' } },
          additionalProperties: { type: 'integer' },
        },
        { type: 'null' },
      ],
    },
    deep: { type: 'object', additionalProperties: { $ref: '#/$defs/filter' } },
    patterns: {
      type: 'object',
      patternProperties: { '^x': { type: 'string' } },
      additionalProperties: false,
    },
  },
  allOf: [{ properties: { part: { type: 'integer' } } }],
  $defs: {
    filter: {
      type: 'object',
      properties: {
        open: { type: 'boolean' },
        owner: { type: 'object', properties: { id: { type: 'integer' } } },
      },
      additionalProperties: false,
    },
  },
};
const typed = (...all: readonly string[]) =>
  exactJson(
    typeArguments(
      all.map((each) => splitArgument(each)),
      schema,
    ),
  );
const refused = (pattern: RegExp, ...all: readonly string[]) => {
  assert.throws(
    () => typed(...all),
    (error) => error instanceof UsageError && pattern.test(error.message),
    all.join(' '),
  );
};

describe('Arguments as name=value', () => {
  it('get their types from the schema', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['text=2', '{"text":"2"}'],
      ['text=', '{"text":""}'],
      ['text=a=b:=c', '{"text":"a=b:=c"}'],
      ['count=2', '{"count":2}'],
      ['count=90071992547409931', '{"count":90071992547409931}'],
      ['ratio=1.50', '{"ratio":1.5}'],
      ['flag=true', '{"flag":true}'],
      ['maybe=null', '{"maybe":null}'],
      ['maybe=7', '{"maybe":7}'],
      ['either=7', '{"either":"7"}'],
      ['level=2', '{"level":2}'],
      ['level=true', '{"level":true}'],
      ['tags=2', '{"tags":["2"]}'],
      ['sizes=2', '{"sizes":[2]}'],
      ['sizes:=null', '{"sizes":null}'],
      ['free=2', '{"free":"2"}'],
      ['free:=[1.50,{"a":null}]', '{"free":[1.50,{"a":null}]}'],
      ['a.b=2', '{"a.b":2}'],
      ['part=3', '{"part":3}'],
      ['count:2', '{"count":2}'],
      ['text:a=b', '{"text":"a=b"}'],
      ['filter.open=false', '{"filter":{"open":false}}'],
      ['filter.owner.id=5', '{"filter":{"owner":{"id":5}}}'],
      ['loop=x', '{"loop":"x"}'],
      ['unknown.deep=2', '{"unknown":{"deep":"2"}}'],
      ['counts.b=2', '{"counts":{"b":2}}'],
      ['counts.a=2', '{"counts":{"a":"2"}}'],
      ['deep.any.open=true', '{"deep":{"any":{"open":true}}}'],
      ['patterns.x1=2', '{"patterns":{"x1":"2"}}'],
      ['__proto__=x', '{"__proto__":"x"}'],
      ['__proto__.a=x', '{"__proto__":{"a":"x"}}'],
      ['.=x', '{".":"x"}'],
      ['a.=x', '{"a.":"x"}'],
    ];
    for (const [argument, json] of cases) assert.equal(typed(argument), json, argument);
    assert.equal(
      typed('tags=a', 'filter.open=true', 'tags=b', 'filter.owner.id=1'),
      '{"tags":["a","b"],"filter":{"open":true,"owner":{"id":1}}}',
    );
  });

  it('are refused by name if their type, place or syntax is invalid', () => {
    refused(/"count" is integer; "two" is not\. Write count:= for JSON/, 'count=two');
    refused(/"count" is integer/, 'count=1.5');
    refused(/"flag" is boolean; "yes" is not/, 'flag=yes');
    refused(/"sizes" is integer; "x" is not/, 'sizes=1', 'sizes=x');
    refused(/"filter" is object; "x" is not\. Write filter:= for JSON/, 'filter=x');
    refused(/no argument "filter\.opne"\. Did you mean "open"\?/, 'filter.opne=true');
    refused(/"text" is a duplicate and not an array/, 'text=a', 'text=b');
    refused(/"filter\.open" is a duplicate and not an array/, 'filter:={}', 'filter.open=true');
    refused(/"filter" is a duplicate and not an array/, 'filter.open=true', 'filter:={}');
    refused(/"word" is not an argument: write name=value or name:=json/, 'word');
    refused(/"=x" is not an argument/, '=x');
    for (const json of ['', '{', '1,"a":2', '1}//', 'undefined', '{"a":1,"a":2}', '1 2']) {
      refused(/"free" is not followed by JSON after ":="/, `free:=${json}`);
    }
  });

  it('take no exponential time for schemas that combine each other', async () => {
    const all = Array.from({ length: 9 }, () => ({ $ref: '#/$defs/a' }));
    const combined = {
      properties: { b: { anyOf: all } },
      allOf: all,
      $defs: { a: { oneOf: all } },
    };
    const work = async (): Promise<unknown> => [
      typeArguments([splitArgument('b.c=1')], combined),
      declaredFields(combined),
    ];
    assert.ok((await busiestCount(work)) < 300_000);
    assert.deepEqual(typeArguments([splitArgument('b=1')], combined), { b: '1' });
  });

  it('are refused or become objects, for any input and any schema', () => {
    const key = fc.constantFrom(
      'type',
      'properties',
      'items',
      'anyOf',
      'allOf',
      'enum',
      '$ref',
      'additionalProperties',
      'a',
      'b',
    );
    const { node } = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>(
          'string',
          'integer',
          'array',
          'null',
          '#',
          '#/properties/a',
          true,
          false,
          null,
          1,
        ),
        fc.dictionary(key, tie('node')),
        fc.array(tie('node'), { maxLength: 3 }),
      ),
    }));
    const argument = fc
      .tuple(
        fc.constantFrom('a', 'b', 'a.b', 'a.a.b', 'toString'),
        fc.constantFrom('=', ':='),
        fc.constantFrom('1', 'x', 'null', '[]'),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        fc.array(argument, { minLength: 1, maxLength: 4 }),
        fc.dictionary(key, node),
        (all, made) => {
          const own = parseFollowedJson(JSON.stringify(made));
          assert.ok(isJsonObject(own));
          try {
            assert.ok(
              isJsonObject(
                typeArguments(
                  all.map((each) => splitArgument(each)),
                  own,
                ),
              ),
            );
          } catch (error) {
            assert.ok(error instanceof UsageError, String(error));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  const workspace = useWorkspaces();
  const folderOf = () =>
    workspace({
      '.mcp.json': { mcpServers: { everything: servers.everything, echo: servers.echo } },
    });
  const anything = ['--max-risk', 'destructive'];

  it('reach a real server, with a suggestion if a tool or server does not exist', async () => {
    const folder = folderOf();
    const sum = await runProgram(folder, [
      'call',
      'everything',
      'get-sum',
      'a=2',
      'b=3.5',
      ...anything,
    ]);
    assert.equal(sum.code, 0, sum.stderr);
    assert.match(sum.stdout, /sum of 2 and 3\.5 is 5\.5/);
    const wrong = await runCommand(folder, [
      'call',
      'everything',
      'get-sum',
      'a=two',
      'b=3',
      ...anything,
    ]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /"a" is number; "two" is not/);
    const tool = await runCommand(folder, ['call', 'everything', 'get_sum', 'a=2', ...anything]);
    assert.equal(tool.code, 1);
    assert.match(tool.stderr, /it has no such tool.* Did you mean "get-sum"\?/);
    const server = await runCommand(folder, ['call', 'evrything', 'get-sum', 'a=2', ...anything]);
    assert.equal(server.code, 2);
    assert.match(server.stderr, /There is no server "evrything"\. Did you mean "everything"\?/);
    const both = await runCommand(folder, 'call echo echo message=a --arguments {}');
    assert.deepEqual([both.code, both.stdout], [2, '']);
    assert.match(both.stderr, /Use one of --arguments, name=value and tool\(name: value\)/);
  });

  it('are accepted with server and tool as one word, or in the form of a function call', async () => {
    const folder = workspace({
      '.mcp.json': {
        mcpServers: { 'every.thing': servers.everything, every: servers.echo, echo: servers.echo },
      },
    });
    const said = async (...words: readonly string[]) => {
      const { code, stdout, stderr } = await runCommand(folder, ['call', ...words, ...anything]);
      return `${code} ${stdout}${stderr}`;
    };
    const sum = /^0 [^]*sum of 2 and 3\.5 is 5\.5/;
    assert.match(await said('every.thing.get-sum', 'a:2', 'b=3.5'), sum);
    assert.match(await said('every.thing.get-sum(a: 2, "b": 3.5)'), sum);
    assert.match(await said('every.thing', 'get-sum({ a: 2, b: 3.5, })'), sum);
    const quoted = String.raw`echo.echo(message: 'it\'s "a: b", c')`;
    assert.match(await said(quoted), /^0 [^]*Echo: it's \\"a: b\\", c/);
    assert.match(await said('echo.echo()'), /^1 [^]*toolgate: must have the property "message"/);
    assert.match(
      await said('ecko.echo', 'message:a'),
      /^2 [^]*no server "ecko"\. Did you mean "echo"/,
    );
    assert.match(await said('every.thing.get-sum(2, 3.5)'), sum);
    assert.match(await said("echo.echo('a: (b)')"), /^0 [^]*Echo: a: \(b\)/);
    assert.match(await said('echo.echo("a", 2)'), /^2 [^]*"echo" has 1 argument/);
    for (const inside of ['message: a', 'message: "a"} ,{', 'message: "a', 'message:']) {
      const told = /^2 [^]*The arguments of "echo" must be name: value, separated by commas/;
      assert.match(await said(`echo.echo(${inside})`), told, inside);
    }
    assert.match(await said('echo.echo(message: "a")', 'message=b'), /^2 [^]*Use one of/);
    assert.match(await said('echo.'), /^2 [^]*requires the names of a server/);
  });

  it('come from files, whose text is used unchanged, or from standard input', async () => {
    const folder = workspace({
      '.mcp.json': { mcpServers: { everything: servers.everything } },
      'note.txt': '${env:PATH}',
      'place.json': '{ "a": 1.50 }',
    });
    const echo = ['call', 'everything', 'echo', '--max-risk', 'destructive'];
    const said = async (parameters: readonly string[], input: string | Buffer = '') => {
      const { stdout, stderr } = await runCommand(folder, parameters, {}, { input });
      return `${stdout}${stderr}`;
    };
    assert.match(await said([...echo, 'message=@note.txt']), /Echo: \$\{env:PATH\}/);
    assert.match(await said([...echo, 'message=@@ada']), /Echo: @ada/);
    assert.match(await said([...echo, 'message=@none.txt']), /There is no file none\.txt/);
    assert.match(await said([...echo, 'message:=@place.json']), /\/message must be string/);
    const input = '{"message":"from input"}';
    assert.match(await said([...echo, '--arguments', '-'], input), /Echo: from input/);
    // A pipe of PowerShell begins with a byte order mark.
    assert.match(await said([...echo, '--arguments', '-'], `\uFEFF${input}`), /Echo: from input/);
    assert.match(
      await said([...echo, '--arguments', '-'], '{'),
      /--arguments must be a JSON object that can be sent \(line 1\): Add a closing brace/,
    );
    const inLatin1 = Buffer.from('{"message":"Malmö"}', 'latin1');
    assert.match(await said([...echo, '--arguments', '-'], inLatin1), /arguments are not in UTF-8/);
    writeFileSync(path.join(folder, 'latin.txt'), inLatin1);
    assert.match(await said([...echo, 'message=@latin.txt']), /latin\.txt is not in UTF-8\./);
    const twice = await said([...echo, '--arguments', '{\n  "message": "a",\n  "message": "b"\n}']);
    assert.match(twice, /\(line 3\): Duplicate name “message”/);
  });

  it('can be variables, whose values are never shown', async () => {
    const folder = folderOf();
    const call = ['call', 'echo', 'echo', 'message=${input:key}', ...anything];
    const { code, stdout } = await runCommand(folder, call, {
      TOOLGATE_INPUT_key: 'very-secret-key',
    });
    assert.equal(code, 0);
    assert.match(stdout, /Echo: \(secret\)/);
    assert.doesNotMatch(stdout, /very-secret/);
    const unset = await runCommand(folder, call);
    assert.equal(unset.code, 2);
    assert.match(unset.stderr, /\$\{input:key\} has no value: set TOOLGATE_INPUT_key/);
  });
});

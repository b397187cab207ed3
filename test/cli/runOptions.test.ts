import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { checkJunit, parseXml } from './junitForm';
import { runCommand, servers, useWorkspaces } from './program';

/** Answers `count` with how often this process was called, `flaky` with an error the first time, `pid` with its process. */
const countingServer = `
  import { createInterface } from 'node:readline';
  let count = 0;
  const tool = (name) => ({ name, inputSchema: { type: 'object' } });
  const text = (value, isError = false) => ({ content: [{ type: 'text', text: String(value) }], isError });
  const results = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
    'tools/list': () => ({ tools: ['count', 'flaky', 'pid', 'hang'].map(tool) }),
    count: () => text(++count),
    flaky: () => text('not yet', ++count === 1),
    pid: () => text(process.pid),
  };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const result = results[params?.name ?? method]?.(params);
    if (params?.name === 'hang' || id === undefined) return;
    const outcome = result === undefined ? { error: { code: -32601, message: '' } } : { result };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
  });
`;
const counting = { command: process.execPath, args: ['s.mjs'] };
const textOf = (expected: string) => ({ values: { '/content/0/text': expected } });
const call = (tool: string, expect: object = {}) => ({ server: 's', tool, expect });
const echo = (message: string, expect: object = {}) => {
  return { server: 'echo', tool: 'echo', arguments: { message }, expect };
};

describe('A run of the command line', () => {
  const workspace = useWorkspaces();
  const folderOf = (files: Readonly<Record<string, unknown>>) =>
    workspace({
      '.mcp.json': { mcpServers: { s: counting, echo: servers.echo } },
      's.mjs': countingServer,
      ...files,
    });
  const test = (folder: string, ...parameters: readonly string[]) =>
    runCommand(folder, ['test', '--max-risk', 'destructive', ...parameters]);
  const report = async (folder: string, ...parameters: readonly string[]) => {
    const { code, stdout, stderr } = await test(folder, '--reporter', 'json', ...parameters);
    return { code, stderr, report: JSON.parse(stdout) };
  };
  const named = ({ calls }: { calls: { name: string; status: string }[] }) =>
    calls.map(({ name, status }) => `${name} ${status}`);

  it('makes the calls that --grep finds, the calls that they need, and before and after calls', async () => {
    const folder = folderOf({
      'a.mcpcall': {
        before: { ready: echo('r') },
        calls: {
          source: echo('x'),
          other: echo('y'),
          wanted: echo('${calls.source.content./0/text}'),
        },
        after: { clean: echo('c') },
      },
      'b.mcpcall': echo('b'),
    });
    const found = await report(folder, '--grep', 'a\\.mcpcall: want');
    assert.equal(found.code, 0, JSON.stringify(found));
    assert.deepEqual(named(found.report), [
      'ready passed',
      'source passed',
      'wanted passed',
      'clean passed',
    ]);
    const none = await report(folder, '-g', 'nothing is called this');
    assert.deepEqual([none.code, none.report.calls], [1, []]);
    assert.match(none.stderr, /No call was run, because none matches --grep/);
  });

  it('is not blocked by a pattern that never ends', async () => {
    const folder = folderOf({ 'a.mcpcall': { calls: { [`${'a'.repeat(60)}!`]: echo('x') } } });
    const { code, report: all } = await report(folder, '--grep', '(a|a|aa)+$');
    assert.equal(code, 1);
    assert.match(all.calls[0].reasons[0].sentence, /--grep takes too long/);
  });

  it('starts no more calls after the first failure with --bail, and cleans up', async () => {
    const folder = folderOf({
      'a.mcpcall': {
        calls: { bad: echo('x', textOf('y')), later: echo('z') },
        after: { clean: echo('c') },
      },
      'b.mcpcall': echo('b'),
    });
    const { code, report: all } = await report(folder, '--bail');
    assert.equal(code, 1);
    assert.equal(all.bailed, true);
    assert.deepEqual(named(all), ['bad failed', 'clean passed']);
    assert.match((await test(folder, '--bail')).stdout, /^Ended by --bail: /m);
  });

  it('repeats a failed call, at most as often as --retries says', async () => {
    const folder = folderOf({
      'a.mcpcall': { calls: { flaky: call('flaky'), never: call('count', textOf('no')) } },
    });
    assert.deepEqual(named((await report(folder)).report), ['flaky failed', 'never failed']);
    const { code, report: all } = await report(folder, '--retries', '2');
    assert.equal(code, 1);
    assert.deepEqual(named(all), ['flaky passed', 'never failed']);
    assert.deepEqual(
      all.calls.map(({ tries }: { tries?: number }) => tries),
      [2, 3],
    );
    // Of a passed call the first try is not hidden.
    assert.match((await test(folder, '--retries', '1')).stdout, /flaky \d+ ms, call 2/);
  });

  it('suggests a tool or server if a name does not exist', async () => {
    const folder = folderOf({
      'a.mcpcall': { calls: { tool: call('cuont'), server: { server: 'ehco', tool: 'echo' } } },
    });
    const { report: all } = await report(folder);
    const [tool, server] = all.calls.map(
      ({ reasons }: { reasons: { sentence: string }[] }) => reasons[0]?.sentence,
    );
    assert.match(tool, /"cuont" of "s": it has no such tool\..* Did you mean "count"\?/);
    assert.equal(server, 'There is no server "ehco". Did you mean "echo"?');
  });

  it('uses one process for all files, and with --fresh one for each', async () => {
    const folder = folderOf({
      'a.mcpcall': call('count'),
      'b.mcpcall': call('count', textOf('2')),
    });
    assert.equal((await report(folder)).code, 0);
    const { code, report: all } = await report(folder, '--fresh');
    assert.equal(code, 1);
    assert.equal(all.calls[1].reasons[0].actual, '"1"');
  });

  it('runs files in parallel with --jobs, and reports them in order', async () => {
    const one = { ...call('hang'), timeout: 1_500 };
    const names = ['a', 'b', 'c', 'd'];
    const files = Object.fromEntries(names.map((name) => [`${name}.mcpcall`, echo(name)]));
    const folder = folderOf({ ...files, 'a.mcpcall': one });
    const { report: all } = await report(folder, '--jobs', '4');
    assert.deepEqual(
      all.calls.map(({ file, status }: { file: string; status: string }) => `${file} ${status}`),
      ['a.mcpcall errored', 'b.mcpcall passed', 'c.mcpcall passed', 'd.mcpcall passed'],
    );
    // What is denied is told of the call that it is about.
    const { stdout } = await runCommand(folder, ['test', '--jobs', '4', '--reporter', 'json']);
    for (const { server, tool, reasons } of JSON.parse(stdout).calls) {
      assert.ok(
        reasons[0].sentence.includes(`"server":"${server}","tool":"${tool}"`),
        reasons[0].sentence,
      );
    }
  });

  it('applies the given time limits to calls and starts, and a call its own', async () => {
    const folder = folderOf({
      'a.mcpcall': { calls: { hang: call('hang'), own: { ...call('hang'), timeout: 1_000 } } },
    });
    const { code, report: all } = await report(folder, '--timeout', '130');
    assert.equal(code, 1);
    assert.match(
      all.calls[0].reasons[0].sentence,
      /no answer came in time \(130 ms, the limit of --timeout\)/,
    );
    assert.match(all.calls[1].reasons[0].sentence, /\(1000 ms, the "timeout" of the call\)/);
    const silent = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
    writeFileSync(path.join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { s: silent } }));
    const unstarted = await report(folder, '--start-timeout', '50');
    assert.equal(unstarted.code, 5);
    assert.match(unstarted.report.calls[0].reasons[0].sentence, /it did not answer in time/);
  });

  it('offers the given revision', async () => {
    const folder = folderOf({});
    for (const revision of ['2024-11-05', '2025-06-18']) {
      const { stdout } = await runCommand(folder, ['list', 's', '--revision', revision]);
      assert.match(stdout, new RegExp(`^- s \\(MCP ${revision}\\)`));
    }
  });

  it('reports which of the listed tools were called', async () => {
    const folder = folderOf({ 'a.mcpcall': { calls: { a: call('count'), b: echo('x') } } });
    const { report: all } = await report(folder, '--coverage');
    assert.deepEqual(all.coverage, [
      { server: 's', offered: 4, called: 1, uncalled: ['flaky', 'pid', 'hang'] },
      { server: 'echo', offered: 1, called: 1, uncalled: [] },
    ]);
    const line = 's: 1 of 4 tools called; not: flaky, pid, hang';
    for (const reporter of ['spec', 'tap', 'junit', 'github']) {
      const { stdout } = await test(folder, '--coverage', '--reporter', reporter);
      assert.ok(stdout.includes(line), `${reporter}: ${stdout}`);
    }
    assert.doesNotMatch((await test(folder)).stdout, /of 4 tools/);
  });

  it('reports expected and actual values to programs', async () => {
    const expect = {
      values: { '/content/0/text': 'y', '/content/7': 1 },
      contains: { '/content/0/text': 'q' },
      matches: { '/content/0/text': '^z' },
      count: { '/content': 3 },
      isError: true,
      annotations: { readOnlyHint: true },
      answer: { content: [] },
    };
    const schema = { schema: { type: 'object' } };
    const folder = folderOf({
      'a.mcpcall': {
        calls: { all: echo('x', expect), schema: echo('x', schema) },
      },
    });
    const { report: all } = await report(folder);
    const [first] = all.calls;
    assert.deepEqual([first.server, first.tool, first.said], ['echo', 'echo', 'Echo: x']);
    const places = new Map(
      first.reasons.map((reason: { place: string }) => [reason.place, reason]),
    );
    const pairOf = (place: string) => {
      const { expected, actual } = places.get(place) as { expected?: string; actual?: string };
      return [expected, actual];
    };
    assert.deepEqual(pairOf('/isError'), ['true', 'false']);
    assert.deepEqual(pairOf('/values/~1content~10~1text'), ['"y"', '"Echo: x"']);
    assert.deepEqual(pairOf('/values/~1content~17'), ['1', undefined]);
    assert.deepEqual(pairOf('/contains/~1content~10~1text'), ['"q"', '"Echo: x"']);
    assert.deepEqual(pairOf('/matches/~1content~10~1text'), ['^z', '"Echo: x"']);
    assert.deepEqual(pairOf('/count/~1content'), ['3', '1']);
    assert.equal(pairOf('/annotations/readOnlyHint')[0], 'true');
    assert.match(pairOf('/answer')[1] ?? '', /"text": "Echo: x"/);
    const { stdout } = await test(folder, '--reporter', 'tap');
    for (const place of places.keys()) {
      assert.ok(stdout.includes(`    - place: ${JSON.stringify(place)}\n      expected: `), stdout);
    }
    assert.match(stdout, /^ {2}server: "echo"\n {2}tool: "echo"$/m);
    const junit = (await test(folder, '--reporter', 'junit')).stdout;
    const [failed] = checkJunit(junit);
    assert.deepEqual(
      failed?.children.map(({ name, text }) => [name, name === 'system-out' ? text : '']),
      [
        ['failure', ''],
        ['system-out', 'Echo: x'],
      ],
    );
    assert.match(parseXml(junit).children[0]?.attributes['timestamp'] ?? '', /^20\d\d-/);
  });
});

describe('Findings of a run with --fresh', () => {
  const workspace = useWorkspaces();

  it('include those of all processes of a server', async () => {
    const noisy = countingServer.replace('let count = 0;', "let count = 0; console.log('hello');");
    const folder = workspace({
      '.mcp.json': { mcpServers: { s: counting } },
      's.mjs': noisy,
      'a.mcpcall': call('count'),
      'b.mcpcall': call('count'),
    });
    const { stdout } = await runCommand(folder, ['test', '--max-risk', 'destructive', '--fresh']);
    assert.match(stdout, /! Server "s" wrote lines to standard output that are not messages: 2\./);
  });
});

describe('Reports of the command line', () => {
  const workspace = useWorkspaces();
  const folderOf = () =>
    workspace({
      '.mcp.json': { mcpServers: { echo: servers.echo } },
      'calls/a.mcpcall': { calls: { good: echo('x'), bad: echo('x', textOf('y')) } },
    });

  it('can be several at once, each in a file, with an unchanged console', async () => {
    const folder = folderOf();
    const { code, stdout } = await runCommand(
      folder,
      'test --max-risk destructive --output junit=out/report.xml --output json=out/report.json --output tap=report.tap --output spec=report.txt',
    );
    assert.equal(code, 1);
    assert.match(stdout, /^1 passed, 1 failed/m);
    const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
    assert.equal(checkJunit(read('out/report.xml')).length, 2);
    assert.equal(JSON.parse(read('out/report.json')).failed, 1);
    assert.match(read('report.tap'), /^1\.\.2$/m);
    assert.match(read('report.txt'), /^1 passed, 1 failed/m);
  });

  it('are annotations for GitHub, with paths from the root of the repository', async () => {
    const folder = folderOf();
    const { stdout } = await runCommand(
      path.join(folder, 'calls'),
      'test --max-risk destructive --reporter spec --reporter github --server-config ../.mcp.json',
      { GITHUB_WORKSPACE: folder },
    );
    assert.match(stdout, /^ {2}✓ good/m);
    assert.match(
      stdout,
      /^::error file=calls\/a\.mcpcall,line=1,title=a\.mcpcall%3A bad::Expected "y" at \/content\/0\/text, but got "Echo: x"\.$/m,
    );
    assert.match(stdout, /^::notice title=toolgate::1 passed, 1 failed$/m);
  });

  it('of an earlier run are kept if the command has a mistake', async () => {
    const folder = folderOf();
    writeFileSync(path.join(folder, 'kept.xml'), 'kept');
    writeFileSync(path.join(folder, 'file'), '');
    for (const option of [
      'allow missing.json',
      'server-config missing.json',
      'replay missing.json',
      'record file',
      'journal file',
    ]) {
      const line = `test --output junit=kept.xml --${option}`;
      const { code, stderr } = await runCommand(folder, line);
      assert.equal(code, 2, stderr);
      assert.equal(readFileSync(path.join(folder, 'kept.xml'), 'utf8'), 'kept', option);
    }
  });

  it('that cannot be written are reported before anything starts', async () => {
    const folder = folderOf();
    writeFileSync(path.join(folder, 'file'), '');
    mkdirSync(path.join(folder, 'folder'));
    const said = async (...parameters: readonly string[]) => {
      const all = ['test', '--max-risk', 'destructive', '--journal', 'journal', ...parameters];
      const { code, stdout, stderr } = await runCommand(folder, all);
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.ok(!existsSync(path.join(folder, 'journal')));
      return stderr;
    };
    assert.match(
      await said('--output', 'junit=file/a.xml'),
      /The report cannot be written to file\/a\.xml: /,
    );
    assert.match(await said('--output', 'junit=folder'), /cannot be written to folder: EISDIR/);
    assert.match(await said('--output', 'junit'), /such as junit=report\.xml/);
    assert.match(await said('--output', 'junt=a'), /Did you mean "junit"\?/);
    assert.match(await said('--reporter', 'json', '--reporter', 'spec'), /--output json=<file>/);
    for (const other of ['a', './a', 'b/../a', path.join(folder, 'a')]) {
      const twice = await said('--output', 'json=a', '--output', `junit=${other}`);
      assert.match(twice, /Two reports cannot be written to .*a\./, other);
    }
    for (const wrong of ['0', '-1', '1.5', '65', 'two', '', '1e1', '٣']) {
      assert.match(await said(`--jobs=${wrong}`), /--jobs must be an integer from 1 to 64\./);
    }
    assert.match(await said('--retries', '101'), /--retries must be an integer from 0 to 100\./);
    assert.match(await said('--timeout', '0'), /--timeout must be an integer from 1 to /);
    assert.match(await said('--start-timeout', '1s'), /--start-timeout must be an integer/);
    assert.match(await said('--revision', '2025-01-01'), /--revision must be one of 2026-07-28, /);
    for (const wrong of ['(', 'a'.repeat(1_001), 'a?'.repeat(400)]) {
      assert.match(await said('--grep', wrong), /--grep must be a regular expression that /);
    }
    assert.match(await said('--fresh', '--jobs', '2'), /Use either --fresh or --jobs/);
  });
});

describe('The output of --update', () => {
  const workspace = useWorkspaces();
  const text = `{
  // what is asked
  "calls": {
    "whole": { "server": "echo", "tool": "echo", "arguments": { "message": "one" },
      "expect": { "answer": {} /* to come */ } },
    "place": { "server": "echo", "tool": "echo", "arguments": { "message": "two" },
      "expect": { "values": { "/content/0/text": "old" } } }, // kept
    "other": { "server": "echo", "tool": "echo", "arguments": { "message": "three" },
      "expect": { "contains": { "/content/0/text": "four" } } },
  },
}
`;
  const folderOf = (content: string | Buffer = text) => {
    const folder = workspace({ '.mcp.json': { mcpServers: { echo: servers.echo } } });
    writeFileSync(path.join(folder, 'a.mcpcall'), content);
    return folder;
  };
  const update = (folder: string, ...parameters: readonly string[]) =>
    runCommand(folder, ['test', '--max-risk', 'destructive', '--update', ...parameters]);
  const fileOf = (folder: string) => readFileSync(path.join(folder, 'a.mcpcall'), 'utf8');

  it('is the actual answer, with comments kept, and replaces no other expectation', async () => {
    const folder = folderOf();
    const { code, stdout } = await update(folder);
    assert.equal(code, 1);
    assert.match(stdout, /✓ whole \d+ ms, updated\n.*✓ place \d+ ms, updated\n.*✗ other/);
    assert.match(stdout, /Not updated: an answer cannot take the place of this expectation\./);
    const written = fileOf(folder);
    for (const kept of [
      '// what is asked',
      '// kept',
      '"contains": { "/content/0/text": "four" }',
    ]) {
      assert.ok(written.includes(kept), written);
    }
    assert.match(written, /"\/content\/0\/text": "Echo: two"/);
    assert.match(written, /"text": "Echo: one"/);
    const again = await runCommand(folder, 'test --max-risk destructive -g whole|place');
    assert.equal(again.code, 0, again.stdout);
    assert.equal((await update(folder)).code, 1);
    assert.equal(fileOf(folder), written);
  });

  it('is empty if the file is read-only, has another encoding, or the answer contains a secret', async () => {
    const readOnly = folderOf();
    chmodSync(path.join(readOnly, 'a.mcpcall'), 0o444);
    const said = await update(readOnly);
    assert.equal(said.code, 1);
    assert.match(said.stdout, /Not updated: the file is read-only\./);
    assert.equal(fileOf(readOnly), text);
    const wide = folderOf(Buffer.from(`\ufeff${text}`, 'utf16le'));
    assert.match(
      (await update(wide)).stdout,
      /Not updated: the file has changed, or is not in UTF-8\./,
    );
    assert.equal(readFileSync(path.join(wide, 'a.mcpcall'), 'utf16le'), `\ufeff${text}`);
    const marked = folderOf(`\ufeff${text}`);
    await update(marked);
    assert.match(fileOf(marked), /^\ufeff\{[^]*"text": "Echo: one"/);
    const secret = folderOf(text.replace('"two"', '"${input:key}"'));
    const { stdout } = await runCommand(
      secret,
      ['test', '--max-risk', 'destructive', '-u', '--pass-input', 'key'],
      { TOOLGATE_INPUT_key: 'very-secret-key' },
    );
    assert.match(stdout, /Not updated: the answer repeats a secret/);
    assert.doesNotMatch(fileOf(secret), /very-secret/);
  });

  it('goes to the file that is named for the answer, inside the folder only', async () => {
    const folder = folderOf(text.replace('"answer": {}', '"answer": "whole.json"'));
    assert.match((await update(folder)).stdout, /✓ whole \d+ ms, updated/);
    assert.match(readFileSync(path.join(folder, 'whole.json'), 'utf8'), /"text": "Echo: one"/);
    writeFileSync(path.join(folder, 'whole.json'), '{}');
    assert.match((await update(folder)).stdout, /✓ whole \d+ ms, updated/);
    assert.match(readFileSync(path.join(folder, 'whole.json'), 'utf8'), /"text": "Echo: one"/);
    const outside = folderOf(text.replace('"answer": {}', '"answer": "link/whole.json"'));
    symlinkSync(folder, path.join(outside, 'link'));
    rmSync(path.join(folder, 'whole.json'));
    assert.match((await update(outside)).stdout, /✗ whole/);
    assert.ok(!existsSync(path.join(folder, 'whole.json')));
  });

  it('replaces no variable', async () => {
    const own = '"${input:key}"';
    const folder = folderOf(
      text.replace('"old"', own).replace('"answer": {}', `"answer": { "content": ${own} }`),
    );
    const { stdout } = await runCommand(
      folder,
      ['test', '--max-risk', 'destructive', '-u', '--pass-input', 'key'],
      { TOOLGATE_INPUT_key: 'a-key-of-mine' },
    );
    assert.equal(stdout.match(/Not updated: this expectation has variables/g)?.length, 2, stdout);
    assert.equal(fileOf(folder).split(own).length, 3);
  });

  it('comes from one environment', async () => {
    const folder = folderOf();
    writeFileSync(path.join(folder, 'env.json'), '{"a":{},"b":{}}');
    const { code, stderr } = await update(folder, '--environments', 'env.json', '--env', 'a,b');
    assert.equal(code, 2);
    assert.match(stderr, /--update takes one environment/);
    assert.equal(fileOf(folder), text);
  });
});

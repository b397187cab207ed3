import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand, servers, useWorkspaces } from './program';

const workspace = useWorkspaces();
const lockOf = (folder: string): string => path.join(folder, 'toolgate.lock.json');

/** A server that lists these tools, and answers nothing else. */
function listing(tools: readonly object[] | string) {
  const code = `
    const tools = ${typeof tools === 'string' ? tools : JSON.stringify(tools)};
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (id === undefined) return;
      const answers = {
        initialize: { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } },
        'tools/list': { result: { tools } } };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(answers[method] ?? { error: { code: -32601, message: 'no' } }) }));
    });`;
  return { command: process.execPath, args: ['-e', code] };
}

const folderWith = (all: object) => workspace({ '.vscode/mcp.json': { servers: all } });
const configure = (folder: string, all: object): void =>
  writeFileSync(path.join(folder, '.vscode/mcp.json'), JSON.stringify({ servers: all }));
const text = { type: 'string' };
const schema = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });
const search = {
  name: 'search',
  description: 'Finds tickets.',
  inputSchema: schema({ text, limit: { type: 'number', default: 1 } }),
  outputSchema: schema({ hits: { type: 'array', items: text } }),
  annotations: { readOnlyHint: true },
};
const add = { name: 'add', inputSchema: schema({ state: { enum: ['open', 'done'] } }) };

/** Lists two tools on two pages. The second page fails while there is a file `broken`. */
const paged = {
  command: process.execPath,
  args: [
    '-e',
    `
    const tool = (name) => ({ name, inputSchema: { type: 'object' } });
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const initialized = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
      const page = params?.cursor === undefined ? { tools: [tool('one')], nextCursor: '2' } : { tools: [tool('two')] };
      const isBroken = params?.cursor !== undefined && require('fs').existsSync('broken');
      const result = { initialize: initialized, 'tools/list': page }[method];
      const answer = result === undefined || isBroken ? { error: { code: -32603, message: 'database is busy' } } : { result };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });`,
  ],
};

describe('A list that did not come whole', () => {
  it('is not compared as if the missing tools were gone', async () => {
    const folder = folderWith({ paged });
    assert.equal((await runCommand(folder, ['lock'])).code, 0);
    writeFileSync(path.join(folder, 'broken'), '');
    const { code, stdout, stderr } = await runCommand(folder, ['diff']);
    assert.match(stderr, /did not send all of its tools: .*database is busy/);
    assert.doesNotMatch(stdout, /gone/);
    assert.equal(code, 5);
    const listed = await runCommand(folder, ['call', 'paged', 'one', '--max-risk', 'destructive']);
    assert.doesNotMatch(listed.stdout + listed.stderr, /does not list it/);
  });
});

describe('toolgate lock', () => {
  it('writes the definitions of real servers, which then do not differ, and calls run', async () => {
    const { demo, everything } = servers;
    const folder = folderWith({ demo, everything });
    const written = await runCommand(folder, ['lock', 'demo']);
    assert.deepEqual([written.code, written.stderr], [0, '']);
    assert.match(written.stdout, /^- demo: \d+ tools\ntoolgate\.lock\.json was written\./);
    const first = readFileSync(lockOf(folder), 'utf8');
    assert.match(first, /"inputSchema": \{\n/);
    assert.equal((await runCommand(folder, ['lock', 'everything'])).code, 0);
    const both = readFileSync(lockOf(folder), 'utf8');
    assert.deepEqual(Object.keys(JSON.parse(both).servers), ['demo', 'everything']);
    assert.deepEqual(JSON.parse(both).servers.demo, JSON.parse(first).servers.demo);
    const again = await runCommand(folder, ['lock']);
    assert.match(again.stdout, /toolgate\.lock\.json is already up to date\.\n$/);
    assert.equal(readFileSync(lockOf(folder), 'utf8'), both);
    const diff = await runCommand(folder, ['diff']);
    assert.deepEqual([diff.code, diff.stderr], [0, '']);
    const read = await runCommand(folder, ['call', 'demo', 'list_notes', '--max-risk', 'readOnly']);
    assert.deepEqual([read.code, read.stderr], [0, '']);
  });

  it('shows hidden characters, and hides secrets', async () => {
    const hidden = { ...add, description: 'a\u202eb\u200b' };
    const secret = { ...add, name: 'secret', description: 'It takes swordfish-1234.' };
    const server = listing([search, hidden, secret]);
    const folder = workspace({
      '.vscode/mcp.json': {
        inputs: [{ id: 'key', type: 'promptString' }],
        servers: { tickets: { ...server, env: { KEY: '${input:key}' } } },
      },
    });
    const key = { TOOLGATE_INPUT_key: 'swordfish-1234' };
    const { code, stdout } = await runCommand(folder, ['lock'], key);
    assert.deepEqual(
      [code, stdout.split('\n')[0]],
      [0, '- tickets: 3 tools, 1 by fingerprint alone'],
    );
    const lock = readFileSync(lockOf(folder), 'utf8');
    assert.match(lock, /"a\\u202eb\\u200b"/);
    assert.doesNotMatch(lock, /swordfish|[\u202e\u200b]/);
    assert.match(lock, /"secret": "sha256:[0-9a-f]{64}"/);
    assert.equal((await runCommand(folder, ['diff'], key)).code, 0);
  });

  it('keeps only fingerprints of ten thousand tools, and refuses a file that is too large', async () => {
    const many = (count: number) =>
      `Array.from({ length: ${count} }, (_, at) => ({ name: 't' + at, description: 'x'.repeat(300), inputSchema: { type: 'object' } }))`;
    const folder = folderWith({ many: listing(many(10_000)) });
    const written = await runCommand(folder, ['lock']);
    assert.match(written.stdout, /^- many: 10000 tools, 10000 by fingerprint alone\n/);
    assert.equal((await runCommand(folder, ['diff'])).code, 0);
    configure(folder, { many: listing(many(10_000).replace('x', 'y')) });
    const changed = await runCommand(folder, ['diff']);
    assert.equal(changed.code, 4);
    assert.match(
      changed.stdout,
      /Changes: 10000, of which 0 break a caller, the first 2000 are shown\n$/,
    );
    const before = readFileSync(lockOf(folder), 'utf8');
    configure(folder, { many: listing(many(31_000)) });
    const refused = await runCommand(folder, ['lock']);
    assert.deepEqual(
      [refused.code, readFileSync(lockOf(folder), 'utf8') === before],
      [5, true],
      refused.stderr,
    );
  });

  it('keeps what other programs write into the file while servers start', async () => {
    const entry = { version: 1, servers: { other: { tools: {} } } };
    const slow = listing([add]);
    const folder = folderWith({
      slow: {
        ...slow,
        args: [
          '-e',
          `require('fs').writeFileSync('toolgate.lock.json', '\ufeff' + ${JSON.stringify(`// Reviewed.\n${JSON.stringify(entry)}`)});${slow.args[1]}`,
        ],
      },
    });
    const { code, stderr } = await runCommand(folder, ['lock', 'slow']);
    assert.deepEqual([code, stderr], [0, '']);
    const lock = readFileSync(lockOf(folder), 'utf8');
    assert.match(lock, /^\ufeff\/\/ Reviewed\.\n/);
    const { servers: written } = JSON.parse(lock.slice(lock.indexOf('\n')));
    assert.deepEqual(Object.keys(written), ['other', 'slow']);
    assert.deepEqual(Object.keys(written.slow.tools), ['add']);
  });

  it('loses no server when several run at once', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const folder = folderWith(Object.fromEntries(names.map((name) => [name, listing([add])])));
    for (const last of ['new', 'existing']) {
      const ends = await Promise.all(names.map((name) => runCommand(folder, ['lock', name])));
      assert.deepEqual(
        ends.map(({ code, stderr }) => [code, stderr]),
        names.map(() => [0, '']),
        last,
      );
      const { servers: written } = JSON.parse(readFileSync(lockOf(folder), 'utf8'));
      assert.deepEqual(Object.keys(written), names, last);
      writeFileSync(lockOf(folder), '{"version": 1, "servers": {}}');
    }
  });

  it('says nothing about the file if no server started', async () => {
    const folder = folderWith({ missing: servers.missing });
    const { code, stdout, stderr } = await runCommand(folder, ['lock', 'missing']);
    assert.deepEqual([code, stdout], [5, ''], stderr);
    assert.match(stderr, /Server "missing" did not start/);
  });

  it('leaves a file with text that is not in UTF-8', async () => {
    const folder = folderWith({ tickets: listing([add]) });
    const before = Buffer.from('{"version": 1, "servers": {}} // \u00fc', 'latin1');
    writeFileSync(lockOf(folder), before);
    const { code, stderr } = await runCommand(folder, ['lock']);
    assert.match(stderr, /toolgate\.lock\.json is not written: .*not in UTF-8/);
    assert.equal(code, 2);
    assert.deepEqual(readFileSync(lockOf(folder)), before);
  });

  it('overwrites only a lock file of this folder', async () => {
    const folder = folderWith({ tickets: listing([add]) });
    const elsewhere = path.join(workspace({ 'elsewhere.json': '' }), 'elsewhere.json');
    const cases: Readonly<Record<string, () => void>> = {
      'a link': () => symlinkSync(elsewhere, lockOf(folder)),
      'a pipe': () => execFileSync('mkfifo', [lockOf(folder)]),
      'another file': () => writeFileSync(lockOf(folder), '{"mine": 1}'),
      'a later form': () => writeFileSync(lockOf(folder), '{"version": 2, "servers": {}}'),
    };
    for (const [what, make] of Object.entries(cases)) {
      make();
      const { code, stderr } = await runCommand(folder, ['lock']);
      assert.equal(code, 2, `${what}: ${stderr}`);
      assert.match(
        stderr,
        /toolgate\.lock\.json (?:cannot be read|is not written: its path contains a link)/,
      );
      rmSync(lockOf(folder));
    }
    assert.equal(readFileSync(elsewhere, 'utf8'), '');
    configure(folder, { tickets: servers.missing });
    assert.equal((await runCommand(folder, ['lock'])).code, 5);
    assert.equal(existsSync(lockOf(folder)), false);
  });
});

describe('toolgate diff', () => {
  it('describes what changed since the lock file, and whether it breaks callers', async () => {
    const folder = folderWith({ tickets: listing([search, add]) });
    await runCommand(folder, ['lock']);
    const searchNow = {
      ...search,
      description: 'Finds all tickets.',
      inputSchema: schema(
        {
          text: { type: 'string', maxLength: 80 },
          limit: search.inputSchema.properties,
          kind: text,
        },
        { required: ['kind'] },
      ),
      outputSchema: schema({}),
      annotations: { readOnlyHint: false },
    };
    const addNow = { ...add, inputSchema: schema({ state: { enum: ['open', 'done', 'new'] } }) };
    configure(folder, { tickets: listing([searchNow, addNow, { ...add, name: 'extra' }]) });
    const { code, stdout } = await runCommand(folder, ['diff', 'tickets']);
    assert.equal(code, 6);
    for (const line of [
      '- tickets, compared with toolgate.lock.json',
      '  ~ add: argument /state is one of ["open","done","new"] now, and was one of ["open","done"].',
      '  ~ extra: the tool is new.',
      '  ~ search: its description changed.',
      '  ✗ search: maxLength of argument /text is 80 now, and was not set.',
      '  ✗ search: argument /kind is required now.',
      '  ✗ search: field /hits of the structured content is gone.',
      '  ✗ search: its hints mean risk destructive now, and meant readOnly.',
    ]) {
      assert.ok(stdout.split('\n').includes(line), `${line}\n${stdout}`);
    }
    configure(folder, { tickets: listing([search, addNow]) });
    assert.equal((await runCommand(folder, ['diff'])).code, 4);
    configure(folder, { tickets: listing([search]) });
    const gone = await runCommand(folder, ['diff', '--json']);
    assert.equal(gone.code, 6);
    const { servers: all, ...rest } = JSON.parse(gone.stdout);
    assert.deepEqual(rest, { version: 1, breaks: true });
    assert.deepEqual(all, [
      {
        server: 'tickets',
        against: 'toolgate.lock.json',
        changes: [{ tool: 'add', kind: 'gone', breaks: true, sentence: 'the tool is gone.' }],
        left: 0,
      },
    ]);
  });

  it('compares two servers, the first as the older one', async () => {
    const folder = folderWith({ one: listing([search]), two: listing([search, add]) });
    const grown = await runCommand(folder, ['diff', 'one', 'two']);
    assert.deepEqual([grown.code, grown.stderr], [4, '']);
    assert.match(grown.stdout, /^- two, compared with one\n {2}~ add: the tool is new\.\n/);
    assert.equal((await runCommand(folder, ['diff', 'two', 'one'])).code, 6);
    assert.equal((await runCommand(folder, ['diff', 'one', 'one'])).code, 0);
  });

  it('reads a lock file of fingerprints, which cannot say what changed', async () => {
    const folder = folderWith({ tickets: listing([add]) });
    const lock = {
      version: 1,
      servers: { tickets: { tools: { add: `sha256:${'a'.repeat(64)}` } } },
    };
    writeFileSync(lockOf(folder), JSON.stringify(lock));
    const { code, stdout } = await runCommand(folder, ['diff']);
    assert.equal(code, 4);
    assert.match(stdout, /~ add: its definition changed; the lock file has a fingerprint alone/);
  });

  it('says what is missing: a lock file, a server in it, or a running server', async () => {
    const folder = folderWith({ tickets: listing([add]), missing: servers.missing });
    const said = async (...parameters: string[]) => {
      const { code, stderr } = await runCommand(folder, ['diff', ...parameters]);
      return `${code} ${stderr}`;
    };
    assert.match(await said(), /^2 .*There is no toolgate\.lock\.json: toolgate lock writes it/);
    await runCommand(folder, ['lock', 'tickets']);
    assert.match(await said('missing'), /^2 .*toolgate\.lock\.json has no server "missing"/);
    assert.match(await said('tickets', 'missing'), /^5 .*Server "missing" did not start/);
    assert.match(await said('a', 'b', 'c'), /^2 /);
  });

  it('passes no commands to terminals and CI runners, whatever servers return, and writes valid JSON', async () => {
    const words = '\u001b[31m::error::x\n##vso[task.complete]\u202e--- y';
    const odd = {
      name: words,
      description: words,
      inputSchema: schema({ [words]: { enum: [words] } }, { [words]: words }),
    };
    const folder = folderWith({ odd: listing([odd]), plain: listing([]) });
    const tame = { ...odd, inputSchema: schema({ [words]: { enum: ['x'] } }, { [words]: 1 }) };
    assert.equal((await runCommand(folder, ['lock'])).code, 0);
    configure(folder, { odd: listing([tame]), plain: listing([]) });
    for (const rest of [[], ['--json']]) {
      const { code, stdout } = await runCommand(folder, ['diff', ...rest]);
      assert.equal(code, 6);
      // oxlint-disable-next-line no-control-regex -- these are what must not be there
      assert.doesNotMatch(stdout, /\u001b|^\s*::|##(?:\[|\w+\[)|^--- /m);
      if (rest.length > 0) assert.equal(JSON.parse(stdout).servers[0].changes[0].tool, words);
    }
  });
});

import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parseTool } from '../../src/core/parse/parseTool';
import { lockServerChange } from '../../src/host/consent/pins/lockFileEdits';
import { ToolFingerprints } from '../../src/host/consent/pins/pinDefinition';
import { MatrixHttp, servings } from '../servers/matrixHttp';
import { scripted, type Script } from '../servers/scripted';
import { until } from '../waiting';
import { checkJunit } from './junitForm';
import {
  runCommand,
  runProgram,
  servers,
  startProgram,
  useWorkspaces,
  splitLine,
  type CommandLine,
} from './program';

const workspace = useWorkspaces();
const call = (server: string, tool: string, rest: object = {}) => ({ server, tool, ...rest });
const allowAll = [{ effect: 'allow' }];

interface JsonReport {
  readonly lockDifferences: readonly string[];
  readonly calls: readonly {
    readonly file: string;
    readonly line: number;
    readonly environment?: string;
    readonly name: string;
    readonly status: string;
    readonly reasons: readonly { readonly sentence: string; readonly expected?: string }[];
  }[];
}

/** `name status` of every call, by the JSON report. */
async function run(folder: string, line: CommandLine, env = {}) {
  const end = await runCommand(folder, ['test', '--reporter', 'json', ...splitLine(line)], env);
  const report: JsonReport =
    end.stdout === '' ? { lockDifferences: [], calls: [] } : JSON.parse(end.stdout);
  const statuses = report.calls.map(({ name, status }) => `${name} ${status}`);
  return { ...end, report, statuses };
}

/** Whether the journal has a decision: what comes next is the call. */
function isSent(journal: string): boolean {
  if (!existsSync(journal)) return false;
  return readdirSync(journal).some((name) =>
    readFileSync(path.join(journal, name), 'utf8').includes('"kind":"decision"'),
  );
}

describe('toolgate test', () => {
  it('runs the call files of a folder against real servers, in order', async () => {
    const folder = workspace({
      '.vscode/mcp.json': { servers: { everything: servers.everything, files: servers.files } },
      'notes/hello.txt': 'hello there',
      'node_modules/other.mcpcall': '{',
      'one.mcpcall': {
        calls: {
          echo: call('everything', 'echo', {
            arguments: { message: 'hi' },
            expect: { contains: { '/content/0/text': 'hi' }, count: { '/content': 1 } },
          }),
          sum: call('everything', 'get-sum', {
            arguments: { a: 2, b: 3 },
            expect: { matches: { '/content/0/text': '\\b5\\b' }, under: 60_000 },
          }),
        },
      },
      'deep/two.mcpcall': call('files', 'read_text_file', {
        arguments: { path: '${workspaceFolder}/notes/hello.txt' },
        expect: {
          values: { '/content/0/text': 'hello there' },
          annotations: { readOnlyHint: true },
          schema: '../content.schema.json',
        },
      }),
      'content.schema.json': { type: 'object', required: ['content'] },
      'rules.json': allowAll,
    });
    const { code, statuses, report } = await run(folder, ['--allow', 'rules.json']);
    assert.deepEqual(statuses, ['read_text_file passed', 'echo passed', 'sum passed']);
    const files = report.calls.map(({ file }) => file);
    assert.deepEqual(files, ['deep/two.mcpcall', 'one.mcpcall', 'one.mcpcall']);
    assert.equal(code, 0);
  });

  it('keeps texts for comparison to the end of a run up to a limit, and every message', async () => {
    const text = 'x'.repeat(1_900_000);
    const takes = call('everything', 'echo', {
      arguments: { message: '${calls.first.content./0/text}' },
      expect: { answer: 'wrong.json' },
    });
    const others = Object.fromEntries(Array.from({ length: 18 }, (_, n) => [`call${n}`, takes]));
    const folder = workspace({
      '.vscode/mcp.json': { servers: { everything: servers.echo } },
      'all.mcpcall': {
        calls: { first: call('everything', 'echo', { arguments: { message: text } }), ...others },
      },
      'wrong.json': { content: [], isError: false },
      'rules.json': allowAll,
    });
    const { statuses, report, stdout } = await run(folder, ['--allow', 'rules.json']);
    assert.equal(statuses.filter((status) => status.endsWith('failed')).length, 18);
    const reasons = report.calls.slice(1).map(({ reasons: [reason] }) => reason);
    assert.ok(reasons.every((reason) => reason !== undefined && reason.sentence !== ''));
    assert.ok(reasons[0]?.expected !== undefined && reasons.at(-1)?.expected === undefined);
    assert.ok(stdout.length < 36 * 1024 * 1024, `${stdout.length} characters`);
  });

  it('shows expected and actual values, and continues', async () => {
    const folder = workspace({
      '.vscode/mcp.json': { servers: { everything: servers.echo } },
      'all.mcpcall': {
        calls: {
          wrong: call('everything', 'echo', {
            arguments: { message: 'hi' },
            expect: { values: { '/content/0/text': 'ho' }, answer: 'wrong.json' },
          }),
          right: call('everything', 'echo', { arguments: { message: 'hi' } }),
          takes: call('everything', 'echo', {
            arguments: { message: '${calls.right.content./0/text}' },
            expect: { values: { '/content/0/text': 'Echo: Echo: hi' } },
          }),
          invalid: call('everything', 'echo', { arguments: { message: 1 } }),
          needs: call('everything', 'echo', {
            arguments: { message: '${calls.invalid.content./0/text}' },
          }),
        },
      },
      'wrong.json': { content: [{ text: 'Echo: ho', type: 'text' }], isError: false },
      'broken.mcpcall': '{ "calls": {} }',
      'rules.json': allowAll,
    });
    const inLatin1 = JSON.stringify(
      call('everything', 'echo', { arguments: { message: 'Malmö' } }),
    );
    writeFileSync(path.join(folder, 'latin.mcpcall'), inLatin1, 'latin1');
    const { code, statuses, report } = await run(folder, ['--allow', 'rules.json']);
    assert.deepEqual(statuses, [
      'wrong failed',
      'right passed',
      'takes passed',
      'invalid errored',
      'needs skipped',
      '(file) errored',
      '(file) errored',
    ]);
    assert.equal(report.calls.at(-1)?.reasons[0]?.sentence, 'latin.mcpcall is not in UTF-8.');
    const [wrong] = report.calls;
    assert.deepEqual(
      wrong?.reasons.map(({ sentence }) => sentence),
      [
        'Expected "ho" at /content/0/text, but got "Echo: hi".',
        'The result differs from the expected one.',
      ],
    );
    assert.match(wrong?.reasons[1]?.expected ?? '', /"text": "Echo: ho"/);
    assert.equal(code, 1);
    const spec = await runProgram(folder, ['test', 'all.mcpcall', '--allow', 'rules.json']);
    assert.equal(spec.code, 1);
    assert.match(spec.stdout, /^ {8}- {7}"text": "Echo: ho",?$/m);
    assert.match(spec.stdout, /^ {8}\+ {7}"text": "Echo: hi",?$/m);
    assert.match(spec.stdout, /2 passed, 1 failed, 1 errored, 1 skipped/);
  });

  it('calls nothing that no rule allows, and says which rule would', async () => {
    const folder = workspace({
      '.vscode/mcp.json': { servers: { demo: servers.demo } },
      'a.mcpcall': {
        calls: {
          list: call('demo', 'list_notes'),
          plant: call('demo', 'plant_note', { arguments: { name: 'Rose', text: 'x' } }),
          cut: call('demo', 'delete_note', { arguments: { name: 'Rose' } }),
        },
      },
    });
    const denied = await run(folder, []);
    assert.deepEqual(denied.statuses, ['list skipped', 'plant skipped', 'cut skipped']);
    assert.equal(denied.code, 3);
    const sentence = denied.report.calls[0]?.reasons[0]?.sentence ?? '';
    const rule = /This rule would: (.*)$/.exec(sentence)?.[1] ?? '';
    writeFileSync(path.join(folder, 'rules.json'), `[${rule}]`);
    const allowed = await run(folder, ['--allow', 'rules.json']);
    assert.deepEqual(allowed.statuses, ['list passed', 'plant skipped', 'cut skipped']);
    const byRisk = await run(folder, ['--max-risk', 'additive']);
    assert.deepEqual(byRisk.statuses, ['list passed', 'plant passed', 'cut skipped']);
    assert.equal(byRisk.code, 3);
  });

  it('applies the deny rules of the folder, whatever was allowed', async () => {
    const folder = workspace({
      '.vscode/mcp.json': { servers: { demo: servers.demo } },
      '.vscode/settings.json':
        '{ // no lists\n "toolgate.rules": [{ "effect": "deny", "tool": "list_*", "reason": "not here" }] }',
      'a.mcpcall': call('demo', 'list_notes'),
      'rules.json': allowAll,
    });
    const { code, report } = await run(folder, ['--allow', 'rules.json']);
    assert.equal(
      report.calls[0]?.reasons[0]?.sentence,
      'Not called: rule 1 of the settings of this folder denies it (not here).',
    );
    assert.equal(code, 3);
  });

  it('uses environment variables only if they were passed, and never shows their values', async () => {
    const folder = workspace({
      '.vscode/mcp.json': { servers: { everything: servers.echo } },
      'a.mcpcall': {
        inputs: { key: { password: true } },
        calls: {
          env: call('everything', 'echo', {
            arguments: { message: '${env:API_TOKEN} ${input:key}' },
            expect: { values: { '/content/0/text': 'other' } },
          }),
        },
      },
      'rules.json': allowAll,
    });
    const env = { API_TOKEN: 'a-very-secret-token', TOOLGATE_INPUT_KEY: 'typed-unseen-1' };
    const denied = await run(folder, ['--allow', 'rules.json'], env);
    assert.match(denied.report.calls[0]?.reasons[0]?.sentence ?? '', /--pass-env/);
    assert.equal(denied.code, 3);
    const passed = await run(
      folder,
      ['--allow', 'rules.json', '--pass-env', 'API_TOKEN', '--pass-input', 'key'],
      env,
    );
    assert.deepEqual(passed.statuses, ['env failed']);
    const said = passed.stdout + passed.stderr;
    assert.match(said, /Echo: \(secret\)/);
    assert.doesNotMatch(said, /very-secret|typed-unseen/);
    const missing = await run(folder, ['--allow', 'rules.json'], { API_TOKEN: 'x' });
    assert.match(missing.report.calls[0]?.reasons[0]?.sentence ?? '', /set TOOLGATE_INPUT_key/);
  });

  it('gives inputs, and answers of other servers, to call files only if they were passed', async () => {
    const echo = (server: string, message: string) =>
      call(server, 'echo', { arguments: { message } });
    const tickets = {
      ...servers.everything,
      env: { TICKETS_TOKEN: '${input:token}' },
    };
    const folder = workspace({
      '.vscode/mcp.json': {
        inputs: [{ id: 'token', type: 'promptString', password: true }],
        servers: { tickets, web: servers.everything },
      },
      'a.mcpcall': {
        // A file may call the input of a server its own.
        inputs: { token: { description: 'Colour' } },
        calls: {
          mine: echo('tickets', '${input:token}'),
          other: echo('web', 'https://x.test/?q=${input:token}'),
          upper: echo('web', '${input:TOKEN}'),
          first: echo('tickets', 'an answer'),
          same: echo('tickets', '${calls.first.content./0/text}'),
          across: echo('web', '${calls.first.content./0/text}'),
        },
      },
      'rules.json': allowAll,
    });
    const env = { TOOLGATE_INPUT_token: 'of-the-tickets', TOOLGATE_INPUT_TOKEN: 'of-the-tickets' };
    const parameters = ['--allow', 'rules.json'];
    const denied = await run(folder, parameters, env);
    assert.deepEqual(denied.statuses, [
      'mine skipped',
      'other skipped',
      'upper skipped',
      'first passed',
      'same passed',
      'across skipped',
    ]);
    assert.equal(denied.code, 3);
    const [mine, , , , , across] = denied.report.calls.map(({ reasons }) => reasons[0]?.sentence);
    assert.match(mine ?? '', /inputs \(--pass-input <name>\)/);
    assert.match(across ?? '', /--pass-answers/);
    const passed = await run(
      folder,
      [...parameters, '--pass-input', 'token', '--pass-answers'],
      env,
    );
    assert.deepEqual(
      passed.statuses.filter((each) => !each.endsWith('passed')),
      ['upper skipped'],
    );
  });

  it('runs once with each named environment', async () => {
    const folder = workspace({
      '.vscode/mcp.json': { servers: { everything: servers.echo } },
      'a.mcpcall': call('everything', 'echo', {
        arguments: { message: '${var:who}' },
        expect: { values: { '/content/0/text': 'Echo: one' } },
      }),
      'env.json': { first: { who: 'one' }, second: { who: 'two' } },
      'rules.json': allowAll,
    });
    const { code, report } = await run(
      folder,
      '--allow rules.json --environments env.json --env first,second',
    );
    assert.deepEqual(
      report.calls.map(({ environment, status }) => [environment, status]),
      [
        ['first', 'passed'],
        ['second', 'failed'],
      ],
    );
    assert.equal(code, 1);
  });

  it('ends with its own exit code if a server differs from the lock file', async () => {
    const folder = workspace({
      '.vscode/mcp.json': { servers: { demo: servers.demo } },
      'a.mcpcall': call('demo', 'list_notes'),
      'rules.json': allowAll,
    });
    const client = new Client({ name: 'test', version: '1' });
    const { command, args } = servers.demo;
    await client.connect(new StdioClientTransport({ command, args: [...args] }));
    const { tools } = await client.listTools();
    await client.close();
    const fingerprints = new ToolFingerprints();
    const locked = tools.map((each) => {
      const tool = parseTool(JSON.parse(JSON.stringify(each)));
      return [tool.name, fingerprints.of(tool)] as const;
    });
    const write = (all: typeof locked): void => {
      const text = lockServerChange('', 'demo', new Map(all))?.text ?? '';
      writeFileSync(path.join(folder, 'toolgate.lock.json'), text);
    };
    write(locked);
    const same = await run(folder, ['--allow', 'rules.json']);
    assert.deepEqual([same.code, same.statuses], [0, ['list_notes passed']], same.stdout);
    const [first, second] = locked;
    assert.ok(first !== undefined && second !== undefined);
    write([...locked.slice(2), [first[0], second[1]], ['gone', first[1]]]);
    const other = await run(folder, ['--allow', 'rules.json']);
    assert.equal(other.code, 4);
    assert.deepEqual(other.report.lockDifferences.slice(0, 3), [
      `demo/${first[0]}: its definition differs from the lock file.`,
      `demo/${second[0]}: it is not in the lock file.`,
      'demo/gone: it is in the lock file, but the server does not list it.',
    ]);
    assert.deepEqual(other.statuses, ['list_notes skipped']);
  });

  it('says why a server did not start, and runs the calls of the others', async () => {
    const folder = workspace({
      '.vscode/mcp.json': { servers: { missing: servers.missing, everything: servers.echo } },
      'a.mcpcall': {
        calls: {
          no: call('missing', 'x'),
          none: call('unheard-of', 'x'),
          yes: call('everything', 'echo', { arguments: { message: 'hi' } }),
        },
      },
      'rules.json': allowAll,
    });
    const { code, statuses, report } = await run(folder, ['--allow', 'rules.json']);
    assert.deepEqual(statuses, ['no errored', 'none errored', 'yes passed']);
    assert.match(
      report.calls[0]?.reasons[0]?.sentence ?? '',
      /^Server "missing" did not start: its program was not found\./,
    );
    assert.equal(code, 5);
  });

  it('records only to a new or empty folder, and follows no link to it', async () => {
    const outside = workspace({});
    const folder = workspace({
      'a.mcpcall': call('demo', 'list_notes'),
      'used/old.jsonl': '{}',
      file: 'x',
    });
    mkdirSync(path.join(folder, 'empty'));
    symlinkSync(outside, path.join(folder, 'link'));
    symlinkSync(path.join(outside, 'none'), path.join(folder, 'dangling'));
    const record = (journal: string) =>
      runCommand(folder, ['test', '--max-risk', 'readOnly', '--journal', journal]);
    for (const named of ['used', 'file', 'link', 'link/below', 'dangling', '.']) {
      const { code, stderr } = await record(named);
      assert.equal(code, 2, named);
      assert.match(stderr, /^toolgate: (?:The journal |\S+ is not written: )/);
    }
    assert.deepEqual(readdirSync(outside), []);
    for (const named of ['empty', 'new/deep', path.join(outside, 'journal')]) {
      assert.equal((await record(named)).code, 0, named);
      const whole = path.resolve(folder, named);
      assert.equal(readdirSync(whole).length, 1);
      // What is there already is of another run.
      assert.equal((await record(named)).code, 2);
    }
  });

  it('waits for tasks: expectations apply to their results, and a time limit until their end', async () => {
    const research = (rest: object) =>
      call('everything', 'simulate-research-query', { arguments: { topic: 'beans' }, ...rest });
    const folder = workspace({
      '.vscode/mcp.json': { servers: { everything: servers.everything } },
      'tasks.mcpcall': {
        calls: {
          whole: research({
            timeout: 60_000,
            expect: { contains: { '/content/0/text': 'beans' } },
          }),
          wrong: research({ expect: { contains: { '/content/0/text': 'peas' } } }),
          short: research({ timeout: 1_000 }),
        },
      },
      'allow.json': allowAll,
    });
    const { code, statuses, report } = await run(folder, ['--allow', 'allow.json']);
    assert.deepEqual([code, statuses], [1, ['whole passed', 'wrong failed', 'short errored']]);
    const reasons = report.calls.map(({ reasons: [first] }) => first?.sentence ?? '');
    assert.match(reasons[1] ?? '', /peas/);
    assert.match(reasons[2] ?? '', /1,?000|1 second/);
    const called = await runCommand(
      folder,
      'call everything simulate-research-query --arguments {"topic":"beans"} --allow allow.json',
    );
    assert.equal(called.code, 0, called.stderr);
    assert.match(called.stdout, /beans/);
    assert.doesNotMatch(called.stdout, /taskId/);
  });

  it('records every decision in a journal that verifies', async () => {
    const folder = workspace({
      '.vscode/mcp.json': { servers: { everything: servers.echo } },
      'a.mcpcall': {
        calls: {
          yes: call('everything', 'echo', { arguments: { message: 'hi' } }),
          no: call('demo', 'list_notes'),
        },
      },
      'rules.json': [{ effect: 'allow', tool: 'echo' }],
    });
    const { code } = await run(folder, ['--allow', 'rules.json', '--journal', 'journal']);
    assert.equal(code, 3);
    const verified = await runCommand(folder, ['journal', 'verify', 'journal']);
    assert.deepEqual([verified.code, verified.stderr], [0, '']);
    assert.match(verified.stdout, /^The journal is intact: \d+ entries in 1 files\.$/m);
    const [segment] = readdirSync(path.join(folder, 'journal'));
    const file = path.join(folder, 'journal', segment ?? '');
    const text = readFileSync(file, 'utf8');
    assert.match(text, /"origin":"commandLine"/);
    writeFileSync(file, text.replace('"echo"', '"ecco"'));
    const forged = await runCommand(folder, ['journal', 'verify', 'journal']);
    assert.equal(forged.code, 1);
    assert.match(forged.stdout, /^changed: /m);
    rmSync(file);
    mkdirSync(file);
    const gone = await runCommand(folder, ['journal', 'verify', 'journal']);
    assert.deepEqual([gone.code, gone.stdout], [1, 'There is no journal in journal.\n']);
  });

  for (const [name, serving] of [
    ['the stateful era', () => servings.sessions1('2025-11-25', () => undefined)],
    ['the stateless era', () => servings.bothEras2(() => undefined)],
  ] as const) {
    it(`reaches servers of ${name} over HTTP, from a file of the other format`, async () => {
      const server = await MatrixHttp.start(serving(), () => undefined);
      const folder = workspace({
        'servers.json': { mcpServers: { remote: { type: 'http', url: server.url } } },
        'a.mcpcall': {
          calls: {
            text: call('remote', 'text', {
              expect: { contains: { '/content/0/text': 'grüße' } },
            }),
            fails: call('remote', 'fails', { expect: { isError: true } }),
          },
        },
        'rules.json': allowAll,
      });
      try {
        const { code, statuses, stdout } = await run(
          folder,
          '--server-config servers.json --allow rules.json',
        );
        assert.deepEqual(statuses, ['text passed', 'fails passed'], stdout);
        assert.equal(code, 0);
      } finally {
        await server.stop();
      }
    });
  }

  it('runs before and after calls with generated values, once with each environment', async () => {
    const echo = (message: string, rest: object = {}) =>
      call('everything', 'echo', { arguments: { message }, ...rest });
    const folder = workspace({
      '.vscode/mcp.json': { servers: { everything: servers.echo } },
      'a.mcpcall': {
        before: { open: echo('${uuid} ${uuid}') },
        calls: {
          same: echo('${calls.open.content./0/text}', {
            expect: { matches: { '/content/0/text': '([0-9a-f-]{36}) \\1$' } },
          }),
          town: echo('${var:town} ${now:date}', {
            expect: { matches: { '/content/0/text': 'Oslo \\d{4}-\\d\\d-\\d\\d$' } },
          }),
        },
        after: { close: echo('No. ${random:1..6}') },
      },
      'environments.json': { north: { town: 'Oslo' }, south: { town: 'Rome' } },
      'rules.json': allowAll,
    });
    const parameters = ['--environments', 'environments.json', '--env', 'north,south'];
    const { code, report } = await run(folder, ['--allow', 'rules.json', ...parameters]);
    assert.deepEqual(
      report.calls.map(({ environment, name, status }) => [environment, name, status].join(' ')),
      [
        ...['open passed', 'same passed', 'town passed', 'close passed'].map(
          (each) => `north ${each}`,
        ),
        ...['open passed', 'same passed', 'town failed', 'close passed'].map(
          (each) => `south ${each}`,
        ),
      ],
    );
    assert.equal(code, 1);
  });

  // Windows knows no such signal: there the program ends at once, and takes the rest of its job along.
  if (process.platform !== 'win32') {
    it('cleans up when it is interrupted during a call', async () => {
      const note = (name: string) =>
        call('demo', 'plant_note', { arguments: { name, text: 'Beside the beans' } });
      const folder = workspace({
        '.vscode/mcp.json': { servers: { demo: servers.demo } },
        'a.mcpcall': {
          before: { open: note('Sage') },
          calls: { waits: call('demo', 'wait_for_sunset', { arguments: {} }), more: note('Dill') },
          after: { close: note('Thyme') },
        },
      });
      const { child, ended } = startProgram(
        folder,
        'test --max-risk destructive --reporter junit --record run.mcprecord',
      );
      const recorded = () => {
        const file = path.join(folder, 'run.mcprecord');
        return existsSync(file) ? readFileSync(file, 'utf8') : '';
      };
      await until(() => recorded().includes('wait_for_sunset","arguments"'));
      child.kill('SIGINT');
      const { code, stdout } = await ended;
      assert.equal(code, 130);
      const cases = checkJunit(stdout);
      const waits = cases.find(({ attributes }) => attributes['name'] === 'waits');
      assert.notEqual(waits?.attributes['time'], '0.000');
      const told = cases.map(({ attributes, children }) =>
        [attributes['name'], ...children.map(({ name }) => name)].join(' '),
      );
      assert.deepEqual(told, ['open', 'waits skipped', 'close']);
      assert.match(stdout, /<skipped message="Cancelled\."\/>/);
      assert.deepEqual(
        ['Sage', 'Dill', 'Thyme'].map((name) => recorded().includes(`"name":"${name}"`)),
        [true, false, true],
      );
    });

    it('lets a call that cleans up end when it is interrupted during it', async () => {
      const slow: Script = (server) => {
        server.tools = ['open', 'close'].map((name) => ({
          name,
          inputSchema: { type: 'object' },
          annotations: { readOnlyHint: true },
        }));
        server.on('tools/call', (message) => {
          const answer = () => server.text(message, 'done');
          if (message.params?.['name'] !== 'close') return answer();
          const { existsSync: isThere } = process.getBuiltinModule('node:fs');
          const look = setInterval(() => {
            if (!isThere('interrupted')) return;
            clearInterval(look);
            setTimeout(answer, 500); // The signal is there before the file, but may be noticed later.
          }, 20);
          return undefined;
        });
      };
      const folder = workspace({
        '.mcp.json': { mcpServers: { slow: scripted(slow) } },
        'a.mcpcall': {
          calls: { open: call('slow', 'open') },
          after: { close: call('slow', 'close') },
        },
      });
      const { child, ended } = startProgram(
        folder,
        'test --max-risk readOnly --record run.mcprecord',
      );
      const file = path.join(folder, 'run.mcprecord');
      const isClosing = () => /tools\/call[^\n]*"close"/.test(readFileSync(file, 'utf8'));
      await until(() => existsSync(file) && isClosing());
      child.kill('SIGINT');
      writeFileSync(path.join(folder, 'interrupted'), '');
      const { code, stdout } = await ended;
      assert.equal(code, 130);
      assert.match(stdout, /2 passed/);
    });

    it('leaves no process behind when it is interrupted during a call', async () => {
      const folder = workspace({ 'a.mcpcall': call('demo', 'wait_for_sunset', { arguments: {} }) });
      const pidFile = path.join(folder, 'pid');
      const code = `require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); require(${JSON.stringify(servers.demo.args[0])})`;
      const demo = { command: process.execPath, args: ['-e', code] };
      writeFileSync(path.join(folder, 'servers.json'), JSON.stringify({ servers: { demo } }));
      const { child, ended } = startProgram(
        folder,
        'test --server-config servers.json --max-risk destructive --journal journal',
      );
      await until(() => isSent(path.join(folder, 'journal')));
      child.kill('SIGINT');
      const { code: exitCode } = await ended;
      assert.equal(exitCode, 130);
      const pid = Number(readFileSync(pidFile, 'utf8'));
      assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
    });
  }

  it('says which values a time limit may have', async () => {
    const folder = workspace({ 'a.mcpcall': { server: 'demo', tool: 'list_notes', timeout: 300 } });
    const { code, stdout } = await runCommand(folder, ['test']);
    assert.deepEqual(
      [code, /from 1000 to 86400000\. \(a\.mcpcall:1\)/.test(stdout)],
      [1, true],
      stdout,
    );
  });

  it('reports mistyped arguments before it starts anything', async () => {
    const folder = workspace({
      'a.mcpcall': call('everything', 'echo'),
      'object.json': {},
      'odd.json': [{ effect: 'allow', tool: 7 }],
      'empty/x.txt': '',
    });
    const wrong: readonly (readonly [RegExp, ...string[]])[] = [
      [/No command/],
      [/no command "tset"/, 'tset'],
      [/There is no option --bogus/, 'test', '--bogus'],
      [/--reporter must be one of/, 'test', '--reporter', 'dots'],
      [/--max-risk must be one of/, 'test', '--max-risk', 'all'],
      [/no file none\.mcpcall/, 'test', 'none.mcpcall'],
      [/no call files/, 'test', 'empty'],
      [/no file none\.json/, 'test', '--allow', 'none.json'],
      [/contains neither a list of rules/, 'test', '--allow', 'object.json'],
      [/invalidGlob/, 'test', '--allow', 'odd.json'],
      [/no file none\.json/, 'test', '--server-config', 'none.json'],
      [/--env requires --environments/, 'test', '--env', 'x'],
      [/no environment "x"/, 'test', '--env', 'x', '--environments', 'object.json'],
    ];
    for (const [words, ...parameters] of wrong) {
      const { code, stderr } = await runCommand(folder, parameters);
      assert.equal(code, 2, parameters.join(' '));
      assert.match(stderr, words);
    }
  });
});

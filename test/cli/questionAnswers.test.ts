import assert from 'node:assert/strict';
import { scripted, type ReceivedMessage, type ScriptedServer } from '../servers/scripted';
import { runCommand, useWorkspaces } from './program';

const workspace = useWorkspaces();

/** Asks as often and what the arguments say, and answers with all that it was told. */
function asking(server: ScriptedServer): void {
  const inputSchema = { type: 'object' };
  server.tools = [{ name: 'ask', inputSchema, annotations: { readOnlyHint: true } }];
  let calls = 0;
  const waiting = new Map<unknown, (answer: unknown) => void>();
  server.on('answer', ({ id, result }) => waiting.get(id)?.(result));
  const ask = async (message: ReceivedMessage): Promise<void> => {
    const given = Object(message.params?.['arguments']);
    const told: unknown[] = [];
    if (given.noise !== undefined) server.raw([given.noise, '\n'].join(''));
    calls += 1;
    // Nothing is asked before that many calls have come.
    while (calls < (given.until ?? 0)) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const [index, question] of (given.questions ?? []).entries()) {
      const id = ['q', message.id, index].join('-');
      const answered = new Promise((resolve) => waiting.set(id, resolve));
      const schema = {
        type: 'object',
        properties: { size: { type: 'number' } },
        required: ['size'],
      };
      const form = { message: question, requestedSchema: schema };
      const page = {
        mode: 'url',
        message: question,
        url: 'https://example.com/',
        elicitationId: id,
      };
      const params = given.isPage === true ? page : form;
      server.send({ id, method: 'elicitation/create', params });
      told.push(await answered);
    }
    if (given.fails === true) server.fail(message, -32000, 'no');
    else server.reply(message, { content: [], structuredContent: { told } });
  };
  server.on('tools/call', (message) => void ask(message));
}

const call = (questions: readonly string[], rest: object = {}, more: object = {}) => ({
  server: 'asking',
  tool: 'ask',
  arguments: { questions, ...more },
  ...rest,
});

interface Report {
  readonly calls: readonly {
    readonly name: string;
    readonly status: string;
    readonly reasons: readonly { readonly sentence: string }[];
  }[];
  readonly findings: readonly string[];
}

/** `name status: sentences` of every call. */
function linesOf({ calls }: Report): string[] {
  return calls.map(({ name, status, reasons }) =>
    [`${name} ${status}`, ...reasons.map(({ sentence }) => sentence)].join(': '),
  );
}

async function run(calls: object, options: readonly string[] = [], env = {}, before = {}) {
  const folder = workspace({
    '.mcp.json': { mcpServers: { asking: scripted(asking) } },
    'environments.json': { staging: { size: 4 } },
    'a.mcpcall': { calls, before },
  });
  const { stdout, code } = await runCommand(
    folder,
    ['test', '--reporter', 'json', '--max-risk', 'readOnly', ...options],
    env,
  );
  const report: Report = JSON.parse(stdout);
  return { lines: linesOf(report), code, findings: report.findings, stdout };
}

const told = (...answers: readonly object[]) => ({
  values: { '/structuredContent/told': answers },
});
const accept = (size: unknown) => ({ action: 'accept', content: { size } });

describe('A server’s question during a call', () => {
  it('gets the answer of the call, by its text or in order', async () => {
    const { lines, code, findings } = await run({
      order: call(['Size?', 'Sure?'], {
        answers: [{ content: { size: 1 } }, { action: 'decline' }],
        expect: told(accept(1), { action: 'decline' }),
      }),
      text: call(['Which size?', 'How many?', 'And now?'], {
        answers: [
          { question: '^How', content: { size: 2 } },
          { question: 'size\\?$', content: { size: 3 } },
          { action: 'cancel' },
        ],
        expect: told(accept(3), accept(2), { action: 'cancel' }),
      }),
    });
    assert.deepEqual(lines, ['order passed', 'text passed']);
    assert.deepEqual([code, findings], [0, []]);
  });

  it('fails the call if no answer matches or is valid, and is cancelled', async () => {
    const { lines, code } = await run({
      none: call(['Delete all?'], { answers: [], expect: told({ action: 'cancel' }) }),
      other: call(['Delete all?'], { answers: [{ question: 'Size', content: { size: 1 } }] }),
      misfit: call(['Size?'], { answers: [{ content: { size: 'big' } }] }),
      page: call(['Sign in'], { answers: [{}] }, { isPage: true }),
      error: call(['Delete all?'], { answers: [] }, { fails: true }),
    });
    assert.deepEqual(lines, [
      'none failed: The call has no answer for this question: Delete all?',
      'other failed: The call has no answer for this question: Delete all?',
      'misfit failed: The server asked "Size?", and the answer of the call is not valid: /size must be number',
      'page failed: The server asked to open a web page, which the command line does not do: Sign in',
      'error failed: "ask" of "asking": it answered with an error (code -32000). Details: no: The call has no answer for this question: Delete all?',
    ]);
    assert.equal(code, 1);
  });

  it('is answered more often than a user could', async () => {
    const questions = Array.from({ length: 60 }, (_, index) => `Number ${index}?`);
    const answers = questions.map((_, size) => ({ content: { size } }));
    const { lines } = await run({
      many: call(questions, { answers, expect: { count: { '/structuredContent/told': 60 } } }),
    });
    assert.deepEqual(lines, ['many passed']);
  });

  it('is not answered while its server has several calls, and each call with answers fails', async () => {
    const one = call(['Size?'], { answers: [{ content: { size: 1 } }] }, { until: 2 });
    const calls = { one };
    const folder = workspace({
      '.mcp.json': { mcpServers: { asking: scripted(asking) } },
      'a.mcpcall': { calls },
      'b.mcpcall': { calls: { two: one } },
    });
    const options = ['--reporter', 'json', '--max-risk', 'readOnly', '--jobs', '2'];
    const { stdout } = await runCommand(folder, ['test', ...options]);
    const report: Report = JSON.parse(stdout);
    for (const line of linesOf(report)) {
      assert.match(
        line,
        /^(one|two) failed: The server asked a question while several calls were running/,
      );
    }
    assert.equal(report.calls.length, 2);
  });

  it('is a finding if the call has no answers', async () => {
    const { lines, findings } = await run({
      one: call(['Size?'], { expect: told({ action: 'cancel' }) }),
    });
    assert.deepEqual(lines, ['one passed']);
    assert.deepEqual(findings, ['Server "asking" asked "Size?", which was cancelled.']);
  });

  it('is told by toolgate call, as are lines on standard output that are no messages', async () => {
    const folder = workspace({ '.mcp.json': { mcpServers: { asking: scripted(asking) } } });
    const given = JSON.stringify({ questions: ['Size?'], noise: 'debug' });
    const parameters = ['call', 'asking', 'ask', '--arguments', given, '--max-risk', 'readOnly'];
    const { code, stderr } = await runCommand(folder, parameters);
    assert.deepEqual(
      [code, stderr],
      [
        0,
        'toolgate: Server "asking" asked "Size?", which was cancelled.\n' +
          'toolgate: Server "asking" wrote lines to standard output that are not messages: 1.\n',
      ],
    );
  });

  it('gets values of variables, and secrets of the environment only if they are passed', async () => {
    const calls = {
      var: call(['Size?'], {
        answers: [{ content: { size: '${var:size}' } }],
        expect: told(accept('${var:size}')),
      }),
      env: call(['Size?'], { answers: [{ content: { size: '${env:SECRET}' } }] }),
    };
    const { lines, stdout } = await run(
      calls,
      ['--environments', 'environments.json', '--env', 'staging'],
      {
        SECRET: 'sesame-7',
      },
    );
    assert.equal(lines[0], 'var passed');
    assert.match(lines[1] ?? '', /^env skipped: Not called: the file uses environment variables/);
    const passed = await run({ env: calls.env }, ['--pass-env', 'SECRET'], { SECRET: 'sesame-7' });
    assert.match(passed.lines[0] ?? '', /^env failed: .*is not valid: \/size must be number$/);
    assert.doesNotMatch(stdout + passed.stdout, /sesame/);
  });
});

describe('The expectations of a call', () => {
  it('can use variables and earlier calls, and keep the types of their values', async () => {
    const first = call([], {}, {});
    const { lines } = await run(
      {
        same: call(['Size?'], {
          answers: [{ content: { size: 4 } }],
          expect: {
            values: { '/structuredContent/told/0/content/size': '${var:size}' },
            contains: { '/structuredContent': { told: '${calls.first.structuredContent./told}' } },
          },
        }),
        uuid: call(['${uuid}'], { answers: [], expect: { error: { message: 'about ${uuid}' } } }),
      },
      ['--environments', 'environments.json', '--env', 'staging'],
      {},
      { first },
    );
    assert.equal(lines[0], 'first passed');
    assert.match(lines[1] ?? '', /^same failed: Expected \{"told":\[\]\} in /);
    assert.match(
      lines[2] ?? '',
      /^uuid failed: .*for this question: [0-9a-f-]{36}: Expected an error instead/,
    );
  });

  it('use no environment variable that is not passed, and show no secret', async () => {
    const calls = {
      env: call([], { expect: { values: { '/structuredContent/told': '${env:SECRET}' } } }),
    };
    const env = { SECRET: 'sesame-7' };
    const without = await run(calls, [], env);
    assert.deepEqual(without.lines, ['env errored: ${env:SECRET} is not passed to call files.']);
    const passed = await run(calls, ['--pass-env', 'SECRET'], env);
    assert.match(passed.lines[0] ?? '', /^env failed: Expected "\(secret\)" at /);
    assert.doesNotMatch(passed.stdout, /sesame/);
  });
});

import assert from 'node:assert/strict';
import { errorMessage } from '../../src/cli/errorMessage';
import { McpError, type McpErrorFacts } from '../../src/core/errors';
import { scripted, type ScriptedServer } from '../servers/scripted';
import { runCommand, useWorkspaces } from './program';

const workspace = useWorkspaces();

/** Each of its tools is broken in another way. */
function broken(server: ScriptedServer): void {
  const inputSchema = { type: 'object' };
  const outputSchema = {
    type: 'object',
    properties: { count: { type: 'number' } },
    required: ['count'],
  };
  server.tools = [
    ...['asks', 'fails', 'hangs', 'glues', 'refuses', 'crashes'].map((name) => ({
      name,
      inputSchema,
    })),
    ...['wrong', 'bare'].map((name) => ({ name, inputSchema, outputSchema })),
  ];
  server.on('tools/call', (message) => {
    const content = [{ type: 'text', text: 'no such ticket: TOKEN-1' }];
    switch (message.params?.['name']) {
      case 'asks': {
        const requestedSchema = { type: 'object', properties: { which: { type: 'string' } } };
        const params = { message: 'Which one?', requestedSchema };
        server.send({ id: 'q', method: 'elicitation/create', params });
        const answered = () =>
          server.received.some(({ id, method }) => id === 'q' && method === undefined);
        const timer = setInterval(() => {
          if (!answered()) return;
          clearInterval(timer);
          server.text(message, 'done');
        }, 5);
        return undefined;
      }
      case 'fails':
        server.raw('Listening on port 3000\n');
        return server.reply(message, { content, isError: true });
      case 'glues':
        return server.raw(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content } }));
      case 'wrong':
        return server.reply(message, { content, structuredContent: { count: 'three' } });
      case 'bare':
        return server.reply(message, { content });
      case 'refuses':
        return server.fail(message, -32000, 'the database is locked', {
          holder: 'pid 7',
          token: 'TOKEN-1',
        });
      case 'crashes':
        return process.stderr.write('Error: out of pencils\n', () => process.exit(3));
      default:
        return undefined;
    }
  });
}

describe('A broken server', () => {
  const call = (tool: string, rest: object = {}) => ({ server: 'tickets', tool, ...rest });
  let sentences: ReadonlyMap<string, string>;
  const mcpServers = { tickets: { ...scripted(broken), env: { X_TOKEN: 'TOKEN-1' } } };
  let code: number | null;
  let findings: readonly string[];

  before(async () => {
    const folder = workspace({
      '.mcp.json': { mcpServers },
      'a.mcpcall': {
        calls: {
          asks: call('asks'),
          fails: call('fails'),
          wrong: call('wrong'),
          meant: call('wrong', { expect: { schemaViolations: true } }),
          bare: call('bare'),
          refuses: call('refuses'),
          hangs: call('hangs', { timeout: 1_000 }),
          glues: call('glues', { timeout: 1_000 }),
          crashes: call('crashes'),
        },
      },
      'rules.json': [{ effect: 'allow' }],
    });
    const end = await runCommand(folder, ['test', '--reporter', 'json', '--allow', 'rules.json']);
    const report: {
      findings: string[];
      calls: { name: string; status: string; reasons: { sentence: string }[] }[];
    } = JSON.parse(end.stdout);
    ({ code } = end);
    ({ findings } = report);
    sentences = new Map(
      report.calls.map(({ name, status, reasons }) => [
        name,
        [status, ...reasons.map(({ sentence }) => sentence)].join(' | '),
      ]),
    );
  });

  it('is reported with what it did besides its answers, which fails a strict run', async () => {
    assert.deepEqual(findings, [
      'Server "tickets" wrote lines to standard output that are not messages: 1.',
      'Server "tickets" asked "Which one?", which was cancelled.',
      'Server "tickets" ended while it ran: the connection ended (exit code 3). It said on stderr: Error: out of pencils',
    ]);
    const folder = workspace({
      '.mcp.json': { mcpServers },
      'a.mcpcall': call('asks'),
      'rules.json': [{ effect: 'allow' }],
    });
    const test = ['test', '--reporter', 'tap', '--allow', 'rules.json'];
    for (const [options, expected] of [
      [[], 0],
      [['--strict'], 1],
    ] as const) {
      const end = await runCommand(folder, [...test, ...options]);
      assert.equal(end.code, expected);
      assert.match(end.stdout, /^ok 1 [^]*^# Server "tickets" asked "Which one\?"/m);
    }
  });

  it('is reported if it does not list its tools, which its calls do not show', async () => {
    const mute = scripted((server) => {
      server.on('tools/list', (message) => server.fail(message, -32000, 'no database'));
    });
    const folder = workspace({
      '.mcp.json': { mcpServers: { mute } },
      'a.mcpcall': { server: 'mute', tool: 'a' },
      'rules.json': [{ effect: 'allow' }],
    });
    const test = ['test', '--reporter', 'json', '--allow', 'rules.json'];
    const { stdout } = await runCommand(folder, test);
    assert.deepEqual(JSON.parse(stdout).findings, [
      'Server "mute" did not send all of its tools: serverError: no database.',
    ]);
  });

  for (const [name, told] of [
    ['asks', 'passed'],
    ['fails', 'failed | The tool reported an error: no such ticket: (secret)'],
    ['wrong', "failed | The result breaks the tool's output schema: /count must be number"],
    ['meant', 'passed'],
    ['bare', 'failed | The tool has an output schema, but returned no structured content.'],
    [
      'refuses',
      'errored | "refuses" of "tickets": it answered with an error (code -32000). Details: the database is locked Data: {"holder":"pid 7","token":"(secret)"}',
    ],
    [
      'hangs',
      'errored | "hangs" of "tickets": no answer came in time (1000 ms, the "timeout" of the call). The call may have had an effect.',
    ],
    [
      'glues',
      'errored | "glues" of "tickets": no answer came in time (1000 ms, the "timeout" of the call). The call may have had an effect. MCP over stdio has one message per line; it wrote one without a newline.',
    ],
    [
      'crashes',
      'errored | "crashes" of "tickets": the connection ended (exit code 3). The call may have had an effect. It said on stderr: Error: out of pencils',
    ],
  ] as const) {
    it(`is reported in plain words for the tool “${name}”`, () => {
      assert.equal(sentences.get(name), told);
      assert.equal(code, 1);
    });
  }
});

it('A server that prints something else instead of answering is quoted when its start fails', () => {
  const said = (facts: McpErrorFacts): string =>
    errorMessage(
      new McpError('handshakeTimeout', { ...facts, probeDetail: 'timeout' }),
      (text) => text.replaceAll('TOKEN-1', '(secret)'),
      1000,
    );
  const limit = 'it did not answer in time (1000 ms, the limit of --start-timeout).';
  const printed = `${limit} It printed to stdout, which is not MCP:`;
  assert.equal(said({ printed: 'Port 3000, TOKEN-1' }), `${printed} Port 3000, (secret)`);
  assert.equal(said({ printed: 'Hello', stdoutTail: 'Your name? ' }), `${printed} Your name?`);
  assert.equal(said({}), `${limit} It first answered "server/discover" with: timeout`);
});

describe('A server with an invalid list', () => {
  const mcpServers = {
    tickets: scripted((server) => {
      const inputSchema = { type: 'object' };
      server.tools = [
        { name: 'twice', inputSchema },
        { name: 'twice', inputSchema },
        { name: 'hangs', inputSchema },
        { name: 'odd', inputSchema: { type: 'string' } },
        { name: 'changed', inputSchema: { type: 'object', required: ['kind'] } },
      ];
      server.on('tools/call', (message) => {
        if (message.params?.['name'] === 'hangs') return undefined;
        return server.text(message, 'done');
      });
    }),
    silent: scripted((server) => {
      server.on('server/discover', () => undefined);
      server.on('initialize', () => undefined);
    }),
  };
  const call = (tool: string) => ({ server: 'tickets', tool });
  const options = ['--max-risk', 'destructive'];

  it('is reported if two of its tools have the same name, which fails a strict run', async () => {
    const folder = workspace({ '.mcp.json': { mcpServers }, 'a.mcpcall': call('twice') });
    const test = ['test', '--reporter', 'json', ...options];
    const { code, stdout } = await runCommand(folder, test);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout).findings, [
      'Server "tickets" lists the tool "twice" more than once; only the first can be called.',
    ]);
    assert.equal((await runCommand(folder, [...test, '--strict'])).code, 1);
    const byHand = await runCommand(folder, ['call', 'tickets', 'twice', ...options]);
    assert.match(byHand.stderr, /lists the tool "twice" more than once/);
  });

  it('is reported with the next step, if a tool is missing or its schema changed', async () => {
    const calls = { missing: call('search'), changed: call('changed') };
    const folder = workspace({ '.mcp.json': { mcpServers }, 'a.mcpcall': { calls } });
    const test = ['test', '--reporter', 'json', ...options];
    const { calls: made } = JSON.parse((await runCommand(folder, test)).stdout);
    assert.deepEqual(
      made.map(({ reasons: [{ sentence }] }: { reasons: [{ sentence: string }] }) => sentence),
      [
        '"search" of "tickets": it has no such tool. Its tools: twice, hangs, odd, changed.',
        '"changed" of "tickets": the arguments do not match the schema of the tool. must have the property "kind"',
      ],
    );
  });

  it('is reported with the reason, the limit and the option that sets it', async () => {
    const folder = workspace({ '.mcp.json': { mcpServers } });
    const saidOf = async (server: string, tool: string, ...limit: readonly string[]) => {
      const words = ['call', server, tool, ...options, ...limit];
      return (await runCommand(folder, words)).stderr.split('\n').at(-2);
    };
    assert.equal(
      await saidOf('tickets', 'odd'),
      'toolgate: "odd" of "tickets": the definition of this tool cannot be used. The tool cannot be called because its inputSchema does not describe an object.',
    );
    assert.equal(
      await saidOf('tickets', 'twices'),
      'toolgate: "twices" of "tickets": it has no such tool. Did you mean "twice"?',
    );
    assert.equal(
      await saidOf('tickets', 'hangs', '--timeout', '700'),
      'toolgate: "hangs" of "tickets": no answer came in time (700 ms, the limit of --timeout). The call may have had an effect.',
    );
    assert.match(
      (await saidOf('silent', 'a', '--start-timeout', '900')) ?? '',
      /did not start: it did not answer in time \(900 ms, the limit of --start-timeout\)/,
    );
  });
});

import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { Programs } from '../../src/core/stdio/programs';
import { LiveProcesses } from '../../src/core/stdio/stdioProcess';
import type { ConfigProblem, ServerConfig } from '../../src/host/configuration/serverConfig';
import { Diagnosis } from '../../src/host/diagnosis/diagnosis';
import type { DiagnosisOptions } from '../../src/host/diagnosis/diagnosisRun';
import type { Step } from '../../src/host/diagnosis/steps';
import { SecretValues } from '../../src/host/secrets/secretValues';
import { scripted, type Script } from '../servers/scripted';
import { assertEach } from '../assertions';

type Reach = ServerConfig['transport'];

// Every server is a real process; what a step found is told as "name state".
describe('A diagnosis', () => {
  const processes = new LiveProcesses();
  afterEach(() => {
    const left = processes.pids;
    processes.killNow();
    assert.deepEqual(left, []);
  });

  const make = (more: Partial<DiagnosisOptions> = {}) =>
    new Diagnosis({
      clientInfo: { name: 'test', title: 'Test', version: '1' },
      processes,
      programs: new Programs({ environment: { PATH: process.env['PATH'] ?? '' }, home: '/no' }),
      proxyOf: () => undefined,
      limits: () => ({
        startTimeoutMs: 20_000,
        maxMessageBytes: 1_000_000,
        maxMessageValues: 500_000,
      }),
      ...more,
    });

  function configOf(transport: Reach): ServerConfig {
    return { id: 'a', label: 'a', source: { kind: 'setting' }, transport };
  }

  const command = (name: string, ...args: readonly string[]): Reach => ({
    kind: 'stdio',
    command: name,
    args,
    env: { A_NAME: 'a value' },
  });
  const script = (source: Script): Reach => ({ kind: 'stdio', ...scripted(source) });
  const node = (source: string): Reach => command(process.execPath, '-e', source);

  async function walk(
    transport: Reach,
    more: Partial<DiagnosisOptions> = {},
  ): Promise<ReadonlyMap<string, Step>> {
    const steps = await make(more).walk(configOf(transport), [], () => undefined);
    return new Map(steps.map((step) => [step.name, step]));
  }
  const states = (steps: ReadonlyMap<string, Step>) =>
    [...steps.values()].map(({ name, state }) => `${name} ${state}`);
  const failures = (steps: ReadonlyMap<string, Step>) =>
    [...steps.values()].flatMap(({ name, state, error }) =>
      state === 'failed' ? [`${name} ${error?.code ?? ''}`.trim()] : [],
    );

  it('of a working server passes every step, in the order of the connection', async () => {
    const seen: string[] = [];
    const transport = script((server) => {
      server.tools = [{ name: 'echo', inputSchema: { type: 'object' } }];
    });
    const steps = await make().walk(configOf(transport), [], (all) => {
      const now = all.findLast(({ state }) => state !== 'waiting')?.name ?? '';
      if (seen.at(-1) !== now) seen.push(now);
    });
    assertEach(
      steps,
      ({ name, state }) => `${name} ${state}`,
      ['configuration', 'variables', 'program', 'process', 'stdout', 'era', 'handshake']
        .concat(['capabilities', 'tools', 'schemas', 'end'])
        .map((name) => `${name} passed`),
    );
    assert.ok(seen.length > 5, seen.join());
    assert.deepEqual(steps.find(({ name }) => name === 'tools')?.facts, [
      { kind: 'tools', tools: 1, unusable: 0 },
    ]);
  });

  it('of a server that hangs names the handshake, and ends the process', async () => {
    const limits = () => ({
      startTimeoutMs: 3_000,
      maxMessageBytes: 1_000_000,
      maxMessageValues: 500_000,
    });
    // A shell, because Node may need longer than the limit for the first line.
    const silent = command('/bin/sh', '-c', 'echo waiting >&2; exec sleep 1000');
    const steps = await walk(silent, { limits, probeTimeoutMs: 200 });
    assert.deepEqual(failures(steps), ['handshake handshakeTimeout']);
    assertEach(['process', 'stdout', 'era', 'tools', 'end'], (name) => steps.get(name)?.state, [
      'passed',
      'passed',
      'passed',
      'skipped',
      'skipped',
    ]);
    assert.deepEqual(steps.get('era')?.facts, [{ kind: 'era', era: 'stateful', isSilent: true }]);
    assert.deepEqual(steps.get('process')?.facts.at(-1), {
      kind: 'stderr',
      lines: 1,
      last: ['waiting'],
    });
  });

  it('can be cancelled while the server hangs, and leaves nothing', async () => {
    const source = new CancellationTokenSource();
    const config = configOf(node('setInterval(() => {}, 1e6)'));
    const steps = await make().walk(
      config,
      [],
      (all) => {
        if (all.some(({ name, state }) => name === 'era' && state === 'running')) source.cancel();
      },
      source.token,
    );
    const failed = steps.filter(({ state }) => state === 'failed');
    assert.deepEqual([...new Set(failed.map(({ error }) => error?.code))], ['cancelled']);
    assert.ok(steps.every(({ state }) => state !== 'waiting' && state !== 'running'));
  });

  it('that is cancelled while schemas compile has not passed that step', async () => {
    const source = new CancellationTokenSource();
    const transport = script((server) => {
      server.tools = ['a', 'b'].map((name) => ({ name, inputSchema: { type: 'object' } }));
    });
    const steps = await make().walk(
      configOf(transport),
      [],
      (all) => {
        if (all.some(({ name, state }) => name === 'schemas' && state === 'running'))
          source.cancel();
      },
      source.token,
    );
    const schemas = steps.find(({ name }) => name === 'schemas');
    assert.equal(schemas?.state, 'failed');
    assert.equal(schemas.error?.code, 'cancelled');
  });

  it('says how many schemas there are if it checks only the first ones', async () => {
    const transport = script((server) => {
      const names = Array.from({ length: 1_001 }, (_, index) => `t${index}`);
      server.tools = names.map((name) => ({ name, inputSchema: { type: 'object' } }));
    });
    const [fact] = (await walk(transport)).get('schemas')?.facts ?? [];
    assert.ok(fact?.kind === 'schemas');
    assert.equal(fact.total, 1_001);
    assert.ok(fact.schemas < fact.total);
  });

  it('of a missing program says where it was searched', async () => {
    const steps = await walk(command('no-such-program'));
    assert.deepEqual(failures(steps), ['program programNotFound']);
    assert.ok((steps.get('program')?.error?.facts.searched ?? []).length > 3);
    assert.deepEqual(states(steps).slice(3, 5), ['process skipped', 'stdout skipped']);
  });

  it('of a file that is not executable says so', async () => {
    assert.deepEqual(failures(await walk(command(__filename))), ['program programNotExecutable']);
  });

  it('of a server that exits at once shows its exit code and its stderr', async () => {
    const steps = await walk(node('console.error("No API key."); process.exit(3)'));
    assert.deepEqual(failures(steps), ['process exitedEarly']);
    const { error, facts } = steps.get('process') ?? {};
    assert.deepEqual([error?.facts.exitCode, error?.facts.stderrTail], [3, 'No API key.']);
    assert.equal(
      facts?.some(({ kind }) => kind === 'stderr'),
      true,
    );
  });

  it('separates the output of each run of a server that exits at the era probe', async () => {
    const source = `(server) => {
      server.raw('banner of ' + process.pid + '\\n');
      server.on('server/discover', () => {
        process.stderr.write('first', () => process.exit(7));
      });
      server.on('initialize', () => {
        process.stderr.write('second', () => process.exit(8));
      });
    }`;
    const transport = {
      kind: 'stdio',
      ...scripted(source),
    };
    const steps = await walk(transport as Reach);
    assert.deepEqual(failures(steps), ['process exitedEarly', 'stdout']);
    const { facts = [] } = steps.get('process') ?? {};
    assertEach(facts, ({ kind }) => kind, ['pid', 'endedAtQuestion', 'stderr', 'pid', 'stderr']);
    assert.deepEqual(
      facts.flatMap((fact) => (fact.kind === 'stderr' ? [fact.lines, ...fact.last] : [])),
      [1, 'first', 1, 'second'],
    );
    const pids = facts.flatMap((fact) => (fact.kind === 'pid' ? [fact.pid] : []));
    assert.equal(new Set(pids).size, 2);
    assert.deepEqual(steps.get('stdout')?.facts, [
      { kind: 'garbage', lines: 1, first: `banner of ${pids[1]}` },
    ]);
  });

  it('shows no secret that a server repeats, even if the text is cut', async () => {
    const secrets = new SecretValues();
    secrets.add('sk-hunter22');
    const long = `${'x'.repeat(995)}sk-hunter22`;
    const source = `console.log('${long}'); console.error('${long}'); process.exit(3)`;
    const steps = await walk(node(source), { redact: (text) => secrets.redact(text) });
    assert.deepEqual(failures(steps).slice(0, 2), ['process exitedEarly', 'stdout']);
    const told = JSON.stringify(
      [...steps.values()].map(({ facts, error }) => [facts, error?.facts.stderrTail]),
    );
    assert.ok(!told.includes('sk-'), 'the secret or a part of it');
    assert.ok(told.split('x(secret)').length > 3, 'once on stdout, and twice on stderr');
  });

  it('of a server that prints to stdout first shows the line, and continues', async () => {
    const steps = await walk(
      script((server) => {
        server.raw('Server 1.0 ready\n');
      }),
    );
    assert.deepEqual(failures(steps), ['stdout']);
    assert.deepEqual(steps.get('stdout')?.facts, [
      { kind: 'garbage', lines: 1, first: 'Server 1.0 ready' },
    ]);
    assert.equal(steps.get('handshake')?.state, 'passed');
  });

  it('of a server that ignores the stop says that it had to be killed', async function () {
    if (process.platform === 'win32') this.skip();
    const steps = await walk(
      script((server) => {
        server.leavesAtEnd = false;
        setInterval(() => undefined, 1e6);
        process.on('SIGTERM', () => undefined);
      }),
    );
    assert.deepEqual(failures(steps), ['end']);
    assert.deepEqual(steps.get('end')?.facts, [{ kind: 'notices', notices: [{ kind: 'killed' }] }]);
  });

  it('of a server that floods stderr keeps its end, and passes', async () => {
    const steps = await walk(
      script(() => {
        process.stderr.write('noise\n'.repeat(20_000));
      }),
    );
    assert.deepEqual(failures(steps), []);
    const stderr = steps.get('process')?.facts.find(({ kind }) => kind === 'stderr');
    assert.ok(stderr?.kind === 'stderr' && stderr.last.length <= 20);
  });

  it('removes secrets from names that the server gives itself and its tools', async () => {
    const transport = script((server) => {
      const inputSchema = { type: 'object', properties: { a: { $ref: '#/none' } } };
      server.tools = [{ name: 'scripted-tool', inputSchema }];
    });
    const redact = (text: string): string => text.replaceAll('scripted', '(secret)');
    const steps = await walk(transport, { redact });
    const [server] = steps.get('handshake')?.facts ?? [];
    assert.ok(server?.kind === 'server');
    assert.match(server.name, /^\(secret\) /);
    const [schemas] = steps.get('schemas')?.facts ?? [];
    assert.ok(schemas?.kind === 'schemas');
    assert.match(schemas.broken.join(), /^\(secret\)-tool: /);
  });

  it('names schemas that cannot be compiled, and tools that cannot be used', async () => {
    const steps = await walk(
      script((server) => {
        server.tools = [
          { name: 'odd', inputSchema: { type: 'object', properties: { a: { $ref: '#/none' } } } },
          { name: 'unusable', inputSchema: 7 },
        ];
      }),
    );
    assert.deepEqual(failures(steps), ['schemas']);
    assert.deepEqual(steps.get('tools')?.facts, [{ kind: 'tools', tools: 2, unusable: 1 }]);
    const [fact] = steps.get('schemas')?.facts ?? [];
    assert.ok(fact?.kind === 'schemas' && fact.broken[0]?.startsWith('odd: '));
  });

  for (const [code, failed] of [
    ['missingCommand', 'configuration invalidConfiguration'],
    ['missingVariable', 'variables missingVariable'],
  ] as const) {
    it(`starts nothing if the configuration has ${code}`, async () => {
      const problem: ConfigProblem = {
        code,
        source: { kind: 'setting' },
        server: 'a',
        path: ['a'],
        fatal: true,
      };
      const all = await make().walk(configOf(node('')), [problem], () => undefined);
      const steps = new Map(all.map((step) => [step.name, step]));
      assert.deepEqual(failures(steps), [failed]);
      assert.equal(steps.get('program')?.state, 'skipped');
    });
  }
});

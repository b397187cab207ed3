import assert from 'node:assert/strict';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import { resourceUri } from '../servers/matrixTools';
import { isAlive, textOf } from './connections';
import type { Bench, Row, TransportName } from './matrixBench';
import { isStateless } from './matrixBench';
import { outcome } from './wire';

/** One column of the matrix. */
export interface Feature {
  /** The head of its column, short. */
  readonly name: string;
  /** The fact that its test shows. */
  readonly fact: string;
  check(bench: Bench): Promise<void>;
}

const listed = async ({ client }: Bench) =>
  (await client.listTools({ isRefresh: true })).tools.map(({ name }) => name);
const call = ({ client }: Bench, name: string) => client.callTool(name, {});
const answerOf = async (bench: Bench, name: string): Promise<unknown> =>
  JSON.parse(await textOf(call(bench, name)));

/** Columns, in the order in which they are tried on the one connection of a row. */
export const features: readonly Feature[] = [
  {
    name: 'connect',
    fact: 'agrees on the revision',
    async check({ client, row }) {
      assert.deepEqual([client.revision, client.serverInfo.name], [row.revision, 'matrix']);
    },
  },
  {
    name: 'list',
    fact: 'lists the tools of all pages, in order',
    async check(bench) {
      const { tools, problems } = await bench.client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name).join(' '),
        'text image structured fails progress hang change log ask roots',
      );
      assert.deepEqual([problems, tools.every(({ callable }) => callable)], [[], true]);
    },
  },
  {
    name: 'text',
    fact: 'calls a tool that answers with text',
    async check(bench) {
      assert.equal(await textOf(call(bench, 'text')), 'grüße 🌍');
    },
  },
  {
    name: 'image',
    fact: 'calls a tool that answers with an image',
    async check(bench) {
      const { content, isError } = await call(bench, 'image');
      const image = { type: 'image', data: 'iVBORw==', mimeType: 'image/png' };
      assert.deepEqual([content, isError], [[image], false]);
    },
  },
  {
    name: 'struct',
    fact: 'calls a tool that answers with structured content, and knows its schema',
    async check(bench) {
      const { tools } = await bench.client.listTools();
      const tool = tools.find(({ name }) => name === 'structured');
      assert.deepEqual(Object(tool?.outputSchema).required, ['count']);
      assert.deepEqual((await call(bench, 'structured')).structuredContent, { count: 3 });
    },
  },
  {
    name: 'error',
    fact: 'returns the error of a tool as a result',
    async check(bench) {
      const { content, isError } = await call(bench, 'fails');
      assert.deepEqual([content, isError], [[{ type: 'text', text: 'no such flower' }], true]);
    },
  },
  {
    name: 'progr',
    fact: 'reports progress before the result',
    async check({ client }) {
      const reports: string[] = [];
      const onProgress = (it: { progress: number; total?: number }) =>
        reports.push(`${it.progress}/${it.total}`);
      assert.equal(await textOf(client.callTool('progress', {}, { onProgress })), 'done');
      assert.deepEqual(reports, ['1/3', '2/3', '3/3']);
    },
  },
  {
    name: 'task',
    fact: 'waits for a call that runs as a task',
    async check({ client }) {
      const states: string[] = [];
      const onTask = ({ status }: { status: string }) => states.push(status);
      const called = client.callTool('text', {}, { isTask: true, onTask });
      assert.equal(await textOf(called), 'grüße 🌍');
      assert.deepEqual(states, ['working', 'completed']);
      assert.equal((await client.listTasks()).tasks.length, 1);
    },
  },
  {
    name: 'cancel',
    fact: 'settles a cancelled call at once, and continues',
    async check(bench) {
      const source = new CancellationTokenSource();
      const options = { token: source.token };
      const settled = outcome(bench.client.callTool('hang', { which: 1 }, options));
      await bench.facts.until('hangs 1');
      source.cancel();
      const nextTurn = new Promise((resolve) => setImmediate(resolve, 'still open'));
      assert.equal(await Promise.race([settled, nextTurn]), 'cancelled');
      assert.equal((await call(bench, 'text')).isError, false);
    },
  },
  {
    name: 'seen',
    fact: 'notifies the server that a call was cancelled',
    async check({ client, facts }) {
      const source = new CancellationTokenSource();
      const settled = outcome(client.callTool('hang', { which: 2 }, { token: source.token }));
      await facts.until('hangs 2');
      source.cancel();
      await facts.until('cancelled 2');
      assert.equal(await settled, 'cancelled');
    },
  },
  {
    name: 'deadl',
    fact: 'ends a call at its time limit, and continues',
    async check(bench) {
      const overdue = bench.client.callTool('hang', {}, { timeoutMs: 60 });
      assert.equal(await outcome(overdue), 'timeout');
      assert.equal((await call(bench, 'text')).isError, false);
    },
  },
  {
    name: 'change',
    fact: 'reads the list of tools again when it changed',
    async check(bench) {
      const { client, row, facts } = bench;
      if (row.transport === 'HTTP, sessions') await facts.until('listened to');
      // In the stateless era the list comes after the subscription is there.
      assert.ok(!(await listed(bench)).includes('added'));
      const changed = new Promise<void>((resolve) => client.onDidChangeTools(resolve));
      await call(bench, 'change');
      await changed;
      assert.ok((await client.listTools()).tools.some(({ name }) => name === 'added'));
    },
  },
  {
    name: 'read',
    fact: 'reads a resource by its unchanged URI',
    async check({ client }) {
      const contents = { uri: resourceUri, mimeType: 'text/plain', text: 'grüße' };
      assert.deepEqual((await client.readResource(resourceUri)).contents, [contents]);
    },
  },
  {
    name: 'log',
    fact: 'requests log messages of a level, and receives them',
    async check(bench) {
      await call(bench, 'log');
      await bench.facts.until('level info');
      await bench.facts.until('log, warning: [warning] matrix: {"said":"by the server"}');
    },
  },
  {
    name: 'ping',
    fact: 'pings',
    async check({ client }) {
      await client.ping();
    },
  },
  {
    name: 'accept',
    fact: 'asks the user the question of the server, and sends the answer',
    async check(bench) {
      const content = { name: 'Ada "ü"', agree: false };
      bench.person.answer = { action: 'accept', content };
      assert.deepEqual(await answerOf(bench, 'ask'), { action: 'accept', content });
      const asked = bench.person.asked.at(-1);
      assert.ok(asked?.mode === 'form');
      const fields = asked.fields.map(({ name, kind, required }) => [name, kind, required]);
      assert.deepEqual(
        [asked.message, fields],
        [
          'Who are you?',
          [
            ['name', 'string', true],
            ['agree', 'boolean', false],
          ],
        ],
      );
    },
  },
  {
    name: 'decl',
    fact: 'tells the server that the user declined',
    async check(bench) {
      bench.person.answer = { action: 'decline' };
      assert.deepEqual(await answerOf(bench, 'ask'), { action: 'decline' });
    },
  },
  {
    name: 'roots',
    fact: 'sends the server the declared roots',
    async check(bench) {
      const roots = [{ uri: 'file:///a%20folder', name: 'a folder' }];
      assert.deepEqual(await answerOf(bench, 'roots'), { roots });
    },
  },
  {
    name: 'close',
    fact: 'closes cleanly: pending calls settle, the server notices, no process is left',
    async check(bench) {
      const { client, facts, row } = bench;
      const pending = outcome(client.callTool('hang', { which: 3 }));
      await facts.until('hangs 3');
      const closed = client.close();
      assert.equal(await pending, 'connectionClosed');
      await closed;
      if (!isForgetful(row)) await facts.until('left');
      while (bench.left > 0) await facts.until('quiet');
      assert.equal(await outcome(call(bench, 'text')), 'connectionClosed');
      if (client.pid !== undefined) assert.ok(!isAlive(client.pid));
      assert.deepEqual(
        // What the server itself had logged is no trouble of ours.
        facts.lines.filter((line) => !/^(?:info |warn \[warning\] matrix: )/.test(line)),
        [],
      );
    },
  },
];

type Absence = readonly [applies: (row: Row) => boolean, names: readonly string[], why: string];

const isOlderThan = (revision: string) => (row: Row) => row.revision < revision;
/** A server that answers each request for itself, in an era that has sessions for all else. */
const isForgetful = ({ transport, revision }: Row) =>
  transport === 'HTTP, stateless' && !isStateless(revision);

/** Every cell that is not tried, with the reason. */
const absences: readonly Absence[] = [
  [isOlderThan('2025-06-18'), ['struct'], 'structured content came with 2025-06-18'],
  [isOlderThan('2025-06-18'), ['accept', 'decl'], 'elicitation came with 2025-06-18'],
  [isOlderThan('2025-11-25'), ['task'], 'tasks came with 2025-11-25'],
  // Both wires over both transports: tasksStateful.test.ts and tasksStateless.test.ts.
  [({ sdk }) => sdk === 2, ['task'], 'SDK 2 has no tasks for servers'],
  [isForgetful, ['task'], 'a look at a task reaches another instance of the server'],
  [(row) => isStateless(row.revision), ['ping'], 'ping went with 2026-07-28'],
  [isForgetful, ['change'], 'no stream for messages of the server without a session'],
  [isForgetful, ['accept', 'decl', 'roots'], 'no way to ask a client without a session'],
  [isForgetful, ['seen'], 'a cancellation reaches another instance of the server'],
];

/** Why `feature` is not tried on `row`; undefined: it is. */
export function whyAbsent(row: Row, feature: Feature): string | undefined {
  return absences.find(([applies, names]) => names.includes(feature.name) && applies(row))?.[2];
}

/** Why there is no such row; undefined: there is. */
export function whyNoRow({ revision, transport, sdk }: Row): string | undefined {
  const stateless = isStateless(revision);
  if (sdk === 1 && stateless) return 'SDK 1 does not speak it';
  if (transport === 'HTTP+SSE' && stateless) return 'the revision has no such transport';
  if (transport === 'HTTP+SSE' && sdk === 2) return 'SDK 2 has no server for this transport';
  if (transport === 'HTTP, sessions' && stateless) return 'the revision has no sessions';
  return undefined;
}

export const transports: readonly TransportName[] = [
  'stdio',
  'HTTP, sessions',
  'HTTP, stateless',
  'HTTP+SSE',
];

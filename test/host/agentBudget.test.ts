import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { AgentBudget } from '../../src/host/agents/agentLimits';
import { type AgentTool, ToolListTexts } from '../../src/host/agents/agentTools';
import { agentTransportLimits, AgentTransport } from '../../src/host/agents/agentTransport';
import { until } from '../waiting';

/** What an agent may send without end. */
const kinds: Readonly<Record<string, object>> = {
  'a notification': { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
  'another notification': { method: 'x' },
  'an answer that nobody waits for': { id: 1, result: {} },
  'an error': { id: 1, error: { code: 1, message: '' } },
  'a request': { id: 1, method: 'ping' },
  'a list': { id: 1, method: 'tools/list' },
  'a call': { id: 1, method: 'tools/call', params: { name: 'a' } },
};

const never = { atOnce: 100, perSecond: 1e-9 };
const plenty = { atOnce: 1e9, perSecond: 1e9 };
const few = { messages: never, timeMs: plenty };

function agentOf(budget: AgentBudget) {
  const stream = new Duplex({ read: () => undefined, write: (_chunk, _, done) => done() });
  const transport = new AgentTransport(stream, agentTransportLimits, budget, new ToolListTexts());
  const agent = { stream, transport, taken: 0 };
  Object.assign(transport, { onmessage: () => (agent.taken += 1) });
  void transport.start();
  return agent;
}

/** Until nothing more comes, because nothing more is read. */
async function untilPaused(stream: Duplex): Promise<void> {
  await until(() => stream.isPaused());
  for (let round = 0; round < 20; round += 1) await nextRound();
}

function lines(message: object, count: number): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`.repeat(count);
}

describe('The message budget of agents', () => {
  for (const [what, message] of Object.entries(kinds)) {
    it(`includes everything that they send: ${what}`, async () => {
      const agent = agentOf(new AgentBudget(few));
      agent.stream.push(lines(message, 5_000));
      await untilPaused(agent.stream);
      assert.ok(agent.taken <= 101, `${agent.taken} messages`);
      await agent.transport.close();
    });
  }

  for (const [what, line] of Object.entries({ nothing: '\n', blanks: `${' '.repeat(99)}\n` })) {
    it(`includes lines without content: ${what}`, async () => {
      const agent = agentOf(new AgentBudget(few));
      agent.stream.push(line.repeat(5_000) + lines({ method: 'x' }, 1));
      for (let round = 0; round < 100; round += 1) await nextRound();
      assert.equal(agent.taken, 0);
      await agent.transport.close();
    });
  }

  it('is shared by all agents, in addition to that of each', async () => {
    const all = new AgentBudget(few);
    const agents = [0, 1, 2, 3].map(() =>
      agentOf(new AgentBudget({ messages: plenty, timeMs: plenty }, all)),
    );
    for (const { stream } of agents) stream.push(lines({ method: 'x' }, 1_000));
    for (const { stream } of agents) await untilPaused(stream);
    const taken = agents.reduce((sum, agent) => sum + agent.taken, 0);
    assert.ok(taken >= 100 && taken <= 104, `${taken} messages`);
    for (const { transport } of agents) await transport.close();
  });

  it('counts a large message as many, and also what is sent to an agent', async () => {
    const agent = agentOf(new AgentBudget(few));
    agent.stream.push(lines({ method: 'x', params: { text: 'x'.repeat(3 * 1024 * 1024) } }, 1));
    agent.stream.push(lines({ method: 'x' }, 10));
    await untilPaused(agent.stream);
    assert.equal(agent.taken, 1);
    const other = agentOf(new AgentBudget(few));
    const result = { content: [{ type: 'text', text: 'x'.repeat(3 * 1024 * 1024) }] };
    await other.transport.send({ jsonrpc: '2.0', id: 1, result });
    other.stream.push(lines({ method: 'x' }, 10));
    await untilPaused(other.stream);
    assert.equal(other.taken, 0);
    await agent.transport.close();
    await other.transport.close();
  });

  it('includes the processing time of messages, and leaves other work a turn between them', async () => {
    const agent = agentOf(
      new AgentBudget({ messages: plenty, timeMs: { atOnce: 50, perSecond: 1e-9 } }),
    );
    let turns = 0;
    let isOver = false;
    const look = (): void => {
      turns += 1;
      if (!isOver) setImmediate(look);
    };
    const spend = (): void => {
      agent.taken += 1;
      const end = performance.now() + 1;
      while (performance.now() < end);
    };
    Object.assign(agent.transport, { onmessage: spend });
    agent.stream.push(lines({ method: 'x' }, 1_000));
    setImmediate(look);
    while (!agent.stream.isPaused()) await nextRound();
    while (agent.taken < 2) await nextRound();
    const during = turns;
    for (let round = 0; round < 200; round += 1) await nextRound();
    isOver = true;
    assert.ok(agent.taken <= 51, `${agent.taken} messages`);
    assert.ok(turns > during, `${turns} turns`);
    await agent.transport.close();
  });

  it('is refilled, and processing continues without a loss', async () => {
    const agent = agentOf(
      new AgentBudget({ messages: { atOnce: 10, perSecond: 2_000 }, timeMs: plenty }),
    );
    for (let at = 0; at < 50; at += 1) agent.stream.push(lines({ method: 'x' }, 10));
    await until(() => agent.taken >= 500);
    agent.stream.push(lines({ method: 'x' }, 1).slice(0, 10));
    agent.stream.push(lines({ method: 'x' }, 1).slice(10));
    await until(() => agent.taken >= 501);
    await agent.transport.close();
  });
});

describe('The list of tools for agents', () => {
  const tools: readonly AgentTool[] = ['a', 'b "quoted"'].map((name) => ({
    server: 's',
    tool: name,
    definition: {
      name,
      inputSchema: { type: 'object' },
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
  }));

  it('is created once for each state, and sent as the same bytes', async () => {
    const lists = new ToolListTexts();
    const [one, again, other] = await Promise.all([
      lists.markOf(tools),
      lists.markOf(tools),
      lists.markOf([...tools]),
    ]);
    assert.equal(one, again);
    assert.notEqual(one.name, other?.name);
    const pieces = [1, 2].map((id) => {
      const result = { tools: [one], ttl: 1 };
      return lists.lineOf({ jsonrpc: '2.0', id, result });
    });
    const [first = [], second = []] = pieces;
    assert.equal(first[1], second[1]);
    const line: unknown = JSON.parse(first.map(String).join(''));
    const definitions = tools.map(({ definition }) => definition);
    assert.deepEqual(line, { jsonrpc: '2.0', id: 1, result: { tools: definitions, ttl: 1 } });
  });

  it('cannot be replaced by an answer of a server', async () => {
    const lists = new ToolListTexts();
    await lists.markOf(tools);
    for (const result of [{}, { tools: [] }, { tools: [{ name: 'a' }] }, { tools: 'a' }]) {
      assert.equal(lists.lineOf({ jsonrpc: '2.0', id: 1, result }), undefined);
    }
  });
});

import { AgentTasks } from '../../src/host/agents/agentTasks';
import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import type { AgentCalls } from '../../src/host/agents/agentCall';
import { serveAgent } from '../../src/host/agents/agentServer';
import { AgentBudget, agentBudgetLimits } from '../../src/host/agents/agentLimits';
import { ToolListTexts } from '../../src/host/agents/agentTools';
import { agentTransportLimits } from '../../src/host/agents/agentTransport';
import { connectAgent, eras } from './agentClients';
import { toAgentAnswer } from '../../src/host/agents/agentResult';
import { parseToolResult } from '../../src/core/parse/parseResults';

describe('The result for an agent', () => {
  const annotations = { audience: ['user'], priority: 0.5 };
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png', annotations };
  const link = { type: 'resource_link', uri: 'file:///x', name: 'x', icons: [{ src: 'data:,' }] };
  const inner = { uri: 'file:///y', text: 'y', _meta: { at: 1 } };
  const resource = { type: 'resource', resource: inner, _meta: { from: 'here' } };
  const text = { type: 'text', text: 'a', annotations, _meta: { 'x.org/a': [1, { b: 2 }] } };

  it('is the server’s, with its metadata for each part and the whole', () => {
    const sent = { content: [text, image, link, resource], _meta: { 'x.org/cost': 3 } };
    assert.deepEqual(toAgentAnswer(parseToolResult(sent)), sent);
  });

  for (const era of eras) {
    it(`is unchanged: ${era}`, async () => {
      const sent = { content: [text, image, link, resource], _meta: { 'x.org/cost': 3 } };
      const calls: Pick<AgentCalls, 'list' | 'call'> = {
        list: async () => [],
        call: async () => toAgentAnswer(parseToolResult(sent)),
      };
      const lines: string[] = [];
      const near = new Duplex({
        read: () => undefined,
        write: (chunk, _, done) => {
          lines.push(String(chunk));
          far.push(chunk);
          done();
        },
      });
      const far: Duplex = new Duplex({
        read: () => undefined,
        write: (chunk, _, done) => {
          near.push(chunk);
          done();
        },
      });
      const connection = serveAgent(near, {
        calls: Object(calls),
        tasks: new AgentTasks(),
        path: '/mcp',
        version: '1',
        limits: agentTransportLimits,
        budget: new AgentBudget(agentBudgetLimits),
        lists: new ToolListTexts(),
        onError: () => undefined,
      });
      const robot = await connectAgent(era, far);
      await robot.call('any');
      const results = lines
        .flatMap((each) => each.trim().split('\n'))
        .map((each) => JSON.parse(each));
      const { content, _meta: meta } = results.find(({ result }) => result?.content).result;
      assert.deepEqual(content, sent.content);
      assert.equal(meta['x.org/cost'], 3);
      await robot.close();
      await connection.close();
    });
  }

  it('contains no protocol member in the name of Toolgate', () => {
    const reserved = [
      'io.modelcontextprotocol/serverInfo',
      'mcp.dev/x',
      'a.mcp/y',
      'progressToken',
    ];
    const meta = Object.fromEntries(reserved.map((name) => [name, 1]));
    const sent = { content: [], _meta: { ...meta, 'x.org/mcp': 2 } };
    assert.deepEqual(toAgentAnswer(parseToolResult(sent)), {
      content: [],
      _meta: { 'x.org/mcp': 2 },
    });
  });

  it('has bounded metadata, too, and says so in place', () => {
    const long = { ...text, _meta: { long: 'x'.repeat(300) } };
    const sent = { content: [long, image], _meta: { long: 'x'.repeat(300) } };
    const withheld = (what: string, size: number): object => ({
      type: 'text',
      text: `(Toolgate has withheld ${what} (${size} characters or bytes) of this answer; the person has all of it in the editor.)`,
    });
    assert.deepEqual(toAgentAnswer(parseToolResult(sent), 300), {
      content: [
        { type: 'text', text: 'a' },
        withheld('what the server says of a part', 372),
        image,
        withheld('what the server says of the whole', 311),
      ],
    });
  });
});

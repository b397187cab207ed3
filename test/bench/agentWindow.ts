import { once } from 'node:events';
import { AgentAccess } from '../../src/host/agents/agentAccess';
import { AgentDrafts } from '../../src/host/agents/agentDrafts';
import { AgentEndpoint } from '../../src/host/agents/agentEndpoint';
import { AgentRateLimit, agentFloodLimits } from '../../src/host/agents/agentLimits';
import { ToolSets } from '../../src/host/agents/toolSets';
import { openGate } from './gateSubject';

// The window as the product has it, in a process of its own: `agentWindow.js <folder> <server
// arguments>` serves agents, with the whole gate before a server, until its stdin ends. Prints a line
// when it does.
const [base = '', ...serverArgs] = process.argv.slice(2);

const plenty = { atOnce: 1e12, perSecond: 1e12 };
const unbounded = { messages: plenty, timeMs: plenty };

async function serve(): Promise<void> {
  const subject = await openGate(serverArgs, { base });
  const { gate, registry, rules, pins } = subject;
  const access = new AgentAccess({
    registry,
    exposed: () => ['bare'],
    toolSets: new ToolSets(
      { current: { toolSets: new Map() }, onDidChange: () => ({ dispose: () => undefined }) },
      { get: () => undefined, update: () => Promise.resolve() },
    ),
    rules: () => rules.rules,
    pins,
    isTrusted: () => Promise.resolve(true),
    isAnswered: () => Promise.resolve(true),
    startsOnUse: () => true,
    changes: [],
  });
  const endpoint = await AgentEndpoint.open({
    access,
    gate,
    floods: new AgentRateLimit(() => undefined, { ...agentFloodLimits, calls: Infinity }),
    messages: {
      refused: (_, { kind }) => kind,
      unanswered: () => 'unanswered',
      noSuchTool: () => 'no such tool',
      leftOut: () => 'left out',
      waiting: () => 'waiting',
    },
    answerWithinMs: () => 60_000,
    keep: () => Promise.resolve(),
    drafts: new AgentDrafts(),
    folder: base,
    workspaceFolders: () => Promise.resolve([base]),
    version: '1',
    log: { info: () => undefined, warn: () => undefined },
    // As for the calls: what is measured is what each costs.
    limits: { budget: unbounded, allBudget: unbounded },
  });
  console.log('ready');
  process.stdin.resume();
  await once(process.stdin, 'end');
  await endpoint.close();
  access.dispose();
  await subject.close();
}

serve().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

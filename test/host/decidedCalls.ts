import { riskOf } from '../../src/core/risk';
import type { JsonObject } from '../../src/core/json/jsonValue';
import type { ToolResult } from '../../src/core/types';
import type { CallOutcome, CallQuestion } from '../../src/host/calls/call';
import type { DecidedCall } from '../../src/host/calls/callJournal';
import type { ServerConfig } from '../../src/host/configuration/serverConfig';
import type { ToolEntry } from '../../src/host/connections/snapshot';
import { decide } from '../../src/host/consent/consent';

const config: ServerConfig = {
  id: 'demo',
  label: 'Demo',
  source: { kind: 'setting' },
  transport: { kind: 'stdio', command: 'demo', args: [], env: { TOKEN: 'environment-secret' } },
};

const entry: ToolEntry = {
  serverId: 'demo',
  risk: riskOf({ readOnlyHint: true }),
  tool: {
    name: 'login',
    inputSchema: { type: 'object', properties: { password: { format: 'password' } } },
    annotations: {},
    callable: true,
    problems: [],
  },
};

export function decidedCall(
  callId: string,
  given: JsonObject,
  more: Partial<DecidedCall> = {},
): DecidedCall {
  const decision = decide({ rules: [], suspended: [], pin: { kind: 'known' } });
  const question: CallQuestion = {
    config,
    entry,
    arguments: given,
    argumentsJson: JSON.stringify(given),
    origin: 'api',
    decision,
    offered: [],
  };
  return { callId, question, decision, answer: 'run', secrets: [], ...more };
}

type Finished = Extract<CallOutcome, { kind: 'result' | 'toolError' }>;

export function finishedCall(
  result: Partial<ToolResult> = {},
  more: Partial<Finished> = {},
): Finished {
  return {
    kind: result.isError === true ? 'toolError' : 'result',
    result: { content: [], isError: false, ...result },
    violations: [],
    missingStructuredContent: false,
    entry,
    durationMs: 5,
    ...more,
  };
}

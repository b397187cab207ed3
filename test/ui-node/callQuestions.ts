import type { Tool } from '../../src/core/types';
import type { JsonObject } from '../../src/core/json/jsonValue';
import type { CallQuestion } from '../../src/host/calls/call';
import { decide, type Evidence } from '../../src/host/consent/consent';
import { entryOf } from '../host/treeFixtures';

export function questionOf(
  tool: Tool,
  value: JsonObject | undefined = { message: 'hi' },
  more: Partial<CallQuestion> = {},
): CallQuestion {
  return {
    config: {
      id: 'shop',
      label: 'shop',
      source: { kind: 'setting' },
      transport: { kind: 'stdio', command: 'node', args: ['my server.js', '--x'], env: {} },
    },
    entry: entryOf('shop', tool),
    arguments: value,
    argumentsJson: JSON.stringify(value ?? {}),
    origin: 'palette',
    decision: decisionOf({}),
    offered: [],
    ...more,
  };
}

export function decisionOf(evidence: Partial<Evidence>): CallQuestion['decision'] {
  return decide({ rules: [], suspended: [], pin: { kind: 'known' }, ...evidence });
}

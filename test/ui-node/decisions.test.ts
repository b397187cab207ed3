import assert from 'node:assert/strict';
import { formatDecision } from '../../src/ui/format/formatDecision';

const rule = { kind: 'rule', place: { scope: 'user', index: 1 } } as const;

describe('The reason for a decision about a call', () => {
  const strict = { ...rule, isReadStrictly: true } as const;
  const cases: readonly (readonly [Parameters<typeof formatDecision>[0], string])[] = [
    [{ effect: 'ask', cause: { kind: 'noRule' } }, 'No rule or permission covers this call.'],
    [
      { effect: 'ask', cause: { kind: 'environment' } },
      'The call file uses environment variables in the arguments.',
    ],
    [{ effect: 'allow', cause: rule }, 'Rule 2 in your user settings allows it.'],
    [{ effect: 'ask', cause: rule }, 'Rule 2 in your user settings asks for approval.'],
    [
      { effect: 'deny', cause: strict },
      'Rule 2 in your user settings denies it. Part of that rule cannot be read, so its strictest meaning applies.',
    ],
    [
      { effect: 'ask', cause: { kind: 'pin', pin: 'new' } },
      'The server did not have this tool when you first saw it.',
    ],
    [
      { effect: 'ask', cause: { kind: 'pin', pin: 'changed', fields: ['title', 'inputSchema'] } },
      'The tool has changed since you saw it: title, input schema.',
    ],
    [
      { effect: 'ask', cause: { kind: 'pin', pin: 'unlocked', lockFile: '/w/toolgate.lock.json' } },
      'The tool differs from the one that was reviewed for “/w/toolgate.lock.json”.',
    ],
    [
      { effect: 'ask', cause: { kind: 'unreadable', detail: 'EACCES\u200B' } },
      'The data for the decision could not be read (“EACCES\\u{200B}”).',
    ],
  ];
  for (const [facts, words] of cases) {
    it(words, () => assert.equal(formatDecision(facts), words));
  }
});

import assert from 'node:assert/strict';
import { formatDecision } from '../../src/ui/format/formatDecision';

const rule = { kind: 'rule', place: { scope: 'user', index: 1 } } as const;

describe('Why a call was decided as it was', () => {
  const strict = { ...rule, isReadStrictly: true } as const;
  const cases: readonly (readonly [Parameters<typeof formatDecision>[0], string])[] = [
    [{ effect: 'ask', cause: { kind: 'noRule' } }, 'Asked: no rule or permission covers it.'],
    [
      { effect: 'ask', cause: { kind: 'environment' } },
      'Asked: the file puts values of environment variables into the arguments.',
    ],
    [{ effect: 'allow', cause: rule }, 'Allowed: Rule 2 in your user settings.'],
    [{ effect: 'ask', cause: rule }, 'Asked: Rule 2 in your user settings.'],
    [
      { effect: 'deny', cause: strict },
      'Denied: Rule 2 in your user settings. Part of that rule cannot be read, so it is taken as strictly as it can be meant.',
    ],
    [
      { effect: 'ask', cause: { kind: 'pin', pin: 'new' } },
      'Asked: the server did not have this tool when you saw it first.',
    ],
    [
      { effect: 'ask', cause: { kind: 'pin', pin: 'changed', fields: ['title', 'inputSchema'] } },
      'Asked: the tool is not the one that you saw before; changed: title, input schema.',
    ],
    [
      { effect: 'ask', cause: { kind: 'pin', pin: 'unlocked', lockFile: '/w/toolgate.lock.json' } },
      'Asked: the tool is not the one that was reviewed for “/w/toolgate.lock.json”.',
    ],
    [
      { effect: 'ask', cause: { kind: 'unreadable', detail: 'EACCES\u200B' } },
      'Asked: what the decision needs could not be read (“EACCES\\u{200B}”).',
    ],
  ];
  for (const [facts, words] of cases) {
    it(words, () => assert.equal(formatDecision(facts), words));
  }
});

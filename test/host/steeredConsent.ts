import type { DecidedCall, CallJournal } from '../../src/host/calls/callJournal';
import type { CallOutcome } from '../../src/host/calls/call';
import { Consent } from '../../src/host/consent/consent';
import type {
  CallFacts,
  Effect,
  PinState,
  RuleMatch,
} from '../../src/host/consent/facts/callFacts';
import type { Grant, GrantChoice, SuspendedGrant } from '../../src/host/consent/grants/grant';

export function ruleOf(effect: Effect, index = 0, more: Partial<RuleMatch> = {}): RuleMatch {
  return { effect, place: { scope: 'user', index }, isReadStrictly: false, ...more };
}

export function grantOf(more: Partial<Grant> = {}): Grant {
  return {
    id: 'g',
    scope: 'tool',
    duration: 'session',
    server: 'a',
    serverFingerprint: 's',
    tools: { echo: 't' },
    origin: 'palette',
    createdAt: 0,
    ...more,
  };
}

/** The real consent over evidence that the test lays down; notes what was kept. */
export class SteeredConsent implements CallJournal {
  rules: readonly RuleMatch[] | Error = [];
  grant: Grant | undefined;
  suspended: readonly SuspendedGrant[] = [];
  pin: PinState | Error = { kind: 'known' };
  /** Why the risk that the person set cannot be told. */
  risk: Error | undefined;
  /** Called at each decision, before it is made. */
  onDecide: () => void = () => undefined;
  /** Called at each decision, while it is written down. */
  onRecord: () => Promise<unknown> = () => Promise.resolve();
  /** Whether the journal can be written. */
  journalError: Error | undefined;

  readonly facts: CallFacts[] = [];
  readonly kept: string[] = [];
  readonly problems: unknown[] = [];
  readonly recorded: DecidedCall[] = [];
  readonly outcomes: [callId: string, kind: string][] = [];

  readonly consent = new Consent({
    rules: {
      matching: async (facts) => {
        this.facts.push(facts);
        this.onDecide();
        return orThrow(this.rules);
      },
    },
    grants: {
      covering: async () => ({
        suspended: this.suspended,
        ...(this.grant === undefined ? {} : { grant: this.grant }),
      }),
      remember: async (facts, { scope, duration }, origin, tools) => {
        const names = tools.map(({ tool }) => tool.name);
        if (scope === 'readOnlyTools') throw new Error(`disk full, ${names.length} tools`);
        this.kept.push(`${scope} ${duration} ${facts.entry.tool.name} ${origin}`);
      },
      noteUse: ({ id }) => this.kept.push(`used ${id}`),
    },
    pins: {
      stateOf: async () => orThrow(this.pin),
      accept: async (config, tool) => void this.kept.push(`accepted ${config.id} ${tool.name}`),
    },
    overrides: { effective: async (facts) => orThrow(this.risk ?? facts) },
    offeredGrants: (_, isAskedByRule) => (isAskedByRule ? [] : this.wishes),
    toolsOf: () => [],
    onProblem: (error) => this.problems.push(error),
  });

  readonly wishes: readonly GrantChoice[] = [{ scope: 'tool', duration: 'session' }];

  async decided(call: DecidedCall): Promise<void> {
    if (this.journalError !== undefined) throw this.journalError;
    this.recorded.push(call);
    await this.onRecord();
  }

  async ended(callId: string, _: unknown, { kind }: CallOutcome): Promise<void> {
    this.outcomes.push([callId, kind]);
  }
}

function orThrow<T>(value: T | Error): T {
  if (value instanceof Error) throw value;
  return value;
}

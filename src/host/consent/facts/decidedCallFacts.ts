import type { RiskLevel } from '../../../core/risk';
import type { Effect } from './callFacts';
import type { Asker } from './callOrigin';

/** A call that was decided on before, as far as rules can be held against it. */
export interface DecidedCallFacts {
  /** Epoch ms. */
  readonly at: number;
  /** Id of the server in the configuration. */
  readonly server: string;
  readonly tool: string;
  /** Absent: a person. */
  readonly asker?: Asker;
  /** As it was at the time. */
  readonly risk: {
    readonly level: RiskLevel;
    readonly openWorld: boolean;
    readonly idempotent: boolean;
  };
  /** What was sent or would have been; absent where it was not recorded. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** What was decided, by whatever cause. */
  readonly decision: Effect;
  /** What the rules of the time said, taken alone; absent: no rule applied. */
  readonly ruleEffect?: Effect;
}

import type { RiskLevel } from '../../../core/risk';
import type { Effect, RulePlace } from '../facts/callFacts';
import type { Asker } from '../facts/callOrigin';
import type { Glob } from './glob';
import type { HostPattern } from './hosts';
import type { Pointer } from './pointerPattern';

/** What the settings say, as they are: `undefined` where a scope says nothing. */
export interface RuleSources {
  readonly user: unknown;
  /** Of a remote machine: what sets it up is often a file of the repository. */
  readonly machine?: unknown;
  readonly workspace: unknown;
  readonly folders: readonly { readonly folder: string; readonly value: unknown }[];
}

/** Which settings a rule or a problem stands in; `folder` is a path, for `folder`. */
export type RuleScope = Pick<RulePlace, 'scope' | 'folder'>;

export type Condition =
  | { readonly kind: 'equals'; readonly value: unknown }
  | { readonly kind: 'matches'; readonly pattern: RegExp }
  | { readonly kind: 'startsWith'; readonly text: string }
  | { readonly kind: 'insideWorkspace'; readonly isInside: boolean }
  | { readonly kind: 'hostIn'; readonly hosts: readonly HostPattern[] }
  | { readonly kind: 'exists'; readonly isThere: boolean };

/** What must hold for the values at one place of the arguments. */
export interface PlaceConditions {
  readonly pointer: Pointer;
  readonly conditions: readonly Condition[];
}

/** A rule as it counts: what could not be read of it is gone already, on the strict side. */
export interface Rule {
  readonly effect: Effect;
  readonly place: RulePlace;
  readonly server?: Glob;
  readonly tool?: Glob;
  /** Absent: any. */
  readonly risk?: readonly RiskLevel[];
  /** Absent: an ask or deny fits everybody, an allow everybody but agents. */
  readonly origin?: readonly Asker[];
  readonly when: readonly PlaceConditions[];
  /** As written, untrusted. */
  readonly reason?: string;
  readonly isReadStrictly: boolean;
}

export type RuleProblemCode =
  /** The whole setting is no list: until it is one, every call is asked about. */
  | 'notAList'
  /** More rules than are read; one that denies stands for the rest. */
  | 'tooManyRules'
  | 'notAnObject'
  | 'unknownKey'
  | 'invalidEffect'
  | 'invalidGlob'
  | 'invalidRisk'
  | 'invalidOrigin'
  | 'invalidWhen'
  | 'invalidPointer'
  | 'invalidCondition'
  | 'invalidRegex'
  /** It took too long on the arguments of a call, so that it could not be told. */
  | 'slowRegex'
  | 'invalidHost'
  | 'invalidReason'
  /** Only user settings may allow. */
  | 'allowIgnored'
  // Hints: the rule is fine, and still may not do what its author thinks.
  /** A rule that is as wide, or wider, denies or asks; `detail` is its number, from 1. */
  | 'neverWins'
  | 'noSuchServer'
  | 'noSuchTool'
  | 'noSuchArgument';

/** Something about the rules of one scope, at its place; sentences are made in ui/. */
export interface RuleProblem {
  readonly code: RuleProblemCode;
  /** `error`: it counts otherwise than written; `hint`: it counts as written. */
  readonly severity: 'error' | 'hint';
  readonly scope: RuleScope;
  /** Path below the setting, such as `[2, "when", "/path"]`. */
  readonly path: readonly (string | number)[];
  /** What the rule does because of it; absent for hints. */
  readonly outcome?: RuleOutcome;
  /** Text of the settings, untrusted. */
  readonly detail?: string;
  /** For `neverWins`: the rule that wins. */
  readonly winner?: RulePlace;
}

/** What becomes of a rule with a problem. */
export type RuleOutcome = 'neverAllows' | 'fitsMore' | 'deniesInstead' | 'asksAlways';

/** Tells that something at `path`, below the rule, cannot be read. */
export type Complain = (
  code: RuleProblemCode,
  path: readonly (string | number)[],
  detail?: string,
) => void;

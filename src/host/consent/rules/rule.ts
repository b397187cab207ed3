import type { RiskLevel } from '../../../core/risk';
import type { Effect, RulePlace, Requester } from '../facts/callFacts';
import type { Glob, Pointer } from './glob';
import type { HostPattern } from './hosts';

/** The unparsed settings; `undefined` if a scope has none. */
export interface RuleSources {
  readonly user: unknown;
  /** Settings of a remote machine, which often come from a file in the repository. */
  readonly machine?: unknown;
  readonly workspace: unknown;
  readonly folders: readonly { readonly folder: string; readonly value: unknown }[];
}

/** The settings that contain a rule or a problem; `folder` is a path, for the scope `folder`. */
export type RuleScope = Pick<RulePlace, 'scope' | 'folder'>;

export type Condition =
  | { readonly kind: 'equals'; readonly value: unknown }
  | { readonly kind: 'matches'; readonly pattern: RegExp }
  | { readonly kind: 'startsWith'; readonly text: string }
  | { readonly kind: 'insideWorkspace'; readonly isInside: boolean }
  | { readonly kind: 'hostIn'; readonly hosts: readonly HostPattern[] }
  | { readonly kind: 'exists'; readonly isThere: boolean };

export const ruleKeys: readonly string[] = [
  'effect',
  'server',
  'tool',
  'risk',
  'origin',
  'when',
  'reason',
];
export const conditionKeys: readonly Condition['kind'][] = [
  'equals',
  'matches',
  'startsWith',
  'insideWorkspace',
  'hostIn',
  'exists',
];

/** Conditions for the values at one pointer in the arguments. */
export interface PlaceConditions {
  readonly pointer: Pointer;
  readonly conditions: readonly Condition[];
}

/** A parsed rule. Invalid parts were removed, on the strict side. */
export interface Rule {
  readonly effect: Effect;
  readonly place: RulePlace;
  readonly server?: Glob;
  readonly tool?: Glob;
  /** Defaults to any. */
  readonly risk?: readonly RiskLevel[];
  /** Defaults to all callers for an ask or deny, and to all but agents for an allow. */
  readonly origin?: readonly Requester[];
  readonly when: readonly PlaceConditions[];
  /** As written, untrusted. */
  readonly reason?: string;
  readonly isReadStrictly: boolean;
}

export type RuleProblemCode =
  /** The setting is no list. Until it is one, every call is asked about. */
  | 'notAList'
  /** There are more rules than are read; a rule that denies replaces the rest. */
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
  /** It took too long on the arguments of a call, so its match is unknown. */
  | 'slowRegex'
  | 'invalidHost'
  | 'invalidReason'
  /** Only user settings may allow. */
  | 'allowIgnored'
  // Hints about valid rules that may not do what their author expects.
  /** A rule that is as wide, or wider, denies or asks; `detail` is its number, from 1. */
  | 'neverWins'
  | 'noSuchServer'
  | 'noSuchTool'
  | 'noSuchArgument';

/** A problem with the rules of one scope, with its position. `ui` makes the sentences. */
export interface RuleProblem {
  readonly code: RuleProblemCode;
  /** `error`: the rule is applied differently than written; `hint`: it is applied as written. */
  readonly severity: 'error' | 'hint';
  readonly scope: RuleScope;
  /** Path below the setting, such as `[2, "when", "/path"]`. */
  readonly path: readonly (string | number)[];
  /** The effect of the problem on the rule; undefined for hints. */
  readonly outcome?: RuleOutcome;
  /** Text from the settings, untrusted. */
  readonly detail?: string;
  /** For `neverWins`: the rule that takes precedence. */
  readonly winner?: RulePlace;
}

/** The effect of a problem on its rule. */
export type RuleOutcome = 'neverAllows' | 'fitsMore' | 'deniesInstead' | 'asksAlways';

/** Reports that the value at `path`, below the rule, is invalid. */
export type ReportRuleProblem = (
  code: RuleProblemCode,
  path: readonly (string | number)[],
  detail?: string,
) => void;

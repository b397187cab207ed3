import type { Tool, ToolAnnotations } from './types';

export type RiskLevel = 'readOnly' | 'additive' | 'destructive';
/** The source: the server, the specification's default, or the user. */
export type RiskBasis = 'declared' | 'assumed' | 'overridden';

/** From harmless to harmful, which is the order in all lists. */
export const riskLevels: readonly RiskLevel[] = ['readOnly', 'additive', 'destructive'];

export interface Hint {
  readonly value: boolean;
  readonly basis: RiskBasis;
}

/** The user's own assessment of a tool, which replaces what the server says. */
export interface RiskOverride {
  readonly level: RiskLevel;
  /** Absent to keep the server's value or the default. */
  readonly openWorld?: boolean;
}

export interface Risk {
  readonly level: RiskLevel;
  readonly openWorld: boolean;
  readonly idempotent: boolean;
  /** The basis of `level`. */
  readonly basis: RiskBasis;
  /** The four effective hints, for the tooltip. */
  readonly hints: {
    readonly readOnly: Hint;
    readonly destructive: Hint;
    readonly idempotent: Hint;
    readonly openWorld: Hint;
  };
  /** Annotations that look like hints but have no effect, as the server spells them. Untrusted. */
  readonly ineffective: readonly string[];
}

/** Each is shown as one sentence. */
const maxIneffective = 10;
// Shared by all tools without such annotations.
const nothingIneffective: readonly string[] = Object.freeze([]);

/** Returns the risk of a tool like {@link riskOf}, with the annotations that have no effect. */
export function riskOfTool(
  { annotations, problems }: Pick<Tool, 'annotations' | 'problems'>,
  override?: RiskOverride,
): Risk {
  const ineffective =
    problems.length === 0
      ? nothingIneffective
      : problems
          .filter(({ code }) => code === 'annotationIgnored')
          .slice(0, maxIneffective)
          .map(({ detail = '' }) => detail);
  return riskOf(annotations, override, ineffective);
}

/**
 * Returns the risk of a tool with these annotations. Missing hints have the specification's
 * defaults: not read-only, destructive, not idempotent, open world. `destructiveHint` and
 * `idempotentHint` apply only if the tool is not read-only. The user's override takes
 * precedence. Never throws. The result chooses icons and texts, and which rules about risk match,
 * but not whether to ask.
 */
export function riskOf(
  annotations: ToolAnnotations,
  override?: RiskOverride,
  ineffective: readonly string[] = nothingIneffective,
): Risk {
  const hints = hintsOf(annotations, override);
  const { readOnly, destructive, idempotent, openWorld } = hints;
  return {
    level: readOnly.value ? 'readOnly' : destructive.value ? 'destructive' : 'additive',
    basis: readOnly.value ? readOnly.basis : destructive.basis,
    openWorld: openWorld.value,
    idempotent: idempotent.value,
    hints,
    ineffective,
  };
}

function hintsOf(
  { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }: ToolAnnotations,
  override: RiskOverride | undefined,
): Risk['hints'] {
  const { level, openWorld: world } = override ?? {};
  const readOnly = level === undefined ? hint(readOnlyHint, false) : checked(level === 'readOnly');
  const openWorld = world === undefined ? hint(openWorldHint, true) : checked(world);
  if (readOnly.value) return { readOnly, ...impliedByReadOnly(readOnly.basis), openWorld };
  return {
    readOnly,
    destructive:
      level === undefined ? hint(destructiveHint, true) : checked(level === 'destructive'),
    // The server's hint has no meaning beside `readOnlyHint: true`, even if the level was
    // overridden.
    idempotent: hint(readOnlyHint === true ? undefined : idempotentHint, false),
    openWorld,
  };
}

/** A read-only tool changes nothing, so it is not destructive, and idempotent. */
function impliedByReadOnly(basis: RiskBasis): Pick<Risk['hints'], 'destructive' | 'idempotent'> {
  return { destructive: { value: false, basis }, idempotent: { value: true, basis } };
}

function hint(declared: boolean | undefined, byDefault: boolean): Hint {
  return declared === undefined
    ? { value: byDefault, basis: 'assumed' }
    : { value: declared, basis: 'declared' };
}

function checked(value: boolean): Hint {
  return { value, basis: 'overridden' };
}

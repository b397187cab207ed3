import type { Tool, ToolAnnotations } from './types';

export type RiskLevel = 'readOnly' | 'additive' | 'destructive';
/** How we know: the server said so, the specification's default, or the user decided. */
export type RiskBasis = 'declared' | 'assumed' | 'overridden';

/** Harmless first: the order in which levels are listed wherever they are. */
export const riskLevels: readonly RiskLevel[] = ['readOnly', 'additive', 'destructive'];

export interface Hint {
  readonly value: boolean;
  readonly basis: RiskBasis;
}

/** What the person has found out about a tool; it counts in place of what the server says. */
export interface RiskOverride {
  readonly level: RiskLevel;
  /** Absent: what the server says, or the default, goes on counting. */
  readonly openWorld?: boolean;
}

export interface Risk {
  readonly level: RiskLevel;
  readonly openWorld: boolean;
  readonly idempotent: boolean;
  /** Basis of `level`. */
  readonly basis: RiskBasis;
  /** The four hints as they count, for the tooltip. */
  readonly hints: {
    readonly readOnly: Hint;
    readonly destructive: Hint;
    readonly idempotent: Hint;
    readonly openWorld: Hint;
  };
  /** Annotations that look like hints and have no effect, as the server spells them: untrusted. */
  readonly ineffective: readonly string[];
}

/** One sentence each is more than anybody reads. */
const maxIneffective = 10;
// Most tools have none; a list of ten thousand shares it.
const nothingIneffective: readonly string[] = Object.freeze([]);

/** What calling this tool may do, see {@link riskOf}, with the annotations that have no effect. */
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
 * What calling a tool with these annotations may do. Absent hints take the specification's
 * defaults: not read-only, destructive, not idempotent, open world; `destructiveHint` and
 * `idempotentHint` count only when the tool is not read-only. What the person has set
 * beats both. Never rejects, never trusts: the answer chooses icons and words, and what rules
 * about risk match, not whether to ask.
 */
export function riskOf(
  annotations: ToolAnnotations,
  override?: RiskOverride,
  ineffective: readonly string[] = nothingIneffective,
): Risk {
  const hints =
    override === undefined ? claimedHints(annotations) : checkedHints(annotations, override);
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

function claimedHints(annotations: ToolAnnotations): Risk['hints'] {
  const readOnly = hint(annotations.readOnlyHint, false);
  const openWorld = hint(annotations.openWorldHint, true);
  if (readOnly.value) return { readOnly, ...impliedByReadOnly(readOnly.basis), openWorld };
  return {
    readOnly,
    destructive: hint(annotations.destructiveHint, true),
    idempotent: hint(annotations.idempotentHint, false),
    openWorld,
  };
}

function checkedHints(
  { readOnlyHint, idempotentHint, openWorldHint }: ToolAnnotations,
  { level, openWorld }: RiskOverride,
): Risk['hints'] {
  const readOnly = checked(level === 'readOnly');
  const world = openWorld === undefined ? hint(openWorldHint, true) : checked(openWorld);
  if (readOnly.value) {
    return { readOnly, ...impliedByReadOnly(readOnly.basis), openWorld: world };
  }
  return {
    readOnly,
    destructive: checked(level === 'destructive'),
    // Said beside `readOnlyHint: true` it means nothing, whatever was found out since.
    idempotent: hint(readOnlyHint === true ? undefined : idempotentHint, false),
    openWorld: world,
  };
}

/** A read-only tool changes nothing, so it destroys nothing and calling it again is the same. */
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

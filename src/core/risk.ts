import type { ToolAnnotations } from './types';

export type RiskLevel = 'readOnly' | 'additive' | 'destructive';
/** How we know: the server said so, the specification's default, or the user decided. */
export type RiskBasis = 'declared' | 'assumed' | 'overridden';

export interface Hint {
  readonly value: boolean;
  readonly basis: RiskBasis;
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
}

/**
 * What calling a tool with these annotations may do. Absent hints take the specification's
 * defaults: not read-only, destructive, not idempotent, open world; `destructiveHint` and
 * `idempotentHint` count only when the tool is not read-only. Never rejects, never trusts:
 * the answer chooses icons and words, not whether to ask.
 */
export function riskOf(annotations: ToolAnnotations): Risk {
  const readOnly = hint(annotations.readOnlyHint, false);
  // A read-only tool changes nothing, so it destroys nothing and calling it again is the same.
  const settled: RiskBasis = readOnly.basis;
  const destructive = readOnly.value
    ? { value: false, basis: settled }
    : hint(annotations.destructiveHint, true);
  const idempotent = readOnly.value
    ? { value: true, basis: settled }
    : hint(annotations.idempotentHint, false);
  const openWorld = hint(annotations.openWorldHint, true);

  return {
    level: readOnly.value ? 'readOnly' : destructive.value ? 'destructive' : 'additive',
    basis: readOnly.value ? readOnly.basis : destructive.basis,
    openWorld: openWorld.value,
    idempotent: idempotent.value,
    hints: { readOnly, destructive, idempotent, openWorld },
  };
}

function hint(declared: boolean | undefined, byDefault: boolean): Hint {
  return declared === undefined
    ? { value: byDefault, basis: 'assumed' }
    : { value: declared, basis: 'declared' };
}

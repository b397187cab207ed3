import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import type { Hint, Risk, RiskBasis, RiskLevel } from '../../core/risk';
import { colors } from '../../ids';
import { quoted } from './sentences';

/**
 * Shape and colour both distinguish the levels. An assumed level looks different from a declared
 * one.
 */
export function riskIconFacts(risk: Risk): { readonly icon: string; readonly color: string } {
  switch (risk.level) {
    case 'readOnly':
      return { icon: 'eye', color: colors.readOnly };
    case 'additive':
      return { icon: 'diff-added', color: colors.additive };
    case 'destructive':
      return risk.basis === 'assumed'
        ? { icon: 'warning', color: colors.assumed }
        : { icon: 'flame', color: colors.destructive };
    default:
      return assertNever(risk.level);
  }
}

export function formatLevel(level: RiskLevel): string {
  return {
    readOnly: l10n.t('read-only'),
    additive: l10n.t('adds only'),
    destructive: l10n.t('destructive'),
  }[level];
}

/** Returns the level, and its source if the server did not declare it. */
export function formatRisk(risk: Risk): string {
  return risk.basis === 'declared'
    ? formatLevel(risk.level)
    : l10n.t('{0} ({1})', formatLevel(risk.level), formatBasis(risk.basis));
}

/**
 * Short form for a narrow sidebar; a question mark means that the server did not declare the risk.
 */
export function formatBriefRisk(risk: Risk): string {
  return risk.basis === 'assumed' ? l10n.t('{0}?', formatLevel(risk.level)) : formatRisk(risk);
}

/** Short text for screen readers, for example `destructive, assumed`. */
export function spokenRisk({ level, basis }: Risk): string {
  return basis === 'declared'
    ? formatLevel(level)
    : l10n.t('{0}, {1}', formatLevel(level), formatBasis(basis));
}

/** Says what a tool reaches, and how it is known. */
export function formatWorld({ value, basis }: Hint): string {
  return l10n.t('{0} ({1})', formatReach(value), formatBasis(basis));
}

function formatReach(isOpen: boolean): string {
  return isOpen ? l10n.t('reaches outside systems') : l10n.t('reaches no outside systems');
}

/**
 * Says everything that the icon means and how it is known, in one sentence for dialogs, tooltips
 * and screen readers. A second sentence says if the server declares that the tool may be called
 * again.
 */
export function riskSentence(risk: Risk): string {
  const sentence = l10n.t('{0}; {1}.', levelClause(risk), worldClause(risk));
  // Repeating a call counts as unsafe by default, so only the opposite is said, and not for a
  // read-only tool.
  if (risk.level === 'readOnly' || !risk.idempotent) return sentence;
  return l10n.t('{0} Safe to repeat (declared).', sentence);
}

/** Formats the same in a few words: “Risk: read-only (declared); may reach outside systems”. */
export function riskLine({ level, basis, hints: { openWorld } }: Risk): string {
  const reach =
    openWorld.basis === 'assumed'
      ? l10n.t('may reach outside systems')
      : formatReach(openWorld.value);
  return l10n.t('Risk: {0} ({1}); {2}', formatLevel(level), formatBriefBasis(basis), reach);
}

function formatBriefBasis(basis: RiskBasis): string {
  return basis === 'declared' ? l10n.t('declared') : formatBasis(basis);
}

function levelClause({ level, basis, hints }: Risk): string {
  switch (basis) {
    case 'declared':
      return {
        readOnly: () => l10n.t('Only reads (declared)'),
        additive: () => l10n.t('Adds only; never deletes or overwrites (declared)'),
        destructive: () => l10n.t('Deletes or overwrites (declared)'),
      }[level]();
    // Only the highest risk is ever assumed.
    case 'assumed':
      return hints.readOnly.basis === 'declared'
        ? l10n.t(
            'May delete or overwrite (assumed: the server does not declare how it changes things)',
          )
        : l10n.t('May delete or overwrite (assumed: the server does not declare it)');
    case 'overridden':
      return {
        readOnly: () => l10n.t('Only reads (set by you)'),
        additive: () => l10n.t('Adds only; never deletes or overwrites (set by you)'),
        destructive: () => l10n.t('Deletes or overwrites (set by you)'),
      }[level]();
    default:
      return assertNever(basis);
  }
}

/** Says what it reaches, as text after {@link levelClause}. */
function worldClause({ hints: { openWorld } }: Risk): string {
  switch (openWorld.basis) {
    case 'declared':
      return openWorld.value
        ? l10n.t('reaches outside systems, such as the network (declared)')
        : l10n.t('reaches no outside systems (declared)');
    case 'assumed':
      return l10n.t('may reach outside systems (assumed)');
    case 'overridden':
      return openWorld.value
        ? l10n.t('reaches outside systems, such as the network (set by you)')
        : l10n.t('reaches no outside systems (set by you)');
    default:
      return assertNever(openWorld.basis);
  }
}

interface HintLine {
  /** The specification's name, or an unknown one as the server spells it, shortened. */
  readonly hint: string;
  readonly text: string;
}

/**
 * Returns the four effective hints, each with its value and source, then other
 * annotations of the server, which have no effect.
 */
export function hintLines(risk: Risk): readonly HintLine[] {
  const { readOnly, destructive, idempotent, openWorld } = risk.hints;
  const implied = (hint: Hint): string =>
    readOnly.value
      ? l10n.t('{0} (follows from read-only)', formatValue(hint.value))
      : formatHint(hint);
  return [
    { hint: 'readOnlyHint', text: formatHint(readOnly) },
    { hint: 'destructiveHint', text: implied(destructive) },
    { hint: 'idempotentHint', text: implied(idempotent) },
    { hint: 'openWorldHint', text: formatHint(openWorld) },
    ...risk.ineffective.map((name) => ({ hint: quoted(name), text: formatIneffective(name) })),
  ];
}

const hintNames = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

/** Explains why the server's annotation of this name has no effect. */
function formatIneffective(name: string): string {
  if (hintNames.includes(name)) {
    return l10n.t('has no effect because it is neither true nor false');
  }
  const bare = bareName(name);
  const meant = hintNames.find((each) => bareName(each) === bare);
  return meant === undefined
    ? l10n.t('has no effect; MCP has no such annotation')
    : l10n.t('has no effect; the MCP annotation is “{0}”', meant);
}

/** Reduces `read_only`, `Read-Only-Hint` and `readonlyHint` to the same name. */
function bareName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '').replace(/hint$/, '');
}

function formatHint(hint: Hint): string {
  return l10n.t('{0} ({1})', formatValue(hint.value), formatBasis(hint.basis));
}

function formatValue(value: boolean): string {
  return value ? l10n.t('yes') : l10n.t('no');
}

function formatBasis(basis: RiskBasis): string {
  return {
    declared: l10n.t('declared by the server'),
    assumed: l10n.t('assumed'),
    overridden: l10n.t('set by you'),
  }[basis];
}

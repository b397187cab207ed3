import { l10n, ThemeColor, ThemeIcon } from 'vscode';
import { assertNever } from '../../core/errors';
import type { Hint, Risk, RiskBasis, RiskLevel } from '../../core/risk';
import { colors } from '../../ids';

/** Shape and colour both tell the levels apart; an assumed one looks different from a declared. */
export function riskIcon(risk: Risk): ThemeIcon {
  switch (risk.level) {
    case 'readOnly':
      return new ThemeIcon('eye', new ThemeColor(colors.readOnly));
    case 'additive':
      return new ThemeIcon('diff-added', new ThemeColor(colors.additive));
    case 'destructive':
      return risk.basis === 'assumed'
        ? new ThemeIcon('warning', new ThemeColor(colors.assumed))
        : new ThemeIcon('flame', new ThemeColor(colors.destructive));
    default:
      return assertNever(risk.level);
  }
}

export function levelWords(level: RiskLevel): string {
  switch (level) {
    case 'readOnly':
      return l10n.t('read-only');
    case 'additive':
      return l10n.t('adds only');
    case 'destructive':
      return l10n.t('destructive');
    default:
      return assertNever(level);
  }
}

/** Level and, where it was not declared, how we know. */
export function riskWords(risk: Risk): string {
  return risk.basis === 'declared'
    ? levelWords(risk.level)
    : l10n.t('{0} ({1})', levelWords(risk.level), basisWords(risk.basis));
}

/** For a narrow sidebar: a question mark says that the server did not declare it. */
export function briefRiskWords(risk: Risk): string {
  return risk.basis === 'assumed' ? l10n.t('{0}?', levelWords(risk.level)) : levelWords(risk.level);
}

/** Everything that the icon means, for dialogs and screen readers: whole sentences. */
export function riskSentence(risk: Risk): string {
  return [
    levelSentence(risk),
    ...repetitionSentence(risk),
    worldSentence(risk.hints.openWorld),
  ].join(' ');
}

export interface HintLine {
  /** The specification's own name. */
  readonly hint: string;
  readonly words: string;
}

/** The four hints as they count, each with its value and how we know. */
export function hintLines(risk: Risk): readonly HintLine[] {
  const { readOnly, destructive, idempotent, openWorld } = risk.hints;
  const implied = (hint: Hint): string =>
    readOnly.value
      ? l10n.t('{0} (follows from read-only)', valueWords(hint.value))
      : hintWords(hint);
  return [
    { hint: 'readOnlyHint', words: hintWords(readOnly) },
    { hint: 'destructiveHint', words: implied(destructive) },
    { hint: 'idempotentHint', words: implied(idempotent) },
    { hint: 'openWorldHint', words: hintWords(openWorld) },
  ];
}

function hintWords(hint: Hint): string {
  return l10n.t('{0} ({1})', valueWords(hint.value), basisWords(hint.basis));
}

function valueWords(value: boolean): string {
  return value ? l10n.t('yes') : l10n.t('no');
}

function basisWords(basis: RiskBasis): string {
  switch (basis) {
    case 'declared':
      return l10n.t('declared by the server');
    case 'assumed':
      return l10n.t('assumed');
    case 'overridden':
      return l10n.t('set by you');
    default:
      return assertNever(basis);
  }
}

function levelSentence({ level, basis }: Risk): string {
  switch (level) {
    case 'readOnly':
      return byBasis(basis, {
        declared: () => l10n.t('Read-only: the server says that this tool changes nothing.'),
        assumed: () => l10n.t('Read-only: it is assumed that this tool changes nothing.'),
        overridden: () => l10n.t('Read-only: you set that this tool changes nothing.'),
      });
    case 'additive':
      return byBasis(basis, {
        declared: () =>
          l10n.t('Adds only: the server says that this tool deletes and overwrites nothing.'),
        assumed: () =>
          l10n.t('Adds only: it is assumed that this tool deletes and overwrites nothing.'),
        overridden: () =>
          l10n.t('Adds only: you set that this tool deletes and overwrites nothing.'),
      });
    case 'destructive':
      return byBasis(basis, {
        declared: () =>
          l10n.t('Destructive: the server says that this tool may delete or overwrite.'),
        assumed: () =>
          l10n.t(
            'Destructive: the server says nothing, so assume that it may delete or overwrite.',
          ),
        overridden: () => l10n.t('Destructive: you set that this tool may delete or overwrite.'),
      });
    default:
      return assertNever(level);
  }
}

/** Said only where it is good news that somebody gave: repeating is unsafe unless said otherwise. */
function repetitionSentence(risk: Risk): string[] {
  if (risk.level === 'readOnly' || !risk.idempotent) return [];
  return [l10n.t('Repeating a call with the same arguments changes nothing more.')];
}

function worldSentence({ value, basis }: Hint): string {
  if (value) {
    return byBasis(basis, {
      declared: () => l10n.t('May reach outside systems (declared by the server).'),
      assumed: () => l10n.t('May reach outside systems (assumed).'),
      overridden: () => l10n.t('May reach outside systems (set by you).'),
    });
  }
  return byBasis(basis, {
    declared: () => l10n.t('Reaches no outside systems, the server says.'),
    assumed: () => l10n.t('Reaches no outside systems (assumed).'),
    overridden: () => l10n.t('Reaches no outside systems (set by you).'),
  });
}

function byBasis(basis: RiskBasis, sentences: Record<RiskBasis, () => string>): string {
  return sentences[basis]();
}

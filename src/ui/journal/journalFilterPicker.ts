import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../core/visibleText';
import { answerOf, createPicker } from '../editor/picker';
import { quoted } from '../format/sentences';
import {
  decisionKinds,
  noJournalFilter,
  outcomeKinds,
  sinceKinds,
  type JournalFilter,
} from './journalFilter';
import type { JournalChoices } from './journalView';
import {
  formatAnyOrigin,
  formatDecisionKind,
  formatOutcomeKind,
  formatSince,
} from './formatJournalRow';

interface FilterItem extends vscode.QuickPickItem {
  /** A filter with only this condition. Absent for headings. */
  readonly part?: Partial<JournalFilter>;
}

/**
 * Asks for the filter; several conditions can be checked. Resolves with `undefined` if nothing
 * changes.
 */
export async function pickJournalFilter(
  before: JournalFilter,
  choices: JournalChoices,
): Promise<JournalFilter | undefined> {
  const items = filterItems(before, choices);
  const pick = createPicker<FilterItem>({
    title: l10n.t('Filter Audit Journal'),
    placeholder: l10n.t('Check nothing to show everything'),
    canSelectMany: true,
    items,
    selectedItems: items.filter(({ part }) => part !== undefined && isIn(part, before)),
    buttons: [{ iconPath: new vscode.ThemeIcon('clear-all'), tooltip: l10n.t('Clear Filter') }],
  });
  let since = before.since;
  pick.onDidChangeSelection((selected) => {
    // Only one start time makes sense, so the last checked one is used.
    const all = selected.flatMap(({ part }) => part?.since ?? []);
    const newest = all.find((each) => each !== since);
    if (all.length > 1) {
      pick.selectedItems = selected.filter(
        ({ part }) => part?.since === undefined || part.since === newest,
      );
    }
    since = all.length > 1 ? newest : all[0];
  });
  return answerOf(pick, {
    accept: () => filterOf(pick.selectedItems),
    button: () => void (pick.selectedItems = []),
  });
}

function filterItems(before: JournalFilter, choices: JournalChoices): FilterItem[] {
  return [
    heading(l10n.t('Decision')),
    ...decisionKinds.map((each) => ({
      label: formatDecisionKind(each),
      part: { decisions: [each] },
    })),
    heading(l10n.t('Outcome')),
    ...outcomeKinds.map((each) => ({
      label: formatOutcomeKind(each),
      part: { outcomes: [each] },
    })),
    heading(l10n.t('Since')),
    ...sinceKinds.map((each) => ({ label: formatSince(each), part: { since: each } })),
    heading(l10n.t('Server')),
    ...union(before.servers, choices.servers).map((each) => ({
      label: escapeIcons(quoted(each)),
      part: { servers: [each] },
    })),
    heading(l10n.t('Tool')),
    ...union(before.tools, choices.tools).map((each) => ({
      label: escapeIcons(quoted(each)),
      part: { tools: [each] },
    })),
    heading(l10n.t('Origin')),
    ...union(before.origins, choices.origins).map((each) => ({
      label: formatAnyOrigin(each),
      part: { origins: [each] },
    })),
  ];
}

function heading(label: string): FilterItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** Values of the current filter are listed even if no entry has them. */
function union(filtered: readonly string[], known: readonly string[]): readonly string[] {
  return [...new Set([...filtered, ...known])];
}

function isIn(part: Partial<JournalFilter>, filter: JournalFilter): boolean {
  return (
    has(part.servers, filter.servers) &&
    has(part.tools, filter.tools) &&
    has(part.decisions, filter.decisions) &&
    has(part.outcomes, filter.outcomes) &&
    has(part.origins, filter.origins) &&
    (part.since === undefined || part.since === filter.since)
  );
}

/** An empty condition is contained in every filter. */
function has(some: readonly string[] | undefined, all: readonly string[]): boolean {
  return some?.every((each) => all.includes(each)) ?? true;
}

function filterOf(selected: readonly FilterItem[]): JournalFilter {
  const parts = selected.flatMap(({ part }) => part ?? []);
  const since = parts.find((part) => part.since !== undefined)?.since;
  return {
    ...noJournalFilter,
    servers: parts.flatMap(({ servers }) => servers ?? []),
    tools: parts.flatMap(({ tools }) => tools ?? []),
    decisions: parts.flatMap(({ decisions }) => decisions ?? []),
    outcomes: parts.flatMap(({ outcomes }) => outcomes ?? []),
    origins: parts.flatMap(({ origins }) => origins ?? []),
    ...(since === undefined ? {} : { since }),
  };
}

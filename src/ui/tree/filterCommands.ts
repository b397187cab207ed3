import * as vscode from 'vscode';
import { commands } from '../../ids';
import { answerOf, createPicker } from '../editor/picker';
import type { ServerTreeView } from './serverTreeView';
import { type ToolFilterState, formatToolCount, formatClosedWorld } from './toolFilterState';
import * as l10n from '@vscode/l10n';
import { type RiskLevel, riskLevels } from '../../core/risk';
import { formatLevel } from '../format/formatRisk';
import { noFilter, type ToolFilter } from '../picking/toolFilter';

export function registerFilterCommands(
  filter: ToolFilterState,
  view: ServerTreeView,
): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commands.filterTools, () =>
      pickToolFilter(filter, () => view.tree.model.totals()),
    ),
    vscode.commands.registerCommand(commands.clearFilter, () => filter.clear()),
  );
}

interface RestrictionItem extends vscode.QuickPickItem {
  readonly restriction: RiskLevel | 'closedWorld';
}

/**
 * Asks for the filter: the typed text searches the tools, the checked items restrict their risk.
 * The tree follows immediately. Enter keeps the filter; Esc restores the previous one.
 */
export async function pickToolFilter(
  state: ToolFilterState,
  totals: () => { readonly shown: number; readonly all: number },
): Promise<void> {
  const before = state.current;
  const clearButton = {
    iconPath: new vscode.ThemeIcon('clear-all'),
    tooltip: l10n.t('Clear Filter'),
  };
  const pick = createPicker<RestrictionItem>({
    canSelectMany: true,
    // The user may look at the tree and scroll it meanwhile.
    ignoreFocusOut: true,
    placeholder: l10n.t('Enter words of a tool, or check risks'),
    items: restrictionItems(),
    buttons: [clearButton],
  });
  const shown = (): ToolFilter => filterOf(pick.value, pick.selectedItems);
  const preview = (): void => {
    state.preview(shown());
    const { shown: count, all } = totals();
    pick.title = l10n.t('Filter Tools: {0}', formatToolCount(count, all));
  };
  const show = (filter: ToolFilter): undefined => {
    pick.value = filter.text;
    pick.selectedItems = pick.items.filter(({ restriction }) =>
      restriction === 'closedWorld' ? filter.closedWorldOnly : filter.levels.has(restriction),
    );
    preview();
  };
  show(before);
  pick.onDidChangeValue(preview);
  pick.onDidChangeSelection(preview);
  const chosen = await answerOf(pick, { accept: shown, button: () => show(noFilter) });
  if (chosen === undefined) state.preview(before);
  else await state.set(chosen);
}

/** The items are always shown: the typed text searches tools, not these items. */
function restrictionItems(): RestrictionItem[] {
  const levels = riskLevels.map((level) => ({
    label: formatLevel(level),
    restriction: level,
    alwaysShow: true,
  }));
  const closedWorld = {
    label: formatClosedWorld(),
    description: l10n.t('no outside systems, declared or set by you'),
    restriction: 'closedWorld' as const,
    alwaysShow: true,
  };
  return [...levels, closedWorld];
}

function filterOf(text: string, checked: readonly RestrictionItem[]): ToolFilter {
  const restrictions = new Set(checked.map(({ restriction }) => restriction));
  return {
    text,
    levels: new Set(riskLevels.filter((level) => restrictions.has(level))),
    closedWorldOnly: restrictions.has('closedWorld'),
  };
}

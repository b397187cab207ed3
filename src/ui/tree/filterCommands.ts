import * as vscode from 'vscode';
import { commands } from '../../ids';
import type { ServerTreeView } from './serverTreeView';
import type { ToolFilterState } from './toolFilterState';
import * as l10n from '@vscode/l10n';
import { type RiskLevel, riskLevels } from '../../core/risk';
import { formatLevel } from '../format/formatRisk';
import { formatToolCount, formatClosedWorld } from './formatToolFilter';
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
  const pick = vscode.window.createQuickPick<RestrictionItem>();
  const clearButton = {
    iconPath: new vscode.ThemeIcon('clear-all'),
    tooltip: l10n.t('Clear Filter'),
  };
  const show = (filter: ToolFilter): void => {
    pick.value = filter.text;
    pick.selectedItems = pick.items.filter(({ restriction }) =>
      restriction === 'closedWorld' ? filter.closedWorldOnly : filter.levels.has(restriction),
    );
  };
  const preview = (): void => {
    state.preview(filterOf(pick.value, pick.selectedItems));
    const { shown, all } = totals();
    pick.title = l10n.t('Filter Tools: {0}', formatToolCount(shown, all));
  };
  pick.canSelectMany = true;
  // The user may look at the tree and scroll it meanwhile.
  pick.ignoreFocusOut = true;
  pick.placeholder = l10n.t('Enter words of a tool, or check risks');
  pick.items = restrictionItems();
  pick.buttons = [clearButton];
  show(before);
  preview();

  let isKept = false;
  const subscriptions = [
    pick.onDidChangeValue(preview),
    pick.onDidChangeSelection(preview),
    pick.onDidTriggerButton(() => {
      show(noFilter);
      preview();
    }),
    pick.onDidAccept(() => {
      isKept = true;
      pick.hide();
    }),
  ];
  try {
    await new Promise<void>((resolve) => {
      subscriptions.push(pick.onDidHide(resolve));
      pick.show();
    });
    if (isKept) await state.set(filterOf(pick.value, pick.selectedItems));
    else state.preview(before);
  } finally {
    for (const subscription of subscriptions) subscription.dispose();
    pick.dispose();
  }
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

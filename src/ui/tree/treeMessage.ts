import * as l10n from '@vscode/l10n';
import { workspace } from 'vscode';
import { formatSetName, formatToolFilter } from './formatToolFilter';
import type { ShownSet } from './serverTree';
import { formatToolCount } from './formatToolFilter';
import type { ToolFilterState } from './toolFilterState';
import type { TreeModel } from './treeModel';

/** What stands above the tree: why nothing starts, and what is left out of it. Empty: nothing. */
export function treeMessage(
  model: TreeModel,
  filter: Pick<ToolFilterState, 'current' | 'isFiltering'>,
  toolSets: Pick<ShownSet, 'chosen' | 'sets'>,
): string {
  // The empty state says it itself.
  const isRestricted = !workspace.isTrusted && model.roots().length > 0;
  const { shown, all } = model.totals();
  const count = formatToolCount(shown, all);
  return [
    ...(isRestricted
      ? [l10n.t('Restricted Mode: servers cannot start until you trust this workspace.')]
      : []),
    ...setMessage(toolSets, count),
    ...(filter.isFiltering
      ? [l10n.t('Filter: {0} · {1}', formatToolFilter(filter.current), count)]
      : []),
  ].join(' ');
}

function setMessage(
  { chosen, sets }: Pick<ShownSet, 'chosen' | 'sets'>,
  count: string,
): readonly string[] {
  if (chosen === undefined) return [];
  const name = formatSetName(chosen);
  return sets.has(chosen)
    ? [l10n.t('Tool set: {0} · {1}', name, count)]
    : [l10n.t('Tool set “{0}” no longer exists, so no tool is shown.', name)];
}

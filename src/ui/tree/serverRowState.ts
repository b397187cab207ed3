import { TreeItemCollapsibleState } from 'vscode';
import { maxOpenedTogether } from './rowBurst';
import type { TreeModel } from './treeModel';
import type { ServerRow } from './treeRows';

/** More tools than this wait for the person to open their server. */
const maxExpandedTools = 100;

/** Problems and a short list of tools are open from the start, so that they are seen. */
export function serverCollapsibleState(row: ServerRow, model: TreeModel): TreeItemCollapsibleState {
  const children = model.children(row);
  if (children.length === 0) return TreeItemCollapsibleState.None;
  // Opening it starts a program, so that is the person's to do.
  if (children.some(({ kind }) => kind === 'toStart')) return TreeItemCollapsibleState.Collapsed;
  return model.shownTools(row.serverId) > maxExpandedTools
    ? TreeItemCollapsibleState.Collapsed
    : TreeItemCollapsibleState.Expanded;
}

/** VS Code opens a row by its item when it first draws it: of many at once none. */
export function drawnState(row: ServerRow, model: TreeModel): TreeItemCollapsibleState {
  const state = serverCollapsibleState(row, model);
  if (state !== TreeItemCollapsibleState.Expanded) return state;
  return isCrowded(model) ? TreeItemCollapsibleState.Collapsed : state;
}

/** Whether more servers have something to show than rows open by themselves. */
function isCrowded(model: TreeModel): boolean {
  let count = 0;
  return model.servers.some(({ state }) => {
    if (state.kind !== 'stopped') count += 1;
    return count > maxOpenedTogether;
  });
}

import type { TreeItemCollapsibleState } from 'vscode';
import type { Server } from '../../host/connections/snapshot';
import { maxOpenedTogether } from './autoExpand';
import type { Row } from './treeRows';

/** More tools than this wait for the person to open their server. */
const maxExpandedTools = 100;

/** Whether there is something below a row, and whether it is open; by the names of VS Code. */
export type Opening = keyof typeof TreeItemCollapsibleState;

/** Problems and a short list of tools are open from the start, so that they are seen. */
export function openingOf(
  children: readonly Row[],
  shownTools: number,
  isLastKnown = false,
): Opening {
  if (children.length === 0) return 'None';
  // Opening it starts a program, so that is the person's to do.
  if (children.some(({ kind }) => kind === 'toStart')) return 'Collapsed';
  if (isLastKnown) return 'Collapsed';
  return shownTools > maxExpandedTools ? 'Collapsed' : 'Expanded';
}

/** VS Code opens a row by its item when it first draws it: of many at once none. */
export function firstOpening(opening: Opening, servers: readonly Server[]): Opening {
  return opening === 'Expanded' && isCrowded(servers) ? 'Collapsed' : opening;
}

/** Whether more servers have something to show than rows open by themselves. */
function isCrowded(servers: readonly Server[]): boolean {
  let count = 0;
  return servers.some(({ state }) => {
    if (state.kind !== 'stopped') count += 1;
    return count > maxOpenedTogether;
  });
}

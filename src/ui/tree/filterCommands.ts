import * as vscode from 'vscode';
import { commands } from '../../ids';
import type { ServerTreeView } from './serverTreeView';
import { pickToolFilter } from './toolFilterPicker';
import type { ToolFilterState } from './toolFilterState';

/** Filter Tools… and Clear Filter. */
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

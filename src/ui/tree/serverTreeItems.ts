import { l10n, ThemeColor, ThemeIcon, TreeItem, TreeItemCollapsibleState } from 'vscode';
import { assertNever } from '../../core/errors';
import type { Server, ServerState, ToolEntry } from '../../host/connections/snapshot';
import { contextValues } from '../../ids';
import { problemWords } from './problemWords';
import { briefRiskWords, riskIcon, riskSentence } from '../words/riskWords';
import { quoted } from '../words/sentences';
import { matchRanges } from './toolFilter';
import { toolNameText, toolTitle } from '../words/toolTitle';
import type { TreeModel } from './treeModel';
import type { GroupRow, NoMatchRow, ProblemRow, Row, ServerRow, ToolRow } from './treeRows';

/** More tools than this wait for the person to open their server. */
const maxExpandedTools = 100;

/** How one row looks. Tooltip and command are made when they are asked for, not for every row. */
export function toTreeItem(row: Row, model: TreeModel): TreeItem {
  const item = itemOf(row, model);
  item.id = row.key;
  return item;
}

function itemOf(row: Row, model: TreeModel): TreeItem {
  switch (row.kind) {
    case 'server':
      return serverItem(row, model);
    case 'group':
      return groupItem(row, model);
    case 'tool':
      return toolItem(row, model);
    case 'problem':
      return problemItem(row, model);
    case 'noMatch':
      return noMatchItem(row);
    default:
      return assertNever(row);
  }
}

function serverItem(row: ServerRow, model: TreeModel): TreeItem {
  const server = model.server(row);
  // It may have been removed since the view asked for its row; the next refresh takes it away.
  if (server === undefined) return new TreeItem(quoted(row.serverId));
  const label = quoted(server.config.label);
  const item = new TreeItem(label, serverCollapsibleState(row, model));
  const description = serverWords(server, model.shownTools(row.serverId)).join(' · ');
  item.description = description;
  item.iconPath = stateIcon(server.state);
  item.contextValue = stateContextValue(server.state);
  item.accessibilityInformation = { label: l10n.t('Server {0}: {1}', label, description) };
  return item;
}

/** Problems and a short list of tools are open from the start, so that they are seen. */
export function serverCollapsibleState(row: ServerRow, model: TreeModel): TreeItemCollapsibleState {
  if (model.children(row).length === 0) return TreeItemCollapsibleState.None;
  return model.shownTools(row.serverId) > maxExpandedTools
    ? TreeItemCollapsibleState.Collapsed
    : TreeItemCollapsibleState.Expanded;
}

/** State in words, and what there is to see: at most two short parts for a narrow sidebar. */
function serverWords({ state, tools }: Server, shown: number): string[] {
  switch (state.kind) {
    case 'stopped':
      return [l10n.t('stopped')];
    case 'starting':
      return [l10n.t('starting…')];
    case 'failed':
      return [l10n.t('failed')];
    case 'running':
      return [toolCountWords(shown, tools.length), state.revision];
    default:
      return assertNever(state);
  }
}

/** `12 tools`, or `3 of 12 tools` while a filter leaves some out. */
export function toolCountWords(shown: number, all: number): string {
  if (shown !== all) return l10n.t('{0} of {1} tools', shown, all);
  return all === 1 ? l10n.t('1 tool') : l10n.t('{0} tools', all);
}

function stateIcon(state: ServerState): ThemeIcon {
  switch (state.kind) {
    case 'stopped':
      return new ThemeIcon('vm-outline');
    case 'starting':
      return new ThemeIcon('loading~spin');
    case 'running':
      return new ThemeIcon('vm-running', new ThemeColor('testing.iconPassed'));
    case 'failed':
      return new ThemeIcon('error', new ThemeColor('problemsErrorIcon.foreground'));
    default:
      return assertNever(state);
  }
}

function stateContextValue(state: ServerState): string {
  switch (state.kind) {
    case 'stopped':
      return contextValues.serverStopped;
    case 'starting':
      return contextValues.serverStarting;
    case 'running':
      return contextValues.serverRunning;
    case 'failed':
      return contextValues.serverFailed;
    default:
      return assertNever(state);
  }
}

function groupItem(row: GroupRow, model: TreeModel): TreeItem {
  const { first, last } = model.groupBounds(row);
  const item = new TreeItem(
    l10n.t('Tools {0} to {1}', first, last),
    TreeItemCollapsibleState.Collapsed,
  );
  const names = [model.children(row).at(0), model.children(row).at(-1)];
  item.description = names
    .map((tool) => (tool?.kind === 'tool' ? quoted(tool.toolName) : ''))
    .join(' … ');
  item.iconPath = new ThemeIcon('list-unordered');
  return item;
}

function toolItem(row: ToolRow, model: TreeModel): TreeItem {
  const entry = model.entry(row);
  if (entry === undefined) return new TreeItem(quoted(row.toolName));
  const title = toolTitle(entry.tool) || l10n.t('(no name)');
  const highlights = matchRanges(title, model.words);
  const item = new TreeItem(highlights.length === 0 ? title : { label: title, highlights });
  const { callable } = entry.tool;
  item.description = toolWords(entry, title).join(' · ');
  item.iconPath = callable ? riskIcon(entry.risk) : brokenIcon();
  item.contextValue = callable ? contextValues.tool : contextValues.brokenTool;
  item.accessibilityInformation = {
    label: callable
      ? l10n.t('Tool {0}. {1}', title, riskSentence(entry.risk))
      : l10n.t('Tool {0}. Cannot be called: its definition is not usable.', title),
  };
  return item;
}

/** Risk first, because a narrow sidebar cuts the end; the name where the title is another. */
function toolWords({ tool, risk }: ToolEntry, title: string): string[] {
  const name = toolNameText(tool);
  const words = tool.callable ? briefRiskWords(risk) : l10n.t('not callable');
  return name === title || name === '' ? [words] : [words, name];
}

function brokenIcon(): ThemeIcon {
  return new ThemeIcon('circle-slash', new ThemeColor('problemsWarningIcon.foreground'));
}

function problemItem(row: ProblemRow, model: TreeModel): TreeItem {
  const { title, brief, sentence, isFatal } = problemWords(row, model.server(row));
  const item = new TreeItem(title);
  item.description = brief;
  item.iconPath = isFatal
    ? new ThemeIcon('error', new ThemeColor('problemsErrorIcon.foreground'))
    : new ThemeIcon('warning', new ThemeColor('problemsWarningIcon.foreground'));
  item.contextValue = contextValues.problem;
  item.accessibilityInformation = { label: l10n.t('Problem: {0}', sentence) };
  return item;
}

function noMatchItem(_row: NoMatchRow): TreeItem {
  const item = new TreeItem(l10n.t('No tool matches the filter'));
  item.description = l10n.t('Clear Filter');
  item.iconPath = new ThemeIcon('filter');
  item.accessibilityInformation = {
    label: l10n.t('No tool matches the filter. Press Enter to clear it.'),
  };
  return item;
}

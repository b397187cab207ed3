import { env, l10n, ThemeColor, ThemeIcon, TreeItem, TreeItemCollapsibleState } from 'vscode';
import { assertNever } from '../../core/errors';
import { resourceTreeItem } from './resourceItems';
import { hidesCharacters } from '../../core/toolProblems';
import type { Server, ServerState, ToolEntry } from '../../host/connections/snapshot';
import { contextValues } from '../../ids';
import { markUri } from '../consent/toolChanges/toolChangeDecorations';
import {
  changeCountWords,
  changeSentence,
  changeWord,
  mainChange,
} from '../consent/toolChanges/toolChangeWords';
import { rowId } from '../editor/ownArguments';
import { disabledUri } from './disabledDecorations';
import { problemWords } from './problemWords';
import { restartWords } from '../words/processWords';
import { serverStartWords } from '../words/serverStateWords';
import { briefRiskWords, riskIcon, riskSentence } from '../words/riskWords';
import { machineWord } from '../words/machineWords';
import { quoted } from '../words/sentences';
import { sourceWords } from '../words/sentencesOfProblems';
import { drawnState } from './serverRowState';
import { matchRanges } from '../picking/toolFilter';
import { toolNameText, toolTitle } from '../words/toolTitle';
import type { TreeModel } from './treeModel';
import type {
  GoneRow,
  GroupRow,
  NoMatchRow,
  OriginRow,
  ProblemRow,
  Row,
  ServerRow,
  ToolRow,
} from './treeRows';

/** How one row looks. Tooltip and command are made when they are asked for, not for every row. */
export function toTreeItem(row: Row, model: TreeModel): TreeItem {
  const item = itemOf(row, model);
  item.id = rowId(row.key);
  return item;
}

function itemOf(row: Row, model: TreeModel): TreeItem {
  switch (row.kind) {
    case 'origin':
      return originItem(row, model);
    case 'server':
      return serverItem(row, model);
    case 'group':
      return groupItem(row, model);
    case 'tool':
      return toolItem(row, model);
    case 'gone':
      return goneItem(row, model);
    case 'problem':
      return problemItem(row, model);
    case 'noMatch':
      return noMatchItem(row);
    case 'toStart':
      return toStartItem();
    case 'resources':
    case 'resourceGroup':
    case 'resource':
    case 'template':
    case 'resourceNote':
      return resourceTreeItem(row, model.resourceLook);
    default:
      return assertNever(row);
  }
}

function originItem(row: OriginRow, model: TreeModel): TreeItem {
  const item = new TreeItem(sourceWords(row.source), TreeItemCollapsibleState.Expanded);
  const { length } = model.children(row);
  item.description = length === 1 ? l10n.t('1 server') : l10n.t('{0} servers', length);
  item.iconPath = new ThemeIcon('path' in row.source ? 'json' : 'settings-gear');
  return item;
}

function serverItem(row: ServerRow, model: TreeModel): TreeItem {
  const server = model.server(row);
  // It may have been removed since the view asked for its row; the next refresh takes it away.
  if (server === undefined) return new TreeItem(quoted(row.serverId));
  const label = quoted(server.config.label);
  const item = new TreeItem(label, drawnState(row, model));
  const marks = model.marks(row.serverId);
  const changes = changeCountWords(marks);
  const words = serverWords(server, model.shownTools(row.serverId));
  // First, because a narrow sidebar cuts the end.
  const machine = server.config.reach.kind === 'stdio' ? machineWord(env.remoteName) : undefined;
  const description = [
    ...(changes === '' ? [] : [changes]),
    ...words,
    ...(machine === undefined ? [] : [machine]),
  ].join(' · ');
  item.description = description;
  if (changes !== '') item.resourceUri = markUri(mainChange(marks));
  // About to be started again: it can be stopped.
  const isComing = server.restarts?.nextAt !== undefined;
  item.iconPath = stateIcon(server.state);
  item.contextValue = isComing ? contextValues.serverStarting : stateContextValue(server.state);
  if (server.isDisabled === true) {
    item.resourceUri = disabledUri;
    item.iconPath = disabledIcon();
    item.contextValue = contextValues.serverDisabled;
  }
  item.accessibilityInformation = { label: l10n.t('Server {0}: {1}', label, description) };
  return item;
}

/** State in words, and what there is to see: at most two short parts for a narrow sidebar. */
function serverWords({ state, tools, restarts, isDisabled }: Server, shown: number): string[] {
  if (isDisabled === true) return [l10n.t('disabled')];
  switch (state.kind) {
    case 'stopped':
      return [l10n.t('stopped')];
    case 'starting':
      return [serverStartWords(state)];
    case 'failed':
      return [restarts?.nextAt === undefined ? l10n.t('failed') : restartWords(restarts)];
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

function disabledIcon(): ThemeIcon {
  return new ThemeIcon('circle-slash', new ThemeColor('disabledForeground'));
}

function stateIcon(state: ServerState): ThemeIcon {
  switch (state.kind) {
    case 'stopped':
      return new ThemeIcon('vm-outline');
    case 'starting':
      return new ThemeIcon(state.isHeld === true ? 'watch' : 'loading~spin');
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
  const isHiding = hidesCharacters(entry.tool);
  const mark = model.mark(row);
  const words = toolWords(entry, title, isHiding);
  item.description = [...(mark === undefined ? [] : [changeWord(mark)]), ...words].join(' · ');
  item.iconPath = callable ? riskIcon(entry.risk) : brokenIcon();
  if (mark !== undefined) item.resourceUri = markUri(mark);
  item.contextValue = callable ? callableContextValue(mark) : contextValues.brokenTool;
  if (entry.isDisabled === true) {
    item.resourceUri = disabledUri;
    item.iconPath = disabledIcon();
    item.contextValue = contextValues.disabledTool;
  }
  const sentence = callable
    ? [
        l10n.t('Tool {0}.', title),
        ...(entry.isDisabled === true ? [l10n.t('Disabled.')] : []),
        ...(mark === undefined ? [] : [changeSentence(mark)]),
        riskSentence(entry.risk),
      ].join(' ')
    : l10n.t('Tool {0}. Cannot be called: its definition is not usable.', title);
  item.accessibilityInformation = {
    label: isHiding ? l10n.t('{0} Its definition hides characters.', sentence) : sentence,
  };
  return item;
}

/** Risk first, because a narrow sidebar cuts the end; the name where the title is another. */
function toolWords(
  { tool, risk, isDisabled }: ToolEntry,
  title: string,
  isHiding: boolean,
): string[] {
  const name = toolNameText(tool);
  return [
    ...(isDisabled === true ? [l10n.t('disabled')] : []),
    tool.callable ? briefRiskWords(risk) : l10n.t('not callable'),
    ...(isHiding ? [l10n.t('hides characters')] : []),
    ...(name === title || name === '' ? [] : [name]),
  ];
}

function callableContextValue(mark: 'new' | 'changed' | undefined): string {
  if (mark === undefined) return contextValues.tool;
  return mark === 'new' ? contextValues.newTool : contextValues.changedTool;
}

/** What was accepted of it can still be read; what it would do now nobody knows. */
function goneItem(row: GoneRow, model: TreeModel): TreeItem {
  const name = quoted(row.toolName);
  const highlights = matchRanges(name, model.words);
  const item = new TreeItem(highlights.length === 0 ? name : { label: name, highlights });
  item.description = changeWord('gone');
  item.iconPath = new ThemeIcon('diff-removed', new ThemeColor('descriptionForeground'));
  item.resourceUri = markUri('gone');
  item.contextValue = contextValues.goneTool;
  item.accessibilityInformation = { label: l10n.t('Tool {0}. {1}', name, changeSentence('gone')) };
  return item;
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

function toStartItem(): TreeItem {
  const item = new TreeItem(l10n.t('Start Server'));
  item.description = l10n.t('to see its tools');
  item.iconPath = new ThemeIcon('play');
  return item;
}

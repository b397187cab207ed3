import * as l10n from '@vscode/l10n';
import { env, ThemeColor, ThemeIcon, TreeItem, TreeItemCollapsibleState, workspace } from 'vscode';
import { assertNever } from '../../core/errors';
import { resourceTreeItem } from './resourceItems';
import { isOldRevision } from '../../core/types';
import type { Server, ToolEntry } from '../../host/connections/snapshot';
import { contextValues } from '../../ids';
import { isSignInAwaited, formatSignInRow } from '../authorization/formatSignInRow';
import { markUri } from '../consent/toolChanges/toolChangeDecorations';
import { formatChangeCount, changeWord, mainChange } from '../consent/toolChanges/formatToolChange';
import { rowId } from '../editor/ownArguments';
import { disabledUri } from './disabledDecorations';
import { markLastKnown } from './lastKnownRows';
import { formatProblem } from './formatProblem';
import { formatRestart } from '../format/formatProcess';
import { formatServerStart } from '../format/formatServerState';
import { formatBriefRisk, spokenRisk } from '../format/formatRisk';
import { riskIcon } from '../format/riskIcon';
import { machineWord } from '../format/formatMachine';
import { quoted } from '../format/sentences';
import { startCommand } from '../format/startCommand';
import { formatSource } from '../format/sentencesOfProblems';
import type { GroupRowFacts, TreeRowFacts, ServerRowFacts, ToolRowFacts } from './treeRowFacts';
import { matchRanges } from '../picking/toolFilter';
import { toolNameText, toolTitle } from '../format/toolTitle';
import { serverContextValue } from './serverContextValue';
import type { TreeModel } from './treeModel';
import type { GoneRow, NoMatchRow, OriginRow, ProblemRow, Row } from './treeRows';

/** How one row looks. Tooltip and command are made when they are asked for, not for every row. */
export function toTreeItem(row: Row, model: TreeModel): TreeItem {
  const item = itemOf(model.facts(row));
  item.id = rowId(row.key);
  return item;
}

function itemOf(facts: TreeRowFacts): TreeItem {
  switch (facts.kind) {
    case 'origin':
      return originItem(facts.row, facts.servers);
    case 'server':
      return serverItem(facts);
    case 'group':
      return groupItem(facts);
    case 'tool':
      return toolItem(facts);
    case 'gone':
      return goneItem(facts.row, facts.words);
    case 'problem':
      return problemItem(facts.row, facts.server);
    case 'noMatch':
      return noMatchItem(facts.because);
    case 'toStart':
      return toStartItem();
    case 'ofResources':
      return resourceTreeItem(facts.row, facts.look);
    default:
      return assertNever(facts);
  }
}

function originItem(row: OriginRow, servers: number): TreeItem {
  const item = new TreeItem(formatSource(row.source), TreeItemCollapsibleState.Expanded);
  item.description = servers === 1 ? l10n.t('1 server') : l10n.t('{0} servers', servers);
  item.iconPath = new ThemeIcon('path' in row.source ? 'json' : 'settings-gear');
  return item;
}

function serverItem({ row, server, marks, shownTools, opening }: ServerRowFacts): TreeItem {
  // The next refresh takes it away.
  if (server === undefined) return new TreeItem(quoted(row.serverId));
  const label = quoted(server.config.label);
  const item = new TreeItem(label, TreeItemCollapsibleState[opening]);
  const changes = formatChangeCount(marks);
  const words = formatServer(server, shownTools);
  if (server.isRecorded === true) words.unshift(l10n.t('recording'));
  if (server.config.source.kind === 'recording') words.unshift(l10n.t('replay'));
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
  item.iconPath = isSignInAwaited(server) ? new ThemeIcon('key') : stateIcon(server);
  item.contextValue = isComing ? contextValues.serverStarting : serverContextValue(server);
  if (server.isDisabled === true) {
    item.resourceUri = disabledUri;
    item.iconPath = disabledIcon();
    item.contextValue = contextValues.serverDisabled;
  }
  item.accessibilityInformation = { label: l10n.t('Server {0}: {1}', label, description) };
  return item;
}

/** State in words, and what there is to see: at most two short parts for a narrow sidebar. */
function formatServer(server: Server, shown: number): string[] {
  const { state, tools, restarts, isDisabled } = server;
  if (isDisabled === true) return [l10n.t('disabled')];
  const signIn = formatSignInRow(server);
  switch (state.kind) {
    case 'stopped':
      return [signIn ?? l10n.t('stopped')];
    case 'starting':
      return [signIn ?? formatServerStart(state)];
    case 'failed':
      return [restarts?.nextAt === undefined ? l10n.t('failed') : formatRestart(restarts)];
    case 'running':
      return [
        formatToolCount(shown, tools.length),
        ...(signIn === undefined ? [] : [signIn]),
        ...(signIn === undefined && isOldRevision(state.revision) ? [state.revision] : []),
      ];
    default:
      return assertNever(state);
  }
}

/** `12 tools`, or `3 of 12 tools` while a filter leaves some out. */
export function formatToolCount(shown: number, all: number): string {
  if (shown !== all) return l10n.t('{0} of {1} tools', shown, all);
  return all === 1 ? l10n.t('1 tool') : l10n.t('{0} tools', all);
}

function disabledIcon(): ThemeIcon {
  return new ThemeIcon('circle-slash', new ThemeColor('disabledForeground'));
}

function stateIcon({ state, isRecorded }: Server): ThemeIcon {
  switch (state.kind) {
    case 'stopped':
      return new ThemeIcon('vm-outline');
    case 'starting':
      return new ThemeIcon(state.isHeld === true ? 'watch' : 'loading~spin');
    case 'running':
      return isRecorded === true
        ? new ThemeIcon('record', new ThemeColor('problemsErrorIcon.foreground'))
        : new ThemeIcon('vm-running', new ThemeColor('testing.iconPassed'));
    case 'failed':
      return new ThemeIcon('error', new ThemeColor('problemsErrorIcon.foreground'));
    default:
      return assertNever(state);
  }
}

function groupItem({ first, last, ends }: GroupRowFacts): TreeItem {
  const item = new TreeItem(
    l10n.t('Tools {0} to {1}', first, last),
    TreeItemCollapsibleState.Collapsed,
  );
  item.description = ends.map(quoted).join(' … ');
  item.iconPath = new ThemeIcon('list-unordered');
  return item;
}

function toolItem(facts: ToolRowFacts): TreeItem {
  const { row, words: searched, entry, mark, isHiding } = facts;
  if (entry === undefined) return new TreeItem(quoted(row.toolName));
  const title = toolTitle(entry.tool) || l10n.t('(no name)');
  const highlights = matchRanges(title, searched);
  const item = new TreeItem(highlights.length === 0 ? title : { label: title, highlights });
  const { callable } = entry.tool;
  const words = formatTool(entry, title, isHiding);
  item.description = [...(mark === undefined ? [] : [changeWord(mark)]), ...words].join(' · ');
  item.iconPath = callable ? riskIcon(entry.risk) : brokenIcon();
  if (mark !== undefined) item.resourceUri = markUri(mark);
  item.contextValue = callable
    ? callableContextValue(mark, entry.taskChoice)
    : contextValues.brokenTool;
  if (entry.isDisabled === true) {
    item.resourceUri = disabledUri;
    item.iconPath = disabledIcon();
    item.contextValue = contextValues.disabledTool;
  }
  const spoken = [
    title,
    ...(entry.isDisabled === true ? [l10n.t('disabled')] : []),
    ...(mark === undefined ? [] : [changeWord(mark)]),
    callable ? spokenRisk(entry.risk) : l10n.t('not callable'),
    ...(isHiding ? [l10n.t('hides characters')] : []),
  ];
  item.accessibilityInformation = { label: spoken.join(', ') };
  if (facts.isLastKnown) markLastKnown(item);
  return item;
}

/** Risk first, because a narrow sidebar cuts the end; the name where the title is another. */
function formatTool(
  { tool, risk, isDisabled }: ToolEntry,
  title: string,
  isHiding: boolean,
): string[] {
  const name = toolNameText(tool);
  return [
    ...(isDisabled === true ? [l10n.t('disabled')] : []),
    tool.callable ? formatBriefRisk(risk) : l10n.t('not callable'),
    ...(isHiding ? [l10n.t('hides characters')] : []),
    ...(name === title || name === '' ? [] : [name]),
  ];
}

/** Only what was accepted can be chosen to run as a task. */
function callableContextValue(
  mark: 'new' | 'changed' | undefined,
  taskChoice: ToolEntry['taskChoice'],
): string {
  if (mark !== undefined) return mark === 'new' ? contextValues.newTool : contextValues.changedTool;
  if (taskChoice === undefined) return contextValues.tool;
  return taskChoice === 'task' ? contextValues.taskTool : contextValues.directTool;
}

/** What was accepted of it can still be read; what it would do now nobody knows. */
function goneItem(row: GoneRow, words: readonly string[]): TreeItem {
  const name = quoted(row.toolName);
  const highlights = matchRanges(name, words);
  const item = new TreeItem(highlights.length === 0 ? name : { label: name, highlights });
  item.description = changeWord('gone');
  item.iconPath = new ThemeIcon('diff-removed', new ThemeColor('descriptionForeground'));
  item.resourceUri = markUri('gone');
  item.contextValue = contextValues.goneTool;
  item.accessibilityInformation = { label: `${name}, ${changeWord('gone')}` };
  return item;
}

function brokenIcon(): ThemeIcon {
  return new ThemeIcon('circle-slash', new ThemeColor('problemsWarningIcon.foreground'));
}

function problemItem(row: ProblemRow, server: Server | undefined): TreeItem {
  const { title, brief, sentence, isFatal } = formatProblem(row, server);
  const item = new TreeItem(title);
  item.description = brief;
  item.iconPath = isFatal
    ? new ThemeIcon('error', new ThemeColor('problemsErrorIcon.foreground'))
    : new ThemeIcon('warning', new ThemeColor('problemsWarningIcon.foreground'));
  item.contextValue = contextValues.problem;
  item.accessibilityInformation = { label: l10n.t('Problem: {0}', sentence) };
  return item;
}

function noMatchItem(because: NoMatchRow['because']): TreeItem {
  if (because === 'toolSet') return leftOutItem();
  const item = new TreeItem(l10n.t('No tool matches the filter'));
  item.description = l10n.t('Clear Filter');
  item.iconPath = new ThemeIcon('filter');
  item.accessibilityInformation = {
    label: l10n.t('No tool matches the filter. Press Enter to clear it.'),
  };
  return item;
}

function leftOutItem(): TreeItem {
  const item = new TreeItem(l10n.t('No tool of the tool set'));
  item.description = l10n.t('Select Tool Set…');
  item.iconPath = new ThemeIcon('tools');
  item.accessibilityInformation = {
    label: l10n.t('The chosen tool set has no tool of this server. Press Enter to choose another.'),
  };
  return item;
}

function toStartItem(): TreeItem {
  const item = new TreeItem(startCommand().title);
  item.description = workspace.isTrusted ? l10n.t('to see its tools') : l10n.t('to start servers');
  item.iconPath = new ThemeIcon(workspace.isTrusted ? 'play' : 'shield');
  return item;
}

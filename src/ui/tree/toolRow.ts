import * as l10n from '@vscode/l10n';
import {
  type Command,
  type MarkdownString,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
} from 'vscode';
import { parameterCount, parametersOf } from '../../core/arguments/parameters';
import { toolProblems } from '../../core/toolProblems';
import type { Tool } from '../../core/types';
import type { ToolEntry } from '../../host/connections/snapshot';
import { commands, contextValues, internalCommands } from '../../ids';
import { changeSentence, changeWord } from '../format/formatToolChange';
import { keepsFocus } from '../editor/ownArguments';
import { formatBriefRisk, hintLines, riskSentence, spokenRisk } from '../format/formatRisk';
import { formatDate } from '../format/formatTime';
import { riskIcon } from '../format/riskIcon';
import { quoted } from '../format/sentences';
import { toolProblemSentence } from '../format/sentencesOfProblems';
import { toolNameText, toolTitle, appLines } from '../format/toolTitle';
import { disabledUri, markUri, markLastKnown } from './rowDecorations';
import type { TreeModel } from './treeModel';
import { type GoneRow, type GroupRow, type ToolRow } from './treeRows';
import {
  type RowKind,
  highlighted,
  boldLine,
  foreignLine,
  foreignText,
  lineList,
  markdownTooltip,
  iconLines,
} from './rowKind';
const maxProblems = 10;
const maxParameters = 12;

export const toolRow: RowKind<'tool'> = {
  item: toolItem,
  tooltip: toolTooltip,
  command: toolCommand,
};

export const toolGroupRow: RowKind<'group'> = { item: groupItem };

export const goneRow: RowKind<'gone'> = {
  item: goneItem,
  tooltip: ({ toolName }) =>
    markdownTooltip([boldLine(toolName), foreignLine(changeSentence('gone'))]),
  command: (row) => ({
    title: l10n.t('Show What Changed'),
    command: commands.showToolChanges,
    arguments: [row],
  }),
};

function toolItem(row: ToolRow, model: TreeModel): TreeItem {
  const { entry, mark, isHiding, isLastKnown } = model.toolFacts(row);
  if (entry === undefined) return new TreeItem(quoted(row.toolName));
  const title = toolTitle(entry.tool) || l10n.t('(no name)');
  const item = new TreeItem(highlighted(title, model.words));
  const { callable } = entry.tool;
  const words = (risk: string): string[] => [
    ...(mark === undefined ? [] : [changeWord(mark)]),
    ...formatTool(entry, title, { risk, isHiding }),
  ];
  item.description = words(formatBriefRisk(entry.risk)).join(' · ');
  item.iconPath = callable ? riskIcon(entry.risk) : brokenIcon();
  if (mark !== undefined) item.resourceUri = markUri(mark);
  item.contextValue = callable
    ? callableContextValue(mark, entry.taskChoice)
    : contextValues.brokenTool;
  if (entry.isDisabled === true) {
    item.resourceUri = disabledUri;
    item.iconPath = new ThemeIcon('circle-slash', new ThemeColor('disabledForeground'));
    item.contextValue = contextValues.disabledTool;
  }
  const spoken = [title, ...words(spokenRisk(entry.risk))];
  item.accessibilityInformation = { label: spoken.join(', ') };
  if (isLastKnown) markLastKnown(item);
  return item;
}

/**
 * The risk comes first, because a narrow sidebar cuts the end. The name is added if the title
 * differs from it.
 */
function formatTool(
  { tool, isDisabled }: ToolEntry,
  title: string,
  { risk, isHiding }: { readonly risk: string; readonly isHiding: boolean },
): string[] {
  const name = toolNameText(tool);
  return [
    ...(isDisabled === true ? [l10n.t('disabled')] : []),
    tool.callable ? risk : l10n.t('not callable'),
    ...(isHiding ? [l10n.t('hidden characters')] : []),
    ...(tool.app === undefined ? [] : [l10n.t('app')]),
    ...(name === title || name === '' ? [] : [name]),
  ];
}

/** Only an accepted tool can be set to run as a task. */
function callableContextValue(
  mark: 'new' | 'changed' | undefined,
  taskChoice: ToolEntry['taskChoice'],
): string {
  if (mark !== undefined) return mark === 'new' ? contextValues.newTool : contextValues.changedTool;
  if (taskChoice === undefined) return contextValues.tool;
  return taskChoice === 'task' ? contextValues.taskTool : contextValues.directTool;
}

function brokenIcon(): ThemeIcon {
  return new ThemeIcon('circle-slash', new ThemeColor('problemsWarningIcon.foreground'));
}

/** The command of a click and of Enter. ToolPresses decides whether it shows or calls. */
function toolCommand(row: ToolRow, model: TreeModel): Command {
  const entry = model.entry(row);
  const isCallable = entry?.tool.callable === true && entry.isDisabled !== true;
  const title = l10n.t('Show Tool Definition');
  // A tool that cannot be called can only be shown.
  return isCallable
    ? { title, command: internalCommands.pressTool, arguments: [row] }
    : { title, command: commands.showDefinition, arguments: [row, keepsFocus] };
}

function toolTooltip(row: ToolRow, model: TreeModel): MarkdownString | undefined {
  const entry = model.entry(row);
  if (entry === undefined) return undefined;
  const { tool, risk } = entry;
  const title = toolTitle(tool);
  const mark = model.mark(row);
  const listedAt = model.listedAt(row);
  const problems = toolProblems(tool)
    // The list of hints already shows it, with the value that is used instead.
    .filter(({ code }) => !tool.callable || code !== 'annotationIgnored')
    .slice(0, maxProblems)
    .map(toolProblemSentence);
  return markdownTooltip([
    ...(title === '' ? [] : [boldLine(title)]),
    foreignLine(l10n.t('Name: {0}', tool.name)),
    ...(entry.isDisabled === true
      ? [foreignLine(l10n.t('Disabled in this workspace. “Enable Tool” enables it again.'))]
      : []),
    ...(listedAt === undefined ? [] : [foreignLine(lastKnownSentence(listedAt))]),
    ...(mark === undefined ? [] : [foreignLine(changeSentence(mark))]),
    foreignText(tool.description ?? l10n.t('The server provides no description.')),
    ...[...taskLines(entry), ...appLines(tool.app)].map(foreignLine),
    ...parameterParagraphs(tool),
    ...(tool.callable ? [foreignLine(riskSentence(risk))] : []),
    ...(tool.callable
      ? [lineList(hintLines(risk).map(({ hint, text }) => l10n.t('{0}: {1}', hint, text)))]
      : []),
    ...(risk.basis === 'overridden'
      ? [foreignLine(l10n.t('You have set this risk. “Set Risk…” resets it.'))]
      : []),
    ...(problems.length === 0 ? [] : [boldLine(l10n.t('Problems')), lineList(problems)]),
    ...iconLines(tool.icons),
  ]);
}

function taskLines({ tool, taskChoice }: ToolEntry): readonly string[] {
  if (taskChoice === 'task') return [l10n.t('Runs as a task because you chose it.')];
  if (tool.taskSupport === undefined) return [];
  return [
    tool.taskSupport === 'required' ? l10n.t('Runs as a task.') : l10n.t('Can run as a task.'),
  ];
}

/** Lists the required parameters first, then optional ones up to the limit of the tooltip. */
function parameterParagraphs({ inputSchema }: Tool): string[] {
  const parameters = parametersOf(inputSchema, maxParameters);
  if (parameters.length === 0) return [];
  const lines = parameters.map(({ name, type, isRequired }) =>
    isRequired ? l10n.t('{0}: {1}, required', name, type) : l10n.t('{0}: {1}', name, type),
  );
  const left = parameterCount(inputSchema) - parameters.length;
  const more = left > 0 ? [l10n.t('More parameters in the schema: {0}.', left)] : [];
  return [boldLine(l10n.t('Parameters')), lineList([...lines, ...more])];
}

function lastKnownSentence(listedAt: number): string {
  return l10n.t(
    'Listed by its server on {0}. Calling it starts the server first.',
    formatDate(listedAt),
  );
}

function groupItem(row: GroupRow, model: TreeModel): TreeItem {
  const { first, last, ends } = model.pageFacts(row);
  const item = new TreeItem(
    l10n.t('Tools {0} to {1}', first, last),
    TreeItemCollapsibleState.Collapsed,
  );
  item.description = ends.map(quoted).join(' … ');
  item.iconPath = new ThemeIcon('list-unordered');
  return item;
}

/** The accepted definition of a removed tool can still be read. */
function goneItem(row: GoneRow, { words }: TreeModel): TreeItem {
  const name = quoted(row.toolName);
  const item = new TreeItem(highlighted(name, words));
  item.description = changeWord('gone');
  item.iconPath = new ThemeIcon('diff-removed', new ThemeColor('descriptionForeground'));
  item.resourceUri = markUri('gone');
  item.contextValue = contextValues.goneTool;
  item.accessibilityInformation = { label: `${name}, ${changeWord('gone')}` };
  return item;
}

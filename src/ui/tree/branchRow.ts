import * as l10n from '@vscode/l10n';
import { type Command, ThemeColor, ThemeIcon, TreeItem, TreeItemCollapsibleState } from 'vscode';
import { assertNever } from '../../core/errors';
import { commands, contextValues } from '../../ids';
import { formatChangeCount } from '../format/formatToolChange';
import { errorSentence, formatError } from '../format/sentences';
import { listProblemSentence } from '../format/sentencesOfProblems';
import { resourceTitle } from '../format/formatResource';
import type { TreeModel } from './treeModel';
import type { BranchName, BranchPageRow, BranchRow, ListNoteRow, Row } from './treeRows';
import { type RowKind, foreignText, markdownTooltip } from './rowKind';

export const branchRow: RowKind<'branch'> = { item: branchItem };

export const branchPageRow: RowKind<'branchPage'> = { item: pageItem };

export const listNoteRow: RowKind<'listNote'> = {
  item: noteItem,
  tooltip: (row, model) => {
    const sentence = noteSentence(row, model.labelOf(row.serverId));
    return markdownTooltip(sentence === '' ? [] : [foreignText(sentence)]);
  },
  command: noteCommand,
};

interface BranchTexts {
  readonly title: string;
  readonly icon: string;
  readonly contextValue: string;
  readonly counted: (count: string) => string;
  readonly page: (first: number, last: number) => string;
  readonly noMatch: string;
  readonly incomplete: string;
  readonly refresh: Command;
}

function textsOf(branch: BranchName): BranchTexts {
  switch (branch) {
    case 'resources':
      return {
        title: l10n.t('Resources'),
        icon: 'library',
        contextValue: contextValues.resources,
        counted: (count) => l10n.t('Resources: {0}', count),
        page: (first, last) => l10n.t('Resources {0} to {1}', first, last),
        noMatch: l10n.t('No resource matches the filter'),
        incomplete: l10n.t('Resources may be missing'),
        refresh: { title: l10n.t('Refresh Resources'), command: commands.refreshResources },
      };
    case 'prompts':
      return {
        title: l10n.t('Prompts'),
        icon: 'comment-discussion',
        contextValue: contextValues.prompts,
        counted: (count) => l10n.t('Prompts: {0}', count),
        page: (first, last) => l10n.t('Prompts {0} to {1}', first, last),
        noMatch: l10n.t('No prompt matches the filter'),
        incomplete: l10n.t('Prompts may be missing'),
        refresh: { title: l10n.t('Refresh Prompts'), command: commands.refreshPrompts },
      };
    case 'skills':
      return {
        title: l10n.t('Skills'),
        icon: 'mortar-board',
        contextValue: contextValues.skills,
        counted: (count) => l10n.t('Skills: {0}', count),
        page: (first, last) => l10n.t('Skills {0} to {1}', first, last),
        noMatch: l10n.t('No skill matches the filter'),
        incomplete: l10n.t('Skills may be missing'),
        refresh: { title: l10n.t('Refresh Skills'), command: commands.refreshSkills },
      };
    default:
      return assertNever(branch);
  }
}

function branchItem(row: BranchRow, { listed }: TreeModel): TreeItem {
  const { title, icon, contextValue, counted } = textsOf(row.branch);
  const item = new TreeItem(title, TreeItemCollapsibleState.Collapsed);
  const { shown, all } = listed.counts(row);
  const count = shown === all ? String(all) : l10n.t('{0} of {1}', shown, all);
  const isListed = listed.listed(row).state === 'listed';
  const changes =
    row.branch === 'skills'
      ? formatChangeCount(listed.skillMarks(row.serverId), (sum) => l10n.t('changes: {0}', sum))
      : '';
  item.description = isListed ? [count, changes].filter(Boolean).join(' · ') : '';
  item.iconPath = new ThemeIcon(icon);
  item.contextValue = contextValue;
  const spoken = [counted(count), changes].filter(Boolean).join(', ');
  item.accessibilityInformation = { label: isListed ? spoken : title };
  return item;
}

function pageItem(row: BranchPageRow, { listed }: TreeModel): TreeItem {
  const { first, last } = listed.pageBounds(row);
  const item = new TreeItem(
    textsOf(row.branch).page(first, last),
    TreeItemCollapsibleState.Collapsed,
  );
  const rows = listed.children(row);
  const titleOf = (end: Row | undefined): string => {
    const entry = end !== undefined && 'branch' in end ? listed.anyEntry(end) : undefined;
    return entry === undefined ? '' : resourceTitle(entry);
  };
  item.description = [rows.at(0), rows.at(-1)].map(titleOf).join(' … ');
  item.iconPath = new ThemeIcon('list-unordered');
  return item;
}

function noteItem({ note, branch, serverId }: ListNoteRow, model: TreeModel): TreeItem {
  const server = model.labelOf(serverId);
  switch (note.kind) {
    case 'listing': {
      const item = new TreeItem(l10n.t('Listing…'));
      item.iconPath = new ThemeIcon('loading~spin');
      return item;
    }
    case 'none': {
      const item = new TreeItem(l10n.t('The server lists none'));
      item.description = l10n.t('Refresh');
      item.iconPath = new ThemeIcon('info');
      return item;
    }
    case 'noMatch': {
      const item = new TreeItem(textsOf(branch).noMatch);
      item.description = l10n.t('Clear Filter');
      item.iconPath = new ThemeIcon('filter');
      return item;
    }
    case 'failed': {
      const { title, sentence } = formatError(server, note.error);
      return problemItem(title, sentence, 'error', 'problemsErrorIcon.foreground');
    }
    case 'problem': {
      const sentence = listProblemSentence(server, note.problem);
      const title = textsOf(branch).incomplete;
      return problemItem(title, sentence, 'warning', 'problemsWarningIcon.foreground');
    }
    default:
      return assertNever(note);
  }
}

function problemItem(title: string, sentence: string, icon: string, color: string): TreeItem {
  const item = new TreeItem(title);
  item.description = l10n.t('Refresh');
  item.iconPath = new ThemeIcon(icon, new ThemeColor(color));
  item.contextValue = contextValues.problem;
  item.accessibilityInformation = { label: l10n.t('Problem: {0}', sentence) };
  return item;
}

function noteCommand(row: ListNoteRow): Command | undefined {
  const { kind } = row.note;
  if (kind === 'listing') return undefined;
  if (kind === 'noMatch') return { title: l10n.t('Clear Filter'), command: commands.clearFilter };
  return { ...textsOf(row.branch).refresh, arguments: [row] };
}

function noteSentence({ note }: ListNoteRow, server: string): string {
  switch (note.kind) {
    case 'failed':
      return errorSentence(server, note.error);
    case 'problem':
      return listProblemSentence(server, note.problem);
    case 'none':
      return l10n.t('Press Enter to try again.');
    case 'listing':
    case 'noMatch':
      return '';
    default:
      return assertNever(note);
  }
}

import * as l10n from '@vscode/l10n';
import {
  type Command,
  type MarkdownString,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
} from 'vscode';
import { assertNever } from '../../core/errors';
import type { ResourceFacts } from '../../core/types';
import { commands, contextValues } from '../../ids';
import { annotationSentences, formatSize } from '../format/formatFile';
import { errorSentence, formatError, quoted } from '../format/sentences';
import {
  formatResourceCount,
  resourceBrief,
  resourceIcon,
  resourceProblemSentence,
  resourceTitle,
} from '../format/formatResource';
import type { ResourceRows } from './resourceRows';
import type { TreeModel } from './treeModel';
import type {
  ResourceGroupRow,
  ResourceNoteRow,
  ResourceRow,
  ResourcesRow,
  TemplateRow,
} from './treeRows';
import { type RowKind, highlighted } from './rowKind';
import { boldLine, foreignLine, foreignText, markdownTooltip, iconLines } from './tooltips';

export const resourcesRow: RowKind<'resources'> = { item: branchItem };

export const resourceGroupRow: RowKind<'resourceGroup'> = { item: groupItem };

/** The resource is not read until the user presses Enter. */
export const resourceRow: RowKind<'resource'> = {
  item: resourceItem,
  tooltip: (row, { resources }) => {
    const resource = resources.resource(row);
    const { size } = resource ?? {};
    const sizes = size === undefined ? [] : [l10n.t('Size: {0}', formatSize(size))];
    return factsTooltip(resource, [l10n.t('URI: {0}', row.uri)], sizes);
  },
  command: (row) => ({
    title: l10n.t('Open Resource'),
    command: commands.openResource,
    arguments: [row],
  }),
};

export const templateRow: RowKind<'template'> = {
  item: templateItem,
  tooltip: (row, { resources }) =>
    factsTooltip(resources.template(row), [l10n.t('Template: {0}', row.uriTemplate)]),
  command: (row) => ({
    title: l10n.t('Open Resource from Template…'),
    command: commands.openTemplate,
    arguments: [row],
  }),
};

export const resourceNoteRow: RowKind<'resourceNote'> = {
  item: noteItem,
  tooltip: (row, model) => {
    const sentence = noteSentence(row, model.labelOf(row.serverId));
    return markdownTooltip(sentence === '' ? [] : [foreignText(sentence)]);
  },
  command: noteCommand,
};

function branchItem(row: ResourcesRow, { resources: rows }: TreeModel): TreeItem {
  const label = l10n.t('Resources');
  const item = new TreeItem(label, TreeItemCollapsibleState.Collapsed);
  const { state } = rows.listed(row.serverId);
  const { shown, all } = rows.counts(row.serverId);
  const count = state === 'listed' ? formatResourceCount(shown, all) : '';
  item.description = count;
  item.iconPath = new ThemeIcon('library');
  item.contextValue = contextValues.resources;
  item.accessibilityInformation = {
    label: count === '' ? label : l10n.t('Resources: {0}', count),
  };
  return item;
}

function groupItem(row: ResourceGroupRow, { resources: rows }: TreeModel): TreeItem {
  const { first, last } = rows.groupBounds(row);
  const item = new TreeItem(
    l10n.t('Resources {0} to {1}', first, last),
    TreeItemCollapsibleState.Collapsed,
  );
  const ends = [rows.children(row).at(0), rows.children(row).at(-1)];
  item.description = ends
    .map((end) => (end?.kind === 'resource' ? titleOf(end, rows) : ''))
    .join(' … ');
  item.iconPath = new ThemeIcon('list-unordered');
  return item;
}

function titleOf(row: ResourceRow, rows: ResourceRows): string {
  const resource = rows.resource(row);
  return resource === undefined ? quoted(row.uri) : resourceTitle(resource);
}

function resourceItem(row: ResourceRow, { resources: rows, words }: TreeModel): TreeItem {
  const resource = rows.resource(row);
  if (resource === undefined) return new TreeItem(quoted(row.uri));
  const title = resourceTitle(resource) || quoted(row.uri);
  const item = new TreeItem(highlighted(title, words));
  const brief = resourceBrief(resource);
  item.description = brief;
  item.iconPath = resourceIcon(resource);
  item.contextValue = contextValues.resource;
  item.accessibilityInformation = {
    label: brief === '' ? l10n.t('Resource {0}', title) : l10n.t('Resource {0}: {1}', title, brief),
  };
  return item;
}

function templateItem(row: TemplateRow, { resources: rows, words }: TreeModel): TreeItem {
  const template = rows.template(row);
  if (template === undefined) return new TreeItem(quoted(row.uriTemplate));
  const title = l10n.t('{0}…', resourceTitle(template));
  const item = new TreeItem(highlighted(title, words));
  const address = quoted(row.uriTemplate);
  item.description = address;
  item.iconPath = new ThemeIcon('symbol-snippet');
  item.contextValue = contextValues.template;
  item.accessibilityInformation = {
    label: l10n.t('Resource template {0}: {1}', title, address),
  };
  return item;
}

function noteItem(row: ResourceNoteRow, model: TreeModel): TreeItem {
  const { note } = row;
  const server = model.labelOf(row.serverId);
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
      const item = new TreeItem(l10n.t('No resource matches the filter'));
      item.description = l10n.t('Clear Filter');
      item.iconPath = new ThemeIcon('filter');
      return item;
    }
    case 'failed': {
      const { title, sentence } = formatError(server, note.error);
      return problemItem(title, sentence, 'error', 'problemsErrorIcon.foreground');
    }
    case 'problem': {
      const sentence = resourceProblemSentence(server, note.problem);
      const title = l10n.t('Resources may be missing');
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

function noteCommand(row: ResourceNoteRow): Command | undefined {
  const { kind } = row.note;
  if (kind === 'listing') return undefined;
  if (kind === 'noMatch') return { title: l10n.t('Clear Filter'), command: commands.clearFilter };
  const title = l10n.t('Refresh Resources');
  return { title, command: commands.refreshResources, arguments: [row] };
}

function factsTooltip(
  facts: ResourceFacts | undefined,
  address: readonly string[],
  sizes: readonly string[] = [],
): MarkdownString {
  const { title, name = '', description = '', mimeType, icons } = facts ?? {};
  const shown = title ?? name;
  const lines = [
    ...(title === undefined || title === name ? [] : [l10n.t('Name: {0}', name)]),
    ...address,
    ...(mimeType === undefined ? [] : [l10n.t('Type: {0}', mimeType)]),
    ...sizes,
    ...annotationSentences(facts?.annotations),
  ];
  return markdownTooltip([
    ...(shown === '' ? [] : [boldLine(shown)]),
    ...(description === '' ? [] : [foreignText(description)]),
    ...lines.map(foreignLine),
    ...iconLines(icons),
  ]);
}

function noteSentence({ note }: ResourceNoteRow, server: string): string {
  switch (note.kind) {
    case 'failed':
      return errorSentence(server, note.error);
    case 'problem':
      return resourceProblemSentence(server, note.problem);
    case 'none':
      return l10n.t('Press Enter to try again.');
    case 'listing':
    case 'noMatch':
      return '';
    default:
      return assertNever(note);
  }
}

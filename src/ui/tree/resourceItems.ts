import * as l10n from '@vscode/l10n';
import { type Command, ThemeColor, ThemeIcon, TreeItem, TreeItemCollapsibleState } from 'vscode';
import { assertNever } from '../../core/errors';
import { commands, contextValues } from '../../ids';
import { matchRanges } from '../picking/toolFilter';
import type {
  AnyResourceRow,
  ResourceGroupRow,
  ResourceNoteRow,
  ResourceRow,
  ResourcesRow,
  TemplateRow,
} from './treeRows';
import { formatError, quoted } from '../format/sentences';
import type { ResourceRows } from './resourceRows';
import {
  resourceBrief,
  formatResourceCount,
  resourceIcon,
  resourceProblemSentence,
  resourceTitle,
} from '../resources/formatResource';

/** What the rows of a server's resources look at. */
export interface ResourceLook {
  readonly rows: ResourceRows;
  /** What the filter looks for. */
  readonly words: readonly string[];
  readonly labelOf: (serverId: string) => string;
}

export function resourceTreeItem(row: AnyResourceRow, look: ResourceLook): TreeItem {
  switch (row.kind) {
    case 'resources':
      return branchItem(row, look);
    case 'resourceGroup':
      return groupItem(row, look);
    case 'resource':
      return resourceItem(row, look);
    case 'template':
      return templateItem(row, look);
    case 'resourceNote':
      return noteItem(row, look);
    default:
      return assertNever(row);
  }
}

/** What Enter does; nothing is read before. */
export function resourceCommand(row: AnyResourceRow): Command | undefined {
  switch (row.kind) {
    case 'resource':
      return { title: l10n.t('Open Resource'), command: commands.openResource, arguments: [row] };
    case 'template': {
      const title = l10n.t('Open Resource from Template…');
      return { title, command: commands.openTemplate, arguments: [row] };
    }
    case 'resourceNote': {
      const { kind } = row.note;
      if (kind === 'listing') return undefined;
      if (kind === 'noMatch') {
        return { title: l10n.t('Clear Filter'), command: commands.clearFilter };
      }
      return refreshCommand(row);
    }
    case 'resources':
    case 'resourceGroup':
      return undefined;
    default:
      return assertNever(row);
  }
}

function refreshCommand(row: AnyResourceRow): Command {
  return {
    title: l10n.t('Refresh Resources'),
    command: commands.refreshResources,
    arguments: [row],
  };
}

function branchItem(row: ResourcesRow, { rows }: ResourceLook): TreeItem {
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

function groupItem(row: ResourceGroupRow, { rows }: ResourceLook): TreeItem {
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

function resourceItem(row: ResourceRow, { rows, words }: ResourceLook): TreeItem {
  const resource = rows.resource(row);
  if (resource === undefined) return new TreeItem(quoted(row.uri));
  const title = resourceTitle(resource) || quoted(row.uri);
  const highlights = matchRanges(title, words);
  const item = new TreeItem(highlights.length === 0 ? title : { label: title, highlights });
  const brief = resourceBrief(resource);
  item.description = brief;
  item.iconPath = resourceIcon(resource);
  item.contextValue = contextValues.resource;
  item.accessibilityInformation = {
    label: brief === '' ? l10n.t('Resource {0}', title) : l10n.t('Resource {0}: {1}', title, brief),
  };
  return item;
}

function templateItem(row: TemplateRow, { rows, words }: ResourceLook): TreeItem {
  const template = rows.template(row);
  if (template === undefined) return new TreeItem(quoted(row.uriTemplate));
  const title = l10n.t('{0}…', resourceTitle(template));
  const highlights = matchRanges(title, words);
  const item = new TreeItem(highlights.length === 0 ? title : { label: title, highlights });
  const address = quoted(row.uriTemplate);
  item.description = address;
  item.iconPath = new ThemeIcon('symbol-snippet');
  item.contextValue = contextValues.template;
  item.accessibilityInformation = {
    label: l10n.t('Template of resources {0}: {1}', title, address),
  };
  return item;
}

function noteItem(row: ResourceNoteRow, { labelOf }: ResourceLook): TreeItem {
  const { note } = row;
  const server = labelOf(row.serverId);
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
